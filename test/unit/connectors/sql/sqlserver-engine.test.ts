import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SqlSession, SqlTarget } from '../../../../core/connectors/sql/engine.ts';
import { sqlServerEngine } from '../../../../core/connectors/sql/sqlserver/sqlserver-engine.ts';
import { refusal } from '../../../contract/connector.exercise.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { LOGIN, type SqlServerFake, startSqlServerFake } from '../../../support/tds/sql-server-fake.ts';
import { ROWS_IN_BLOCK } from '../../../support/tds/t-sql.ts';
import { ENCRYPTION } from '../../../support/tds/tds-packets.ts';

const live = new AbortController().signal;
const certificate = selfSigned(30);
const authorities = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...authorities, certificate.cert]));
afterAll(() => setDefaultCACertificates(authorities));

const targetOf = ({ port }: SqlServerFake, rest: Partial<SqlTarget> = {}): SqlTarget => ({
  host: 'localhost',
  port,
  database: 'crm',
  tls: true,
  ...LOGIN,
  ...rest,
});

const BOUNDS = { maxRows: 1_000, maxBytes: 1_000_000, seed: 1 };

let server: SqlServerFake;
let session: SqlSession;
beforeEach(async () => {
  server = await startSqlServerFake({ certificate });
  session = await sqlServerEngine.connect(targetOf(server), live);
});
afterEach(async () => {
  await session.close();
  await server.close();
});

describe('the connection', () => {
  test('is encrypted, asks for a replica that reads, and bounds waits for locks', () => {
    expect(server.encrypted).toEqual([true]);
    expect(server.logins).toEqual([{ ...LOGIN, database: 'crm', readOnlyIntent: true }]);
    expect(server.statements).toContain('SET LOCK_TIMEOUT 1000');
    expect(server.statements.join()).not.toMatch(/nolock|read uncommitted/i);
  });

  test.each([
    ['offers no TLS', { certificate: null }],
    [
      'says that it has none, and then that it has',
      { certificate: null, says: [ENCRYPTION.on, ENCRYPTION.notSupported] },
    ],
    [
      'says that it has some, and then that it has none',
      { certificate: null, says: [ENCRYPTION.notSupported, ENCRYPTION.on] },
    ],
    ['does not speak of TLS', { certificate: null, says: [] }],
    ['has a certificate that nobody vouches for', { certificate: selfSigned(30) }],
    ['has a certificate that has expired', { certificate: selfSigned(-1) }],
  ])('to a server that %s is refused, and no password is sent', async (_, options) => {
    const other = await startSqlServerFake(options);
    expect(await refusal(sqlServerEngine.connect(targetOf(other), live))).toMatchObject({
      safeDiagnostic: 'sql_tls_refused',
    });
    expect(other.logins).toEqual([]);
    await other.close();
  });

  test('to this machine needs no TLS if the configuration says so', async () => {
    const plain = await startSqlServerFake({ certificate: null });
    const other = await sqlServerEngine.connect(targetOf(plain, { tls: false }), live);
    expect(plain.encrypted).toEqual([false]);
    await other.close();
    await plain.close();
  });

  test('with a wrong password, or to a database that does not open, is refused', async () => {
    expect(
      await refusal(sqlServerEngine.connect(targetOf(server, { password: 'wrong' }), live)),
    ).toMatchObject({ safeDiagnostic: 'sql_login_refused', retryClass: 'auth' });
    expect(
      await refusal(sqlServerEngine.connect(targetOf(server, { database: 'gone' }), live)),
    ).toMatchObject({ reason: 'denied', safeDiagnostic: 'sql_database_denied' });
  });

  test('to a server that is not there fails and may be tried again', async () => {
    const target = targetOf(server);
    await server.close();
    expect(await refusal(sqlServerEngine.connect(target, live))).toMatchObject({
      safeDiagnostic: 'sql_unreachable',
      retryClass: 'transient',
    });
    server = await startSqlServerFake({ certificate });
  });

  test('ends when the signal fires', async () => {
    const stop = new AbortController();
    const connecting = refusal(sqlServerEngine.connect(targetOf(server), stop.signal));
    stop.abort();
    expect(await connecting).toMatchObject({ safeDiagnostic: 'aborted' });
  });
});

