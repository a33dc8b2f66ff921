import { chown, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { selfSigned } from '../support/certificate.ts';
import { startTestCluster } from '../support/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { examine, outcomeOf } from '../support/examine.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  // A copy of a database does not hold the rights on the database itself.
  await migrate(database.ownerUrl, { runtimeLogin: 'test_runtime' });
});
beforeEach(() => {
  env = {
    SVC_ENV: 'development',
    SVC_DATABASE_URL: database.url,
    SVC_MIGRATION_DATABASE_URL: database.ownerUrl,
  };
});
afterAll(() => database.drop());

const asAdmin = (text: string, url = database.adminUrl) => withClient(url, (client) => client.query(text));
const check = (name: string, changes: Record<string, string> = {}) =>
  outcomeOf(`database.${name}`, { ...env, ...changes });
/** Another login of the same server. */
const loginOf = (url: string, name: string, password: string) => urlOf(url, { login: { name, password } });

test('a migrated database with its two logins passes every check but autovacuum', async () => {
  const outcomes = Object.entries(await examine(env, 'database', 'clock.database'));
  expect(outcomes.filter(([, { status }]) => status !== 'pass')).toEqual([
    ['database.statistics', expect.objectContaining({ status: 'warn', finding: 'Autovacuum is off.' })],
  ]);
});

describe('database.reachable', () => {
  test.each([
    ['a wrong password', () => loginOf(database.url, 'test_runtime', 'wrong-canary'), '28P01', 'password'],
    ['an unknown database', () => urlOf(database.url, { database: 'canary' }), '3D000', 'create-logins.sh'],
    ['no server', () => 'postgres://a:canary@127.0.0.1:1/canary', 'ECONNREFUSED', 'host and port'],
    [
      'an unknown host',
      () => 'postgres://a:canary@canary.invalid/canary',
      /ENOTFOUND|EAI_AGAIN/,
      'SVC_DATABASE_URL',
    ],
    ['what is no address', () => 'canary', /E[A-Z]+|Error/, 'SVC_DATABASE_URL'],
  ])('tells %s by its code, with the next step', async (_, url, code, step) => {
    const outcome = await check('reachable', { SVC_DATABASE_URL: url() });
    expect(outcome).toMatchObject({ status: 'fail', finding: expect.stringMatching(code) });
    expect(JSON.stringify(outcome)).toContain(step);
    expect(JSON.stringify(outcome)).not.toContain('canary');
  });

  test('without it, the other checks of the database are skipped', async () => {
    const outcomes = await examine({ ...env, SVC_DATABASE_URL: 'postgres://a@127.0.0.1:1/none' }, 'database');
    const others = Object.entries(outcomes).filter(([id]) => /^database\.(?!reachable)/.test(id));
    expect(others.length).toBeGreaterThan(5);
    expect(others.map(([, { status }]) => status)).toEqual(others.map(() => 'skipped'));
  });
});

test('a connection without TLS is a warning, unless it stays on the machine', async () => {
  expect((await check('encryption')).status).toBe('pass');
  // The system takes it for 127.0.0.1, and the doctor does not know that.
  const elsewhere = database.url.replace('127.0.0.1', '127.1');
  expect(await check('encryption', { SVC_DATABASE_URL: elsewhere })).toMatchObject({
    status: 'warn',
    nextSteps: [expect.stringContaining('sslmode=verify-full')],
  });
});

