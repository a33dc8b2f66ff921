import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SourceItem } from '../../core/connectors/connector.ts';
import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { TableSample } from '../../core/kernel/table-sample.ts';
import { expectSafe, refusal, walkAll } from '../contract/connector.exercise.ts';
import { createPostgresSource, holding, type PostgresSource } from '../support/sql/postgres-source.ts';

const live = new AbortController().signal;
const ENOUGH = 10_000_000;
const NOW = Date.parse('2026-11-27T12:00:00Z');

let source: PostgresSource;
beforeAll(async () => {
  source = await createPostgresSource();
});
afterAll(() => source.close());
beforeEach(async () => {
  await source.run(
    'drop schema if exists shop, closed cascade',
    'create schema shop',
    'create schema closed',
    `grant usage on schema shop to ${source.reader}`,
  );
});

/** Each connector opens sessions of its own. */
const connect = (more: { connection?: () => string | null; schemas?: string[]; now?: number } = {}) =>
  createSqlConnector({
    connection: more.connection ?? (() => source.connection),
    schemas: more.schemas ?? ['shop'],
    clock: () => more.now ?? NOW,
  });
const items = async (more?: Parameters<typeof connect>[0]) =>
  (await walkAll(connect(more), source.scopeId, live)).items;
const itemOf = async (name: string, more?: Parameters<typeof connect>[0]): Promise<SourceItem> =>
  (await items(more)).find((item) => item.name === name) ?? expect.unreachable(name);
const readable = (table: string) => `grant select on ${table} to ${source.reader}`;
const read = async (table: string, more?: Parameters<typeof connect>[0]) => {
  const id = await source.idOf(table);
  const content = await connect(more).readContent(source.scopeId, id, ENOUGH, live);
  return content.state === 'available'
    ? TableSample.parse(JSON.parse(new TextDecoder().decode(content.bytes)))
    : content.state;
};
const sample = async (table: string, more?: Parameters<typeof connect>[0]) => {
  const content = await read(table, more);
  return typeof content === 'string' ? expect.unreachable(content) : content;
};
const grantsOf = async (table: string) => {
  const id = await source.idOf(table);
  const permissions = await connect().getPermissions(source.scopeId, id, live);
  return permissions === 'denied' ? expect.unreachable(permissions) : permissions;
};
const diagnosticOf = async (attempt: Promise<unknown>) => {
  const error = await refusal(attempt);
  expectSafe(error, [source.database, source.reader, '127.0.0.1', 'shop', 'p@ss']);
  return (error as { safeDiagnostic: string }).safeDiagnostic;
};
const firstPage = (more?: Parameters<typeof connect>[0]) =>
  connect(more).listItems(source.scopeId, null, live);

describe('what is listed', () => {
  test('is tables and views of the selected schemas, a table in parts once', async () => {
    await source.run(
      'create table shop.plain (id int)',
      'create table shop.parts (id int) partition by range (id)',
      'create table shop.part_1 partition of shop.parts for values from (0) to (10)',
      'create table shop.part_2 partition of shop.parts for values from (10) to (20)',
      'create view shop.seen as select 1 as one',
      'create materialized view shop.kept as select 1 as one',
      'create sequence shop.counter',
      'create table closed.other (id int)',
    );
    const found = await items();
    expect(found.map(({ path, kind }) => [path, kind])).toEqual([
      ['shop/plain', 'table'],
      ['shop/parts', 'table'],
      ['shop/seen', 'table'],
      ['shop/kept', 'table'],
    ]);
    expect((await items({ schemas: ['*'] })).map(({ path }) => path)).toContain('closed/other');
    const other = await source.idOf('closed.other');
    expect(await connect().getItem(source.scopeId, other, live)).toBeNull();
    expect(await connect().readContent(source.scopeId, other, ENOUGH, live)).toEqual({
      state: 'inaccessible',
    });
    expect(await connect().getPermissions(source.scopeId, other, live)).toEqual({
      grants: [],
      complete: false,
    });
  });

  test('is no table of the system, also for all schemas', async () => {
    const found = await items({ schemas: ['*'] });
    expect(found.filter(({ path }) => /^(?:pg_|information_schema)/.test(path))).toEqual([]);
    const system = await source.idOf('pg_catalog.pg_class');
    expect(await connect({ schemas: ['*'] }).getItem(source.scopeId, system, live)).toBeNull();
  });

  test('has a table that was not granted, and its content is inaccessible', async () => {
    await source.run('create table shop.secret (id int)', 'insert into shop.secret values (1)');
    expect((await items()).map(({ name }) => name)).toEqual(['secret']);
    expect(await read('shop.secret')).toBe('inaccessible');
  });

  test('a schema that does not exist is refused, and is no empty database', async () => {
    expect(await diagnosticOf(firstPage({ schemas: ['shop', 'shopp'] }))).toBe('sql_schema_not_found');
  });
});

