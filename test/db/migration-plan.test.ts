import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import {
  type Migration,
  migrate,
  migrationsFolder,
  pendingMigrations,
  readMigrations,
} from '../../core/db/migrate.ts';
import {
  EFFECTS_FILE,
  type MigrationEffect,
  type MigrationEffects,
  readEffects,
} from '../../core/db/migration-effects.ts';
import { planMigrations, secondsOf } from '../../core/db/migration-plan.ts';
import { planText } from '../../core/db/migration-plan-text.ts';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { observeMigration, observeStatements, type StatementEffect } from '../support/observe-migration.ts';
import { restoreDatabase } from '../support/release/filled-database.ts';
import { readDatabase, recordedReleases, unpackMigrations } from '../support/release/recorded.ts';
import { runHere } from '../support/run-command.ts';

const cluster = inject('cluster');
const FILE = path.join(migrationsFolder(), EFFECTS_FILE);
const MB = 1e6;
const BASELINE = '0001_baseline.sql';
const NOTHING: MigrationEffect = { statements: {}, tables: {} };

const names: string[] = [];
let scratch: string;
beforeAll(async () => {
  scratch = await emptyDatabase();
});
afterAll(async () => {
  for (const name of names) await dropDatabase(cluster.adminUrl, name);
});

function newName(): string {
  const name = `plan_${randomBytes(6).toString('hex')}`;
  names.push(name);
  return name;
}
const ownerOf = (database: string) => urlOf(cluster.adminUrl, { database, login: cluster.owner });

async function emptyDatabase(): Promise<string> {
  const name = newName();
  await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name });
  return ownerOf(name);
}

/** Looks at each migration since the oldest recorded release, on the filled database of that. */
async function eachOn<Seen>(look: (client: Client, migration: Migration) => Promise<Seen>) {
  const [release] = await recordedReleases();
  if (release === undefined) throw new Error('No release is recorded');
  const earlier = await unpackMigrations(release, await mkdtemp(path.join(tmpdir(), 'plan-')));
  onTestFinished(() => rm(earlier, { recursive: true, force: true }));
  const restored = newName();
  await restoreDatabase(cluster, restored, await readDatabase(release), [earlier]);
  const seen: Record<string, Seen> = {};
  await withClient(ownerOf(restored), async (client) => {
    const migrations = await readMigrations(migrationsFolder());
    for (const migration of await pendingMigrations(client, migrations))
      seen[migration.name] = await look(client, migration);
  });
  return seen;
}

const sorted = (effects: MigrationEffects): MigrationEffects =>
  Object.fromEntries(Object.entries(effects).sort(([a], [b]) => (a < b ? -1 : 1)));

test('migrations/effects.json is what migrations do; UPDATE_EFFECTS=1 rewrites it', async () => {
  const known = await readEffects(migrationsFolder());
  // The first file makes the tables, so it affects none that is in use.
  const effects = sorted({ [BASELINE]: known[BASELINE] ?? NOTHING, ...(await eachOn(observeMigration)) });
  if (process.env.UPDATE_EFFECTS === '1') await writeFile(FILE, `${JSON.stringify(effects, null, 2)}\n`);
  expect(effects).toEqual(await readEffects(migrationsFolder()));
  const migrations = await readMigrations(migrationsFolder());
  expect(Object.keys(effects)).toEqual(migrations.map(({ name }) => name));
});

test('no migration rewrites a table in use', async () => {
  const rewriting = Object.entries(await readEffects(migrationsFolder()))
    .filter(([, { tables }]) => Object.values(tables).some(({ rewrites }) => rewrites === true))
    .map(([name]) => name);
  // To a transaction that began before, the table is empty then.
  expect(rewriting).toEqual([]);
});

/** Files that were released before long work under a lock was refused. */
const RELEASED = [BASELINE, '0101_release_26_11_26_1.sql', '0102_release_26_11_27_0.sql'];
const WORK = ['rewrites', 'scans', 'indexes', 'changesRows'] as const;

test('no migration works under a lock for which people wait', async () => {
  const effects = Object.entries(await readEffects(migrationsFolder()));
  const long = effects
    .filter(([name]) => !RELEASED.includes(name) && !name.startsWith('functions/'))
    .flatMap(([name, { tables }]) =>
      Object.entries(tables)
        .filter(([, { lock }]) => lock !== 'ShareUpdateExclusiveLock' && lock !== 'RowExclusiveLock')
        .filter(([, effect]) => WORK.some((work) => effect[work] !== undefined))
        .map(([table]) => `${name}: ${table}`),
    );
  // An index is built in a file that begins with `--! concurrently`; a check is added `not valid`, and validated by itself.
  expect(long).toEqual([]);
});