describe('a login', () => {
  test('that selects and views definitions reads', async () => {
    expect(await session.login()).toEqual({ state: 'reads' });
  });

  test.each([
    ['CONTROL SERVER', 'administrator'],
    ['IMPERSONATE ANY LOGIN', 'administrator'],
    ['A RIGHT OF 2031', 'administrator'],
  ])('with the right %s on the server can write', async (right, by) => {
    server.catalogue.insert('my_permissions_on_server', { permission_name: right });
    expect(await session.login()).toEqual({ state: 'writes', by });
  });

  test.each(['INSERT', 'EXECUTE', 'ALTER ANY ROLE', 'CREATE TABLE', 'CONTROL'])(
    'with the right %s on the database can write',
    async (right) => {
      server.catalogue.insert('my_permissions_on_database', { permission_name: right });
      expect(await session.login()).toEqual({ state: 'writes', by: 'database' });
    },
  );

  test.each([
    ['SCHEMA [hr] ALTER', 'schema'],
    ['OBJECT [hr].[people] UPDATE', 'table'],
    ['OBJECT [hr].[close year] EXECUTE', 'database'],
    ['OBJECT [hr].[numbers] UPDATE', 'sequence'],
    ['USER [dbo] IMPERSONATE', 'role'],
    ['ROLE [db_datawriter] ALTER', 'role'],
    ['LOGIN [sa] IMPERSONATE', 'administrator'],
    ['SERVER ROLE [operators] ALTER', 'administrator'],
    ['SCHEMA [hr] TAKE OWNERSHIP', 'schema'],
    ['OBJECT [hr].[people] TAKE OWNERSHIP', 'table'],
    ['OBJECT [hr].[closing] EXECUTE', 'database'],
  ])('with the right %s can write', async (right, by) => {
    server.addTable('hr', 'people', []);
    const { insert } = server.catalogue;
    insert('objects', { name: 'close year', object_id: 9, schema_id: 7, type: 'P ', is_ms_shipped: 0 });
    insert('objects', { name: 'numbers', object_id: 10, schema_id: 7, type: 'SO', is_ms_shipped: 0 });
    insert('objects', { name: 'closing', object_id: 11, schema_id: 7, type: 'SN', is_ms_shipped: 0 });
    insert('server_principals', { principal_id: 1, name: 'sa', type: 'S' });
    insert('server_principals', { principal_id: 3, name: 'operators', type: 'R' });
    expect(await session.login()).toEqual({ state: 'reads' });
    server.rights.add(right);
    expect(await session.login()).toEqual({ state: 'writes', by });
  });

  test.each([
    ['itself', 5, []],
    ['public', 0, []],
    ['a role that it is in', 16391, ['MEMBER db_datawriter']],
  ])('that can update a column through %s can write', async (_, grantee, rights) => {
    for (const right of rights) server.rights.add(right);
    server.catalogue.insert('database_permissions', {
      class: 1,
      major_id: 1,
      minor_id: 2,
      grantee_principal_id: grantee,
      permission_name: 'UPDATE',
      state: 'G',
    });
    expect(await session.login()).toEqual({ state: 'writes', by: 'column' });
  });

  test.each([
    ['RECEIVE', 'G', 1, 'writes'],
    ['SELECT', 'W', 3, 'writes'],
    ['A RIGHT OF 2031', 'G', 4, 'writes'],
    ['SELECT', 'G', 1, 'reads'],
    ['VIEW DEFINITION', 'G', 0, 'reads'],
    ['EXECUTE', 'G', 1, 'reads'],
    ['INSERT', 'D', 1, 'reads'],
  ])('with a grant of %s, %s, on class %i %s', async (right, grant, level, state) => {
    server.catalogue.insert('database_permissions', {
      class: level,
      major_id: 12,
      minor_id: 0,
      grantee_principal_id: 5,
      permission_name: right,
      state: grant,
    });
    expect(await session.login()).toMatchObject({ state });
  });

  test('whose rights the database does not say is unchecked', async () => {
    server.catalogue.remove('my_permissions_on_database', 'entity_name', 'database');
    expect(await session.login()).toEqual({ state: 'unchecked' });
  });

  test('is checked where the edition has no list of logins', async () => {
    server.faults.set('sys.server_principals', { number: 208, message: 'Invalid object name.' });
    expect(await session.login()).toEqual({ state: 'reads' });
  });
});