describe('versions', () => {
  const versions = async () => {
    const { sourceVersion, contentVersion } = await itemOf('orders');
    return { sourceVersion, contentVersion };
  };
  const changedBy = async (...statements: string[]) => {
    const before = await versions();
    await source.run(...statements);
    const after = await versions();
    return {
      source: before.sourceVersion !== after.sourceVersion,
      content: before.contentVersion !== after.contentVersion,
    };
  };
  beforeEach(() =>
    source.run(
      'create table shop.orders (id int primary key, note text)',
      "insert into shop.orders values (1, 'a')",
    ),
  );

  test.each([
    ['a row that is added', "insert into shop.orders values (2, 'b')"],
    ['a row that is changed', "update shop.orders set note = 'c'"],
    ['a row that is deleted', 'delete from shop.orders'],
    ['all rows that are taken out', 'truncate shop.orders'],
    ['a column', 'alter table shop.orders add more int'],
    ['the name of a column', 'alter table shop.orders rename note to remark'],
    ['a type', 'alter table shop.orders alter note type varchar(80)'],
    ['a comment', "comment on table shop.orders is 'what was bought'"],
    ['a comment of a column', "comment on column shop.orders.note is 'free text'"],
    ['a key', 'alter table shop.orders add foreign key (id) references shop.orders'],
  ])('%s changes both', async (_, statement) => {
    expect(await changedBy(statement)).toEqual({ source: true, content: true });
  });

  test.each([
    ['a grant', () => `grant select on shop.orders to ${source.reader}`],
    ['a grant of a column', () => `grant select (id) on shop.orders to ${source.reader}`],
    ['a grant on the schema', () => 'grant usage on schema shop to public'],
    ['row security', () => 'alter table shop.orders enable row level security'],
    ['a policy', () => 'create policy p on shop.orders using (true)'],
    ['another schema', () => 'alter table shop.orders set schema closed'],
  ])('%s changes that of the item alone', async (name, statement) => {
    if (name === 'another schema') {
      const before = await itemOf('orders', { schemas: ['*'] });
      await source.run(statement());
      const after = await itemOf('orders', { schemas: ['*'] });
      expect(after).toMatchObject({ externalId: before.externalId, contentVersion: before.contentVersion });
      expect(after.sourceVersion).not.toBe(before.sourceVersion);
      return;
    }
    expect(await changedBy(statement())).toEqual({ source: true, content: false });
  });

  test.each([['analyze shop.orders'], ['vacuum shop.orders'], ['create table shop.unrelated (id int)']])(
    '%s changes neither',
    async (statement) => {
      expect(await changedBy(statement)).toEqual({ source: false, content: false });
    },
  );

  test('a row in a part of a table changes the table', async () => {
    await source.run(
      'create table shop.parts (id int) partition by range (id)',
      'create table shop.part_1 partition of shop.parts for values from (0) to (10)',
    );
    const before = await itemOf('parts');
    await source.run('insert into shop.parts values (1)');
    expect((await itemOf('parts')).contentVersion).not.toBe(before.contentVersion);
  });

  test('a table is due again after a week, a view after a day', async () => {
    await source.run('create view shop.seen as select 1 as one');
    const day = 24 * 3_600_000;
    const at = async (days: number) => {
      const found = await items({ now: NOW + days * day });
      return found.map(({ name, contentVersion }) => [name, contentVersion]);
    };
    const [before, tomorrow, later] = [await at(0), await at(1), await at(7)];
    const same = (a: typeof before, b: typeof before) => a.filter((one, n) => one[1] === b[n]?.[1]).length;
    expect(tomorrow[1]).not.toEqual(before[1]);
    expect(same(before, later)).toBe(0);
  });
});