/** A large tenant: 1.2 kB a row, as the assets of docs/deployment.md have, for each table. */
const TEN_MILLION = { rows: 10_000_000, bytes: 12_000 * MB, bytesWithIndexes: 24_000 * MB };
const waitsFor = ({ lock }: StatementEffect['effect']) =>
  lock !== 'ShareUpdateExclusiveLock' && lock !== 'RowExclusiveLock';

/** Statements that work for longer than a second while people wait for a lock of theirs, or of one before them. */
function longWaits(statements: readonly StatementEffect[]): string[] {
  let isWaitedFor = false;
  return statements.flatMap(({ statement, table, effect }) => {
    isWaitedFor ||= waitsFor(effect);
    const { most } = secondsOf(effect, TEN_MILLION);
    return isWaitedFor && most > 1 ? [`${table} ${effect.lock}, ${most} s: ${statement.slice(0, 120)}`] : [];
  });
}

test('with ten million rows, no statement works for a second while people wait', async () => {
  const seen = await eachOn((client, { text, indexes }) =>
    // Those of a file that begins with `--! concurrently` hold no lock that people wait for.
    indexes === null
      ? observeStatements(client, text)
      : observeMigration(client, { text, indexes }).then(({ tables }) =>
          Object.entries(tables).map(([table, effect]) => ({ statement: text, table, effect })),
        ),
  );
  const long = Object.entries(seen).map(([name, statements]) => [name, longWaits(statements)] as const);
  expect(Object.keys(seen).length).toBeGreaterThan(RELEASED.length);
  expect(long.filter(([name, waits]) => !RELEASED.includes(name) && waits.length > 0)).toEqual([]);
  // The rule sees what the releases before it did.
  expect(long.filter(([, waits]) => waits.length > 0).map(([name]) => name)).toEqual(RELEASED.slice(1));
});

test.each([
  ['alter table t add column more int; create index on t (n)', 1],
  ['alter table t add column more int; update untouched set n = n + 1', 1],
  ['update t set n = n + 1; alter table t add column more int', 0],
  ['alter table t alter n type bigint', 1],
  ["comment on table t is 'a; b'; do $$ begin perform 1; end $$", 0],
])('a long wait is seen: %s', async (text, waits) => {
  await withClient(scratch, async (client) => {
    await client.query(`
      drop table if exists t, u, untouched cascade;
      create table t (n int);
      create table untouched (n int);
      insert into t values (1)`);
    expect(longWaits(await observeStatements(client, text))).toHaveLength(waits);
  });
});

/** The migration of a folder that holds this text alone. */
async function migrationsOf(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'plan-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, '0001_only.sql'), text);
  return readMigrations(folder);
}

test.each([
  [
    '--! concurrently\ncreate index concurrently if not exists t_n on public.t (n);',
    { lock: 'ShareUpdateExclusiveLock', indexes: 1 },
  ],
  ['create index on t (n)', { lock: 'ShareLock', indexes: 1 }],
  ['alter table t add column more int not null default 1', { lock: 'AccessExclusiveLock' }],
  ['alter table t alter n type bigint', { lock: 'AccessExclusiveLock', rewrites: true }],
  ['alter table t add check (n > 0) not valid', { lock: 'AccessExclusiveLock' }],
  ['alter table t add check (n > 0)', { lock: 'AccessExclusiveLock', scans: true }],
  ['alter table t drop column n', { lock: 'AccessExclusiveLock' }],
  ['drop table t', { lock: 'AccessExclusiveLock' }],
  ['create table u (n int references t)', { lock: 'ShareRowExclusiveLock' }],
  ['update t set n = n + 2', { lock: 'RowExclusiveLock', scans: true, changesRows: true }],
  ['do $$ begin insert into t values (3); end $$', { lock: 'RowExclusiveLock', changesRows: true }],
  ['lock table t in exclusive mode', { lock: 'ExclusiveLock' }],
])('what a migration does is seen: %s', async (text, effect) => {
  await withClient(scratch, async (client) => {
    await client.query(`
      drop table if exists t, u cascade;
      create table t (n int primary key, untouched int);
      insert into t values (1), (2)`);
    const [migration] = await migrationsOf(text);
    if (migration === undefined) throw new Error('no migration');
    expect((await observeMigration(client, migration)).tables).toEqual({ t: effect });
  });
});