describe('tables', () => {
  test('are listed in pages in the order of their ids, of the selected schemas', async () => {
    const ids = Array.from({ length: 5 }, (_, at) => String(server.addTable('hr', `t${at}`, [])));
    const other = String(server.addTable('dbo', 'orders', []));
    const first = await session.tables({ schemas: ['hr'], after: null, limit: 3 });
    const second = await session.tables({ schemas: ['hr'], after: first.at(-1)?.id ?? '', limit: 3 });
    expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
    const all = await session.tables({ schemas: null, after: null, limit: 10 });
    expect(all.map(({ id }) => id)).toEqual([...ids, other]);
    expect(await session.tables({ schemas: [], after: null, limit: 10 })).toEqual([]);
    expect(await session.schemas(['hr', 'gone', 'dbo'])).toEqual(expect.arrayContaining(['hr', 'dbo']));
  });

  test('have the times of the server as UTC, and their size by pages', async () => {
    const id = String(server.addTable('hr', 'people', [[1, 'Ada']]));
    expect(await session.table(id)).toMatchObject({
      schema: 'hr',
      name: 'people',
      kind: 'table',
      sizeBytes: 16_384,
      createdAt: '2026-01-05T07:00:00.000Z',
      modifiedAt: '2026-02-05T07:00:00.000Z',
    });
  });

  test('whose id no table can have are none', async () => {
    for (const id of ['', '0', '-1', '1e3', '9999999999', "1' OR 1=1", 'x'.repeat(5_000)])
      expect(await session.table(id)).toBeNull();
    expect(server.statements.join()).not.toMatch(/OR 1=1/);
  });

  test('change their activity, their structure and their access each for itself', async () => {
    const id = server.addTable('hr', 'people', []);
    const now = () => session.table(String(id)).then((entry) => entry ?? expect.unreachable());
    const before = await now();
    server.catalogue.update(
      'dm_db_index_usage_stats',
      { last_user_update: '2026-03-01T08:00:00' },
      { object_id: id },
    );
    const written = await now();
    expect(written).toEqual({ ...before, activity: expect.not.stringMatching(`^${before.activity}$`) });
    server.catalogue.update('columns', { max_length: -1 }, { object_id: id, name: 'note' });
    const altered = await now();
    expect(altered).toEqual({ ...written, structure: expect.not.stringMatching(`^${written.structure}$`) });
    server.catalogue.insert('database_permissions', {
      class: 1,
      major_id: id,
      minor_id: 0,
      grantee_principal_id: 0,
      permission_name: 'SELECT',
      state: 'G',
    });
    const granted = await now();
    expect(granted).toEqual({ ...altered, access: expect.not.stringMatching(`^${altered.access}$`) });
    server.catalogue.update('objects', { name: 'staff' }, { object_id: id });
    expect(await now()).toEqual({ ...granted, name: 'staff' });
  });

  test('have no activity if the login may not view the state of the server', async () => {
    const id = String(server.addTable('hr', 'people', []));
    server.faults.set('dm_db_index_usage_stats', { number: 300, message: 'VIEW SERVER STATE was denied.' });
    expect(await session.table(id)).toMatchObject({ activity: null });
  });

  test('have the grants that the catalogue shows', async () => {
    const id = server.addTable('hr', 'people', []);
    server.catalogue.insert('database_role_members', { role_principal_id: 16390, member_principal_id: 5 });
    const { grants, complete } = (await session.permissions(String(id))) ?? expect.unreachable();
    expect(complete).toBe(false);
    expect(grants).toContainEqual({
      principal: 'reader',
      principalKind: 'user',
      external: false,
      role: 'read',
      inherited: true,
    });
    expect(await session.permissions('1')).toBeNull();
  });
});