describe('a sample', () => {
  test('has the structure as the database writes it, with comments and keys', async () => {
    await source.run(
      'create table shop.people (id int primary key, name varchar(80))',
      `create table shop.orders (
         id int primary key, person int references shop.people, total numeric(10, 2), placed timestamptz, raw bytea)`,
      "comment on table shop.orders is 'what was bought'",
      "comment on column shop.orders.total is 'in EUR'",
      "insert into shop.people values (1, 'Ada')",
      `insert into shop.orders values (7, 1, 12.50, '2026-01-02T03:04:05Z', '\\x00ff41'), (8, null, null, null, null)`,
      'analyze shop.orders',
      readable('shop.orders'),
    );
    const column = (name: string, type: string, more = {}) => {
      return { name, type, comment: null, key: null, masked: false, ...more };
    };
    expect(await sample('shop.orders')).toEqual({
      database: source.database,
      schema: 'shop',
      table: 'orders',
      kind: 'table',
      comment: 'what was bought',
      columns: [
        column('id', 'integer', { key: 'primary' }),
        column('person', 'integer', { key: 'foreign' }),
        column('total', 'numeric(10,2)', { comment: 'in EUR' }),
        column('placed', 'timestamp with time zone'),
        column('raw', 'bytea'),
      ],
      rows: [
        ['7', '1', '12.50', '2026-01-02 03:04:05+00', '\\x00ff41'],
        ['8', null, null, null, null],
      ],
      estimatedRows: 2,
      allRowsVisible: true,
    });
  });

  test('quotes what the catalogue says, whatever it is', async () => {
    const names = ['a"; drop table shop.kept; --', "it's", '$1', 'tab\tle', 'Großbuchstaben', '🗂', 'select'];
    const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
    await source.run('create table shop.kept (id int)');
    for (const name of names)
      await source.run(
        `create table shop.${quote(name)} (${quote(name)} text)`,
        `insert into shop.${quote(name)} values ('read')`,
        readable(`shop.${quote(name)}`),
      );
    for (const item of await items()) {
      if (item.name === 'kept') continue;
      const content = await connect().readContent(source.scopeId, item.externalId, ENOUGH, live);
      if (content.state !== 'available') return expect.unreachable(item.name);
      const { table, columns, rows } = JSON.parse(new TextDecoder().decode(content.bytes));
      expect([names.includes(table), columns[0].name, rows]).toEqual([true, table, [['read']]]);
    }
    expect((await items()).map(({ name }) => name)).toContain('kept');
  });

  test('is no rows of a table that inherits from it', async () => {
    await source.run(
      'create table shop.base (id int)',
      'create table shop.child () inherits (shop.base)',
      'insert into shop.base values (1)',
      'insert into shop.child values (2)',
      readable('shop.base'),
    );
    expect((await sample('shop.base')).rows).toEqual([['1']]);
  });

  test('has rows of each part of a table, and of what was kept of a view', async () => {
    await source.run(
      'create table shop.parts (id int) partition by range (id)',
      'create table shop.part_1 partition of shop.parts for values from (0) to (10)',
      'create table shop.part_2 partition of shop.parts for values from (10) to (20)',
      'insert into shop.parts values (1), (11)',
      'analyze shop.parts',
      'create materialized view shop.kept as select id from shop.parts',
      'create materialized view shop.never as select id from shop.parts with no data',
      ...['parts', 'kept', 'never'].map((name) => readable(`shop.${name}`)),
    );
    expect(await sample('shop.parts')).toMatchObject({
      rows: [['1'], ['11']],
      estimatedRows: 2,
      kind: 'table',
    });
    expect((await sample('shop.kept')).rows).toEqual([['1'], ['11']]);
    expect(await read('shop.never')).toBe('inaccessible');
  });

  test('cuts long values, and has as many rows as there is room for', async () => {
    await source.run(
      'create table shop.long (words text, raw bytea, j jsonb)',
      `insert into shop.long select repeat('ü', 2000000), decode(repeat('ab', 2000000), 'hex'), to_jsonb(repeat('x', 9000))
         from generate_series(1, 60)`,
      readable('shop.long'),
    );
    const whole = await sample('shop.long');
    expect(whole.rows).toHaveLength(60);
    expect(whole.rows[0]?.map((value) => value?.length)).toEqual([4_096, 4_096, 4_096]);
    const id = await source.idOf('shop.long');
    const small = await connect().readContent(source.scopeId, id, 100_000, live);
    if (small.state !== 'available') return expect.unreachable(small.state);
    expect(small.bytes.length).toBeLessThanOrEqual(100_000);
    expect(JSON.parse(new TextDecoder().decode(small.bytes)).rows).toHaveLength(6);
  });

  test('a table without columns and one without rows are read', async () => {
    await source.run('create table shop.bare ()', 'create table shop.empty (id int)');
    await source.run(readable('shop.bare'), readable('shop.empty'));
    expect(await sample('shop.bare')).toMatchObject({ columns: [], rows: [] });
    expect(await sample('shop.empty')).toMatchObject({ rows: [], estimatedRows: 0 });
  });

  test('has all rows of a small table, whatever the statistics say', async () => {
    await source.run(
      'create table shop.never (id int)',
      'insert into shop.never select generate_series(1, 999)',
      'create table shop.full (id int)',
      'insert into shop.full select generate_series(1, 1000)',
      'create table shop.shrunk (id int)',
      'insert into shop.shrunk select generate_series(1, 3000)',
      'analyze shop.shrunk',
      'delete from shop.shrunk where id > 7',
      ...['never', 'full', 'shrunk'].map((name) => readable(`shop.${name}`)),
    );
    for (const [name, rows] of [
      ['never', 999],
      ['full', 1_000],
      ['shrunk', 7],
    ] as const) {
      const read = await sample(`shop.${name}`);
      expect([name, read.rows.length, read.estimatedRows]).toEqual([name, rows, rows]);
    }
  });

  test('is a part of a table that grew after it was analysed', async () => {
    await source.run(
      'create table shop.grown (id int, words text)',
      "insert into shop.grown select n, 'x' from generate_series(1, 5) n",
      'analyze shop.grown',
      "insert into shop.grown select n, repeat('x', 200) from generate_series(1, 1500) n",
      'create table shop.outgrown (id int, words text)',
      "insert into shop.outgrown select n, 'x' from generate_series(1, 5) n",
      'analyze shop.outgrown',
      "insert into shop.outgrown select n, repeat('x', 200) from generate_series(1, 20000) n",
      ...['grown', 'outgrown'].map((name) => readable(`shop.${name}`)),
    );
    for (const name of ['grown', 'outgrown']) {
      const read = await sample(`shop.${name}`);
      expect(read.rows.length).toBeGreaterThan(100);
      expect([name, read.estimatedRows]).toEqual([name, null]);
    }
  });

  test('reads less than one in a hundred blocks of a large table', async () => {
    await source.run(
      'create table shop.large (id int, words text)',
      `insert into shop.large select n, repeat('x', 200) from generate_series(1, 200000) n`,
      'vacuum analyze shop.large',
      readable('shop.large'),
    );
    const touched = async () => {
      const [row] = await source.run<{ touched: number; blocks: number }>(`
        select (heap_blks_read + heap_blks_hit)::int as touched, relpages as blocks
          from pg_statio_user_tables s join pg_class c on c.oid = s.relid where s.relname = 'large'`);
      return row ?? expect.unreachable();
    };
    const before = await touched();
    const { rows } = await sample('shop.large');
    expect(before.blocks).toBeGreaterThan(5_000);
    await expect.poll(async () => (await touched()).touched - before.touched).toBeGreaterThan(0);
    expect((await touched()).touched - before.touched).toBeLessThan(before.blocks / 100);
    expect(rows.length).toBeGreaterThan(100);
    // They are from all over the table, and the same ones again.
    const ids = rows.map(([id]) => Number(id));
    expect(Math.max(...ids) - Math.min(...ids)).toBeGreaterThan(100_000);
    expect((await sample('shop.large')).rows).toEqual(rows);
    expect((await sample('shop.large', { now: NOW + 8 * 24 * 3_600_000 })).rows).not.toEqual(rows);
  });

  test('finds the rows that are left where statistics are old', async () => {
    await source.run(
      'create table shop.shrunk (id int, words text)',
      `insert into shop.shrunk select n, repeat('x', 200) from generate_series(1, 40000) n`,
      'analyze shop.shrunk',
      'delete from shop.shrunk where id > 30',
      'vacuum shop.shrunk',
      `update pg_class set reltuples = 40000000 where relname = 'shrunk'`,
      readable('shop.shrunk'),
    );
    expect((await sample('shop.shrunk')).rows).toHaveLength(30);
  });
});