describe('database.schema', () => {
  test('fails where migrations are missing', async () => {
    await asAdmin(
      `create table kept as table schema_migrations; delete from schema_migrations where name like '0001%'`,
    );
    try {
      expect(await check('schema')).toMatchObject({
        status: 'fail',
        finding: 'The database lacks 1 migration of this release.',
        nextSteps: ['Run npm run migrate.'],
      });
    } finally {
      await asAdmin('truncate schema_migrations; insert into schema_migrations table kept; drop table kept');
    }
  });

  test('fails where nothing was ever migrated, and says so of the roles too', async () => {
    const empty = await createTestDatabase();
    try {
      const url = urlOf(empty.adminUrl, { database: `${new URL(empty.adminUrl).pathname.slice(1)}_new` });
      await ensureDatabase(empty.adminUrl, { name: new URL(url).pathname.slice(1), owner: 'test_owner' });
      const runtime = loginOf(url, 'test_runtime', 'test-runtime');
      const owner = loginOf(url, 'test_owner', 'test-owner');
      const outcomes = await examine(
        { ...env, SVC_DATABASE_URL: runtime, SVC_MIGRATION_DATABASE_URL: owner },
        'database',
      );
      expect(outcomes['database.schema']).toMatchObject({
        status: 'fail',
        finding: expect.stringMatching(/^The database lacks \d+ migrations/),
      });
      expect(outcomes['database.tenant-isolation']?.status).toBe('skipped');
      expect(outcomes['database.migration-login']?.status).toBe('pass');
      await asAdmin(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    } finally {
      await empty.drop();
    }
  });

  test('warns where a later release has migrated', async () => {
    await asAdmin(`insert into schema_migrations (name, checksum) values ('9999_later.sql', '')`);
    try {
      expect(await check('schema')).toMatchObject({
        status: 'warn',
        finding: expect.stringContaining('1 migration'),
      });
    } finally {
      await asAdmin(`delete from schema_migrations where name like '9999%'`);
    }
  });
});

describe('database.login', () => {
  test('fails for a superuser', async () => {
    expect(await check('login', { SVC_DATABASE_URL: database.adminUrl })).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('is a superuser'),
    });
  });

  test('fails for the login that owns the schema', async () => {
    expect(await check('login', { SVC_DATABASE_URL: database.ownerUrl })).toMatchObject({
      status: 'fail',
      finding: expect.stringMatching(/owns \d[\d,]* objects/),
    });
  });

  test.each([
    ['that may act as nobody', '', 'fail', 'may not act as svc_app, svc_engine and svc_signer'],
    ['with BYPASSRLS', 'alter role doctored bypassrls', 'fail', 'BYPASSRLS'],
    ['with another role', 'grant pg_read_all_data to doctored', 'fail', 'is a member of 1 role'],
    [
      'with rights of its roles',
      'grant svc_app, svc_engine, svc_signer to doctored with inherit true, set true',
      'warn',
      'inherits',
    ],
    [
      'that may create roles',
      'grant svc_app, svc_engine, svc_signer to doctored with inherit false, set true; alter role doctored createrole',
      'warn',
      'CREATEROLE',
    ],
    [
      'as it should be',
      'grant svc_app, svc_engine, svc_signer to doctored with inherit false, set true',
      'pass',
      'owns nothing',
    ],
  ])('judges a login %s', async (_, rights, status, said) => {
    await asAdmin(`create role doctored login password 'doctored'; ${rights}`);
    try {
      const outcome = await check('login', {
        SVC_DATABASE_URL: loginOf(database.url, 'doctored', 'doctored'),
      });
      expect(outcome).toMatchObject({ status, finding: expect.stringContaining(said) });
    } finally {
      await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'doctored'`);
      await asAdmin('drop role doctored');
    }
  });
});

describe('database.names', () => {
  const name = () => new URL(database.adminUrl).pathname.slice(1);

  test.each([
    ['warns', 'temporary objects', () => `temporary on database ${name()}`, 'warn'],
    ['fails', 'objects in the schema', () => 'create on schema public', 'fail'],
  ])('%s where everybody may create %s', async (_, said, right, status) => {
    await asAdmin(`grant ${right()} to public`);
    try {
      expect(await check('names')).toMatchObject({ status, finding: expect.stringContaining(said) });
    } finally {
      await asAdmin(`revoke ${right()} from public`);
    }
    expect((await check('names')).status).toBe('pass');
  });
});

test('a table whose row-level security is not forced is a failure that names it', async () => {
  await asAdmin('alter table assets no force row level security');
  try {
    expect(await check('tenant-isolation')).toMatchObject({
      status: 'fail',
      finding: '1 table of tenants without forced row-level security: assets.',
    });
  } finally {
    await asAdmin('alter table assets force row level security');
  }
  expect((await check('tenant-isolation')).status).toBe('pass');
});

test('more connections than the server has are a warning', async () => {
  expect((await check('connections')).status).toBe('pass');
  await database.inspect(sql`
    insert into scanners (scanner_id, display_name, host, version, started_at, heartbeat_at)
    select 'doctor-' || n, 'a', 'b', '1', now(), case when n > 5 then now() else now() - interval '1 hour' end
      from generate_series(1, 105) n`);
  try {
    expect(await check('connections', { SVC_DATABASE_POOL_SIZE: '99' })).toMatchObject({
      status: 'warn',
      finding: expect.stringContaining('100 processes may use 10000 of'),
    });
  } finally {
    await asAdmin('truncate scanners');
  }
});

describe('database.migration-login', () => {
  const migration = (url: string, changes: Record<string, string> = {}) =>
    check('migration-login', { SVC_MIGRATION_DATABASE_URL: url, ...changes });

  test('is skipped where it is not set', async () => {
    expect((await migration('')).status).toBe('skipped');
  });

  test('fails where it owns nothing, is elsewhere, or cannot connect', async () => {
    expect(await migration(database.url)).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('not own'),
    });
    const elsewhere = urlOf(database.ownerUrl, { database: 'postgres' });
    expect(await migration(elsewhere)).toMatchObject({
      finding: 'The two logins are in different databases.',
    });
    expect(await migration(loginOf(database.url, 'test_owner', 'canary'))).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('28P01'),
      nextSteps: [expect.stringContaining('SVC_MIGRATION_DATABASE_URL')],
    });
  });

  test('warns of a superuser in production', async () => {
    const production = { SVC_ENV: 'production', SVC_SESSION_SECRET: 'a secret of these tests alone' };
    expect((await migration(database.adminUrl, production)).status).toBe('warn');
    expect((await migration(database.adminUrl)).status).toBe('pass');
    expect((await migration(database.ownerUrl, production)).status).toBe('pass');
  });
});

describe('a server with TLS and autovacuum', () => {
  let stop: () => Promise<void>;
  let secured: TestDatabase;
  let admin: string;
  beforeAll(async () => {
    const { cluster, remove } = await startTestCluster();
    stop = remove;
    admin = cluster.adminUrl;
    secured = await createTestDatabase({ cluster });
    await asAdmin('alter system reset autovacuum', admin);
    await show(90);
    await eventually('certificates.database', { status: 'pass' });
  });
  afterAll(async () => {
    await secured?.drop();
    await stop?.();
  });

  /** The server shows a certificate that ends in so many days, and this process trusts it. */
  async function show(days: number): Promise<void> {
    const { cert, key } = selfSigned(days);
    const [row] = (await asAdmin('show data_directory', admin)).rows as { data_directory: string }[];
    const folder = row?.data_directory ?? '';
    const { uid, gid } = await stat(folder);
    for (const [name, text] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const file = path.join(folder, name);
      await writeFile(file, text, { mode: 0o600 });
      await chown(file, uid, gid);
    }
    await asAdmin('alter system set ssl = on', admin);
    await asAdmin('select pg_reload_conf()', admin);
    setDefaultCACertificates([cert]);
  }
  /** Settings of the server are read again a moment after they were changed. */
  const eventually = (id: string, expected: object) =>
    vi.waitFor(async () => expect(await examined(id)).toMatchObject(expected), { timeout: 60_000 });
  const examined = (id: string, parameters = '?sslmode=no-verify') =>
    outcomeOf(id, { SVC_ENV: 'development', SVC_DATABASE_URL: `${secured.url}${parameters}` });

  test('has an encrypted connection', async () => {
    expect(await examined('database.encryption', '?sslmode=verify-full')).toEqual({
      status: 'pass',
      finding: 'The connection uses TLS.',
    });
  });

  test('is reached only with a certificate that is trusted', async () => {
    setDefaultCACertificates([]);
    expect(await examined('database.reachable', '?sslmode=verify-full')).toMatchObject({
      status: 'fail',
      finding: 'The database cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT.',
    });
  });

  test('is told when its certificate ends', async () => {
    await eventually('certificates.database', { status: 'pass' });
    await show(9.5);
    await eventually('certificates.database', {
      status: 'warn',
      finding: 'The certificate of the database ends in 9 days.',
    });
    await show(-1);
    await eventually('certificates.database', {
      status: 'fail',
      finding: 'The certificate of the database has expired.',
    });
  });

  test('has statistics, until a large table lacks them', async () => {
    await eventually('database.statistics', { status: 'pass' });
    await asAdmin(
      `create table public.doctored with (autovacuum_enabled = off) as select n from generate_series(1, 20000) n`,
      secured.adminUrl,
    );
    expect(await examined('database.statistics')).toMatchObject({
      status: 'warn',
      finding: '1 large table without statistics: doctored.',
    });
    await asAdmin('analyze doctored', secured.adminUrl);
    expect((await examined('database.statistics')).status).toBe('pass');
  });
});