describe('labels', () => {
  const classify = (id: number, label: string | null, labelId: string | null, rank: number | null) =>
    server.catalogue.insert('sensitivity_classifications', {
      class: 1,
      major_id: id,
      minor_id: 1,
      label,
      label_id: labelId,
      rank,
    });

  test('of a table are those of its column of the highest rank', async () => {
    const id = server.addTable('hr', 'people', []);
    classify(id, 'General', 'guid-1', 10);
    classify(id, 'Highly Confidential', 'guid-2', 40);
    classify(id, null, null, null);
    expect(await session.label(String(id))).toEqual({
      state: 'labeled',
      labelGuid: 'guid-2',
      labelName: 'Highly Confidential',
    });
    expect(await session.labels()).toEqual([
      { guid: 'guid-1', name: 'General' },
      { guid: 'guid-2', name: 'Highly Confidential' },
    ]);
  });

  test('are unknown without the right to see them, and where the release has none', async () => {
    const id = String(server.addTable('hr', 'people', []));
    expect(await session.label(id)).toEqual({ state: 'unknown' });
    server.rights.add('DATABASE [crm] VIEW ANY SENSITIVITY CLASSIFICATION');
    expect(await session.label(id)).toEqual({ state: 'unlabeled' });
    server.faults.set('sensitivity_classifications', { number: 208, message: 'Invalid object name.' });
    expect(await session.label(id)).toEqual({ state: 'unknown' });
    expect(await session.labels()).toEqual([]);
  });
});