describe('what a login may not see', () => {
  test('rows that row security hides are reported, and not taken for all', async () => {
    await source.run(
      'create table shop.staff (id int, unit text)',
      "insert into shop.staff values (1, 'mine'), (2, 'theirs')",
      'alter table shop.staff enable row level security',
      `create policy p on shop.staff to ${source.reader} using (unit = 'mine')`,
      'create view shop.seen with (security_invoker) as select * from shop.staff',
      readable('shop.staff'),
      readable('shop.seen'),
    );
    const mine = { rows: [['1', 'mine']], allRowsVisible: false };
    expect(await sample('shop.staff')).toMatchObject(mine);
    expect(await sample('shop.seen')).toMatchObject({ ...mine, kind: 'view' });
    await source.run(`alter role ${source.reader} bypassrls`);
    expect(await sample('shop.staff')).toMatchObject({ allRowsVisible: true });
    await source.run(`alter role ${source.reader} nobypassrls`);
  });

  test('a column that was not granted is masked, and the others are read', async () => {
    await source.run(
      'create table shop.staff (id int, salary int, name text)',
      "insert into shop.staff values (1, 5000, 'Ada')",
      `grant select (id, name) on shop.staff to ${source.reader}`,
    );
    const { columns, rows } = await sample('shop.staff');
    expect(columns.map(({ name, masked }) => [name, masked])).toEqual([
      ['id', false],
      ['salary', true],
      ['name', false],
    ]);
    expect(rows).toEqual([['1', null, 'Ada']]);
  });

  test.each([
    ['a setting that its session has not', `current_setting('shop.unit')`],
    ['a function that finds nothing', 'shop.unit()'],
  ])('a table whose policy asks for %s is inaccessible', async (_, unit) => {
    await source.run(
      'create table shop.staff (id int, unit text)',
      `create function shop.unit() returns text language plpgsql as 'begin return (select max(unit) from units); end'`,
      'alter table shop.staff enable row level security',
      `create policy p on shop.staff using (unit = ${unit})`,
      "insert into shop.staff values (1, 'mine')",
      readable('shop.staff'),
    );
    expect(await read('shop.staff')).toBe('inaccessible');
  });
});