test('the statements of a migration are counted by kind', async () => {
  await withClient(scratch, async (client) => {
    await client.query('drop table if exists t, u cascade');
    const { statements } = await observeMigration(client, {
      text: 'create table t (n int); create index on t (n); insert into t values (1); select * from t; create table u (n int)',
      indexes: null,
    });
    expect(statements).toEqual({ 'CREATE INDEX': 1, 'CREATE TABLE': 2, INSERT: 1, SELECT: 1 });
  });
});

/** A folder with two migrations, of which the second changes what the first has made. */
async function twoMigrations(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'plan-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, '0001_first.sql'), 'create table t (n int)');
  const effects: MigrationEffects = {
    '0001_first.sql': { statements: { 'CREATE TABLE': 1 }, tables: {} },
    '0002_second.sql': {
      statements: { 'ALTER TABLE': 1, 'CREATE INDEX': 1 },
      tables: { t: { lock: 'AccessExclusiveLock', rewrites: true }, gone: { lock: 'ShareLock', indexes: 1 } },
    },
  };
  await writeFile(path.join(folder, EFFECTS_FILE), JSON.stringify(effects));
  return folder;
}

test('a plan tells the pending migrations with the present rows and changes nothing', async () => {
  const folder = await twoMigrations();
  const url = await emptyDatabase();
  const [first, ...later] = await planMigrations(url, { folder });
  expect([first?.name, later]).toEqual(['0001_first.sql', []]);
  // Not even the table of migrations is there.
  await withClient(url, async (client) =>
    expect((await client.query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(0),
  );
  await migrate(url, { runtimeLogin: cluster.runtime.name, folder });
  expect(planText(await planMigrations(url, { folder }))).toBe('Nothing to do: the schema is up to date.');

  await writeFile(path.join(folder, '0002_second.sql'), 'alter table t alter n type bigint');
  await withClient(url, (client) =>
    client.query('insert into t select generate_series(1, 20000); analyze t'),
  );
  const [planned, ...others] = await planMigrations(url, { folder });
  expect(others).toEqual([]);
  expect(planned).toMatchObject({
    name: '0002_second.sql',
    tables: [{ table: 't', size: { rows: 20_000 } }],
  });
  expect(planned?.tables[0]?.size.bytes).toBeGreaterThan(20_000 * 28);
  expect(
    planText(planned === undefined ? [] : [planned])
      .split('\n')
      .slice(0, 2),
  ).toEqual([
    '0002_second.sql: 1 ALTER TABLE, 1 CREATE INDEX. Expected: below 1 s.',
    expect.stringMatching(
      /^ {2}t, 20,000 rows, \d+ kB: ACCESS EXCLUSIVE \(reads and writes wait\), writes it again, below 1 s$/,
    ),
  ]);
});

test('the time to expect grows with what the migration has to do', () => {
  const size = { rows: 1_000_000, bytes: 1000 * MB, bytesWithIndexes: 1500 * MB };
  const lock = 'AccessExclusiveLock';
  const most = (effect: object) => secondsOf({ lock, ...effect }, size).most;
  expect(most({})).toBe(0);
  const costs = [{ scans: true }, { indexes: 1 }, { rewrites: true }, { changesRows: true }].map(most);
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  expect(most({ indexes: 2 })).toBe(2 * most({ indexes: 1 }));
});

test('npm run migrate -- --plan tells that nothing is to do, or why it cannot tell', async () => {
  const command = path.resolve(import.meta.dirname, '../../core/commands/migrate.ts');
  const run = (url: string) =>
    runHere(command, ['--plan'], { env: { SVC_ENV: 'production', SVC_DATABASE_URL: url } });
  const url = urlOf(cluster.adminUrl, { database: cluster.template, login: cluster.owner });
  expect(await run(url)).toEqual({ code: 0, out: 'Nothing to do: the schema is up to date.\n', err: '' });
  const { code, out } = await run(await emptyDatabase());
  const all = await readMigrations(migrationsFolder());
  expect([code, out]).toEqual([0, expect.stringContaining(`${all.length} migrations to run, in this order`)]);
  expect(await run('postgres://svc@127.0.0.1:1/none')).toMatchObject({ code: 1, out: '' });
});