describe('a sample', () => {
  const sampleOf = async (id: number, bounds = BOUNDS) => {
    const read = await session.sample(String(id), bounds);
    return read.state === 'read' ? read.sample : expect.unreachable(read.state);
  };

  test('has names, types, keys, comments and all rows of a small table', async () => {
    const id = server.addTable('hr', 'people] of [all', [
      [1, 'Ada'],
      [2, 'x'.repeat(5_000)],
    ]);
    server.catalogue.insert('extended_properties', {
      class: 1,
      major_id: id,
      minor_id: 2,
      name: 'MS_Description',
      value: 'What we know',
    });
    const sample = await sampleOf(id);
    expect(sample).toMatchObject({
      database: 'crm',
      schema: 'hr',
      table: 'people] of [all',
      kind: 'table',
      comment: null,
      columns: [
        { name: 'id', type: 'int', comment: null, key: 'primary', masked: false },
        { name: 'note', type: 'nvarchar(80)', comment: 'What we know', key: null, masked: false },
      ],
      rows: [
        ['1', 'Ada'],
        ['2', 'x'.repeat(4_096)],
      ],
      estimatedRows: 2,
    });
  });

  test('of a large table comes from blocks in all its parts, and again the same', async () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => [at, `row ${at}`] as const);
    const id = server.addTable('hr', 'visits', rows);
    const sample = await sampleOf(id, { ...BOUNDS, maxRows: 500 });
    const blocks = new Set(sample.rows.map(([row]) => Math.floor(Number(row) / ROWS_IN_BLOCK)));
    expect(blocks.size).toBeLessThanOrEqual(10);
    expect(Math.max(...blocks)).toBeGreaterThan(200);
    expect(await sampleOf(id, { ...BOUNDS, maxRows: 500 })).toEqual(sample);
    expect(await sampleOf(id, { ...BOUNDS, maxRows: 500, seed: 2 })).not.toEqual(sample);
  });

  test('favours no end of a large table', async () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => [at, 'x'] as const);
    const id = server.addTable('hr', 'visits', rows);
    const places: number[] = [];
    for (let seed = 1; seed <= 20; seed++)
      places.push(...(await sampleOf(id, { ...BOUNDS, seed })).rows.map(([row]) => Number(row)));
    const middle = places.reduce((sum, place) => sum + place, 0) / places.length;
    expect(middle).toBeGreaterThan(40_000);
    expect(middle).toBeLessThan(60_000);
  });

  test('has the first rows if the table takes no sample of blocks', async () => {
    const id = server.addTable(
      'hr',
      'visits',
      Array.from({ length: 500 }, (_, at) => [at, 'x'] as const),
    );
    server.faults.set('TABLESAMPLE', {
      number: 494,
      message: 'The TABLESAMPLE clause can only be used with local tables.',
    });
    expect((await sampleOf(id, { ...BOUNDS, maxRows: 10 })).rows).toHaveLength(10);
  });

  test('ends when there are enough characters', async () => {
    const id = server.addTable(
      'hr',
      'visits',
      Array.from({ length: 50 }, (_, at) => [at, 'x'.repeat(98)] as const),
    );
    expect((await sampleOf(id, { ...BOUNDS, maxBytes: 1_000 })).rows).toHaveLength(11);
  });

  test('names what a mask or encryption hides', async () => {
    const id = server.addTable('hr', 'people', [[1, 'xxxx']]);
    server.catalogue.update('columns', { is_masked: 1 }, { object_id: id, name: 'note' });
    const masked = async () => (await sampleOf(id)).columns.map((column) => column.masked);
    expect(await masked()).toEqual([false, true]);
    server.rights.add('OBJECT [hr].[people] UNMASK');
    expect(await masked()).toEqual([false, false]);
    server.rights.clear();
    server.rights.add('DATABASE [crm] UNMASK');
    expect(await masked()).toEqual([false, false]);
    server.catalogue.update('columns', { encryption_type: 1 }, { object_id: id, name: 'note' });
    const sample = await sampleOf(id);
    expect(sample.columns[1]).toMatchObject({ masked: true });
    expect(sample.rows).toEqual([['1', null]]);
  });

  test('says whether row security hides rows', async () => {
    const id = server.addTable('hr', 'people', [[1, 'Ada']]);
    expect(await sampleOf(id)).toMatchObject({ allRowsVisible: null });
    server.rights.add('DATABASE [crm] VIEW DEFINITION');
    expect(await sampleOf(id)).toMatchObject({ allRowsVisible: true });
    server.catalogue.insert('security_policies', { object_id: 77, is_enabled: 0 });
    server.catalogue.insert('security_predicates', {
      object_id: 77,
      target_object_id: id,
      predicate_type: 0,
    });
    expect(await sampleOf(id)).toMatchObject({ allRowsVisible: true });
    server.catalogue.update('security_policies', { is_enabled: 1 }, { object_id: 77 });
    expect(await sampleOf(id)).toMatchObject({ allRowsVisible: false });
  });

  test('of a table that is denied or gone meanwhile says so', async () => {
    const id = server.addTable('hr', 'people', [[1, 'Ada']]);
    server.faults.set('FROM [hr].[people]', {
      number: 229,
      message: 'The SELECT permission was denied on Ada.',
    });
    expect(await session.sample(String(id), BOUNDS)).toEqual({ state: 'denied' });
    server.faults.set('FROM [hr].[people]', { number: 208, message: 'Invalid object name.' });
    expect(await session.sample(String(id), BOUNDS)).toEqual({ state: 'gone' });
    expect(await session.sample('1', BOUNDS)).toEqual({ state: 'gone' });
  });

  test.each([
    [1222, 'sql_locked'],
    [1205, 'sql_interrupted'],
    [40501, 'sql_too_many_connections'],
    [8134, 'sql_refused'],
  ])('that fails with %i is %s, without a word of the server', async (number, diagnostic) => {
    const id = server.addTable('hr', 'people', [[1, 'Ada']]);
    server.faults.set('FROM [hr].[people]', { number, message: 'Ada in hr.people' });
    const error = await refusal(session.sample(String(id), BOUNDS));
    expect(error).toMatchObject({ safeDiagnostic: diagnostic });
    expect(JSON.stringify([String(error), error])).not.toMatch(/Ada|people/);
  });

  test('that the server does not finish is cancelled after its bound', async () => {
    const id = server.addTable('hr', 'people', [[1, 'Ada']]);
    server.stuck.add('FROM [hr].[people]');
    const started = performance.now();
    expect(await refusal(session.sample(String(id), BOUNDS))).toMatchObject({
      safeDiagnostic: 'sql_statement_timeout',
      retryClass: 'transient',
    });
    expect(performance.now() - started).toBeGreaterThan(4_900);
  });
});