describe('what a view does', () => {
  test('nothing is written, whatever it calls', async () => {
    await source.run(
      'create table shop.log (at timestamptz)',
      `create function closed.writes() returns int language sql as 'insert into shop.log values (now()) returning 1'`,
      // It says that it only reads, and calls what does not.
      `create function shop.calls() returns int language plpgsql stable security definer
         as 'begin return closed.writes(); end'`,
      'create view shop.trap as select shop.calls() as one',
      readable('shop.trap'),
    );
    expect(await read('shop.trap')).toBe('inaccessible');
    expect(await source.run('select from shop.log')).toEqual([]);
  });

  test('one that fails or never ends is inaccessible, and nothing of it goes on', async () => {
    await source.run(
      'create view shop.broken as select 1 / (random() * 0)::int as one',
      'create view shop.slow as select pg_sleep(3600)::text as one',
      ...['broken', 'slow'].map((name) => readable(`shop.${name}`)),
    );
    expect(await read('shop.broken')).toBe('inaccessible');
    expect(await read('shop.slow')).toBe('inaccessible');
    expect(await running()).toEqual([]);
  });
});

/** Statements of the service that the server still runs. */
const running = () =>
  source.run(`select query from pg_stat_activity where usename = '${source.reader}' and state = 'active'`);

describe('a lock of somebody else', () => {
  test('on a table delays no listing, and its sample is tried again later', async () => {
    await source.run('create table shop.busy (id int)', 'create table shop.free (id int)');
    await source.run(readable('shop.busy'), readable('shop.free'));
    const busy = await source.idOf('shop.busy');
    const lock = await holding(source.adminUrl, 'lock table shop.busy in access exclusive mode');
    try {
      expect((await items()).map(({ name }) => name)).toEqual(['busy', 'free']);
      const connector = connect();
      expect((await grantsOf('shop.free')).complete).toBe(true);
      expect(await connector.getItem(source.scopeId, busy, live)).not.toBeNull();
      expect(await connector.getPermissions(source.scopeId, busy, live)).toMatchObject({ complete: true });
      const waited = connector.readContent(source.scopeId, busy, ENOUGH, live);
      expect(await diagnosticOf(waited)).toBe('sql_locked');
      expect(await running()).toEqual([]);
      expect((await sample('shop.free')).rows).toEqual([]);
    } finally {
      await lock.done();
    }
  });

  test('on the catalogue ends a statement too', async () => {
    const connector = connect();
    await connector.listItems(source.scopeId, null, live);
    const lock = await holding(source.adminUrl, 'lock table pg_catalog.pg_policy in access exclusive mode');
    try {
      expect(await diagnosticOf(connector.listItems(source.scopeId, null, live))).toBe('sql_locked');
      expect(await running()).toEqual([]);
    } finally {
      await lock.done();
    }
  });
});

describe('who can read', () => {
  test('is the owner, superusers and grantees, and everyone is the organisation', async () => {
    const group = `${source.database}_group`;
    await source.run(
      `create role ${group}`,
      'create table shop.open (id int)',
      `grant select on shop.open to ${source.reader}`,
      `grant select, insert on shop.open to ${group}`,
      'grant select on shop.open to public',
      'grant usage on schema shop to public',
    );
    const { grants, complete } = await grantsOf('shop.open');
    await source.run(`drop owned by ${group}`, `drop role ${group}`);
    expect(complete).toBe(true);
    expect(grants.every(({ external }) => !external)).toBe(true);
    const byName = new Map(grants.map(({ principal, external: _, ...grant }) => [principal, grant]));
    expect(byName.get('Every login of the database (PUBLIC)')).toEqual({
      principalKind: 'organization',
      role: 'read',
      inherited: false,
    });
    expect(byName.get(source.reader)).toEqual({ principalKind: 'user', role: 'read', inherited: false });
    expect(byName.get(group)).toEqual({ principalKind: 'group', role: 'write', inherited: false });
    expect(byName.get('postgres')).toEqual({ principalKind: 'user', role: 'owner', inherited: false });
  });

  test('without a grant is the owner alone, and never nobody', async () => {
    await source.run('create table shop.mine (id int)');
    const { grants } = await grantsOf('shop.mine');
    expect(grants.map(({ principal, role }) => [principal, role])).toEqual([['postgres', 'owner']]);
  });

  test('of who may not use the schema, or whose rows are filtered, is unconfirmed', async () => {
    await source.run(
      'create table shop.open (id int)',
      'create table shop.rows (id int)',
      'alter table shop.rows enable row level security',
      'grant select on shop.open to public',
      readable('shop.rows'),
    );
    const of = async (table: string, principal: string) =>
      (await grantsOf(table)).grants.find((grant) => grant.principal === principal);
    expect(await of('shop.open', 'Every login of the database (PUBLIC)')).toMatchObject({
      unconfirmed: true,
    });
    expect(await of('shop.rows', source.reader)).toMatchObject({ unconfirmed: true });
    expect(await of('shop.rows', 'postgres')).not.toHaveProperty('unconfirmed');
  });

  test('is also who got a column, or reads all data of the server', async () => {
    const all = `${source.database}_all`;
    await source.run(
      `create role ${all} in role pg_read_all_data`,
      'create table shop.part (id int, name text)',
      `grant select (id) on shop.part to ${source.reader}`,
    );
    const { grants } = await grantsOf('shop.part');
    await source.run(`drop role ${all}`);
    expect(
      grants.map(({ principal, principalKind, role, inherited }) => [
        principal,
        principalKind,
        role,
        inherited,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [source.reader, 'user', 'read', false],
        ['pg_read_all_data', 'group', 'read', true],
      ]),
    );
  });
});

describe('a login that can write', () => {
  const group = () => `${source.database}_writers`;
  const reader = () => source.reader;
  test.each<[string, () => string[], () => string[]]>([
    ['a superuser', () => [`alter role ${reader()} superuser`], () => [`alter role ${reader()} nosuperuser`]],
    [
      'who makes databases',
      () => [`alter role ${reader()} createdb`],
      () => [`alter role ${reader()} nocreatedb`],
    ],
    [
      'who makes roles',
      () => [`alter role ${reader()} createrole`],
      () => [`alter role ${reader()} nocreaterole`],
    ],
    ...['insert', 'update', 'delete', 'truncate', 'trigger'].map(
      (right): [string, () => string[], () => string[]] => [
        `with ${right} on one table`,
        () => [`grant ${right} on shop.orders to ${reader()}`],
        () => [`revoke ${right} on shop.orders from ${reader()}`],
      ],
    ),
    [
      'through everyone',
      () => ['grant insert on closed.other to public'],
      () => ['revoke insert on closed.other from public'],
    ],
    [
      'with a column',
      () => [`grant update (id) on shop.orders to ${reader()}`],
      () => [`revoke update (id) on shop.orders from ${reader()}`],
    ],
    [
      'with a sequence',
      () => [`grant usage on sequence shop.counter to ${reader()}`],
      () => [`revoke usage on sequence shop.counter from ${reader()}`],
    ],
    [
      'who creates in a schema',
      () => [`grant create on schema closed to ${reader()}`],
      () => [`revoke create on schema closed from ${reader()}`],
    ],
    [
      'who creates schemas',
      () => [`grant create on database ${source.database} to ${reader()}`],
      () => [`revoke create on database ${source.database} from ${reader()}`],
    ],
    [
      'who owns a table',
      () => [`alter table shop.orders owner to ${reader()}`, `revoke all on shop.orders from ${reader()}`],
      () => ['alter table shop.orders owner to postgres'],
    ],
    [
      'in a role that writes, which it must switch to',
      () => [
        `create role ${group()}`,
        `grant insert on shop.orders to ${group()}`,
        `grant ${group()} to ${reader()} with inherit false`,
      ],
      () => [`drop owned by ${group()}`, `drop role ${group()}`],
    ],
    [
      'behind a default role that reads',
      () => [
        `create role ${group()}`,
        `grant usage on schema shop to ${group()}`,
        `grant ${group()} to ${reader()}`,
        `grant insert on shop.orders to ${reader()}`,
        `alter role ${reader()} set role to ${group()}`,
      ],
      () => [
        `alter role ${reader()} reset role`,
        `revoke insert on shop.orders from ${reader()}`,
        `drop owned by ${group()}`,
        `drop role ${group()}`,
      ],
    ],
    [
      'who gives a role to others',
      () => [`create role ${group()}`, `grant ${group()} to ${reader()} with admin option`],
      () => [`drop role ${group()}`],
    ],
    [
      'who gives a right to others',
      () => [`grant select on shop.orders to ${reader()} with grant option`],
      () => [`revoke grant option for select on shop.orders from ${reader()}`],
    ],
    [
      'who maintains a table',
      () => [`grant maintain on shop.orders to ${reader()}`],
      () => [`revoke maintain on shop.orders from ${reader()}`],
    ],
    [
      'who ends the sessions of others',
      () => [`grant pg_signal_backend to ${reader()}`],
      () => [`revoke pg_signal_backend from ${reader()}`],
    ],
    [
      'with a function that has the rights of its owner',
      () => [
        `create function shop.wipe() returns void language sql security definer as 'delete from shop.orders'`,
      ],
      () => ['revoke execute on function shop.wipe from public'],
    ],
    [
      'who may log in to another server as anybody',
      () => [
        'create foreign data wrapper remote_tables',
        'create server remote foreign data wrapper remote_tables',
        `grant usage on foreign server remote to ${reader()}`,
      ],
      () => ['drop foreign data wrapper remote_tables cascade'],
    ],
    [
      'who sets a parameter of superusers',
      () => [`grant set on parameter log_statement to ${reader()}`],
      () => [`revoke set on parameter log_statement from ${reader()}`],
    ],
    [
      'who configures the server, through everyone',
      () => ['grant alter system on parameter work_mem to public'],
      () => ['revoke alter system on parameter work_mem from public'],
    ],
    [
      'in the role that writes all data',
      () => [`grant pg_write_all_data to ${reader()}`],
      () => [`revoke pg_write_all_data from ${reader()}`],
    ],
  ])('%s is refused, and nothing is read', async (_, give, take) => {
    await source.run(
      'create table shop.orders (id int)',
      'create sequence shop.counter',
      'create table closed.other (id int)',
      readable('shop.orders'),
    );
    const id = await source.idOf('shop.orders');
    await source.run(...give());
    const attempts = [
      () => firstPage(),
      () => connect().getItem(source.scopeId, id, live),
      () => connect().getPermissions(source.scopeId, id, live),
      () => connect().readContent(source.scopeId, id, ENOUGH, live),
    ];
    for (const attempt of attempts) expect(await diagnosticOf(attempt())).toBe('sql_login_can_write');
    await source.run(...take());
    expect((await firstPage()).items).toHaveLength(1);
  });

  test('is also one that cannot be checked', async () => {
    await source.run(`revoke select on pg_catalog.pg_roles from public`);
    expect(await diagnosticOf(firstPage())).toBe('sql_login_unchecked');
    await source.run(`grant select on pg_catalog.pg_roles to public`);
    expect((await firstPage()).items).toEqual([]);
  });

  test('temporary tables and the right to see past row security are no writing', async () => {
    await source.run(
      // None of these can write, or be called by the login.
      `create function shop.total() returns int language sql stable security definer as 'select 1'`,
      `create function closed.wipe() returns void language sql security definer as 'select'`,
      `create function shop.plain() returns void language sql as 'select'`,
      `grant temporary on database ${source.database} to ${reader()}`,
      `alter role ${reader()} bypassrls`,
    );
    expect((await firstPage()).items).toEqual([]);
    await source.run(`alter role ${reader()} nobypassrls`);
  });
});

describe('a connection', () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(source.connection);
    change(url);
    return url.href;
  };
  const listed = (connection: string) => {
    const connector = connect({ connection: () => connection });
    const [scopeId = ''] = connector.scopeIds;
    return connector.listItems(scopeId, null, live);
  };
  const sessions = async () => {
    const rows = await source.run<{ pid: number }>(
      `select pid from pg_stat_activity where usename = '${source.reader}' and application_name = 'data-governance'`,
    );
    return rows.length;
  };

  test.each<[string, (url: URL) => void, string]>([
    ['without TLS to a server that has none', (url) => url.searchParams.delete('sslmode'), 'sql_tls_refused'],
    ['with another password', (url) => Object.assign(url, { password: 'wrong' }), 'sql_login_refused'],
    [
      'without a password',
      (url) => {
        vi.stubEnv('PGPASSWORD', decodeURIComponent(url.password));
        url.password = '';
      },
      'sql_login_refused',
    ],
    ['to no database', (url) => Object.assign(url, { pathname: '/nowhere' }), 'sql_database_not_found'],
    ['to nobody', (url) => Object.assign(url, { port: '1' }), 'sql_unreachable'],
  ])('%s says what is wrong', async (_, change, diagnostic) => {
    expect(await diagnosticOf(listed(changed(change)))).toBe(diagnostic);
    vi.unstubAllEnvs();
  });

  test('keeps its bounds, whatever functions its login finds first', async () => {
    await source.run(
      'create table shop.staff (id int)',
      'alter table shop.staff enable row level security',
      readable('shop.staff'),
      `create function shop.set_config(text, text, bool) returns text language sql as 'select $2'`,
      `alter role ${source.reader} set search_path = shop, pg_catalog`,
    );
    const found = await sample('shop.staff');
    await source.run(`alter role ${source.reader} reset search_path`);
    expect(found).toMatchObject({ allRowsVisible: false });
  });

  test('that the database refuses is a refused scope', async () => {
    await source.run(`revoke connect on database ${source.database} from public`);
    const error = await refusal(firstPage());
    await source.run(`grant connect on database ${source.database} to public`);
    expect(error).toMatchObject({ name: 'ScopeRefused', reason: 'denied', retryClass: 'auth' });
  });

  test('uses the secret of today, without a new connector', async () => {
    let connection = source.connection;
    const connector = connect({ connection: () => connection });
    expect((await connector.listItems(source.scopeId, null, live)).items).toEqual([]);
    await source.run(
      `alter role ${source.reader} password 'another'`,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${source.reader}'`,
    );
    await expect.poll(sessions).toBe(0);
    expect(await diagnosticOf(connector.listItems(source.scopeId, null, live))).toBe('sql_login_refused');
    connection = changed((url) => Object.assign(url, { password: 'another' }));
    expect((await connector.listItems(source.scopeId, null, live)).items).toEqual([]);
    await source.run(`alter role ${source.reader} password 'p@ss/w:rd #1'`);
  });

  test('serves at most four calls at a time, and ends when nobody needs it', async () => {
    const connector = connect();
    await source.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${source.reader}'`,
    );
    await expect.poll(sessions).toBe(0);
    await Promise.all(Array.from({ length: 12 }, () => connector.listItems(source.scopeId, null, live)));
    expect(await sessions()).toBeLessThanOrEqual(4);
    await expect.poll(sessions).toBe(0);
  });
});
