import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { runIndexStatements } from '../../core/db/concurrent-indexes.ts';
import { sqlState } from '../../core/db/errors.ts';
import { MigrationError, migrate, migrationsFolder, readMigrations } from '../../core/db/migrate.ts';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import {
  FILES,
  type RecordedRelease,
  recordedReleases,
  unpackMigrations,
} from '../support/release/recorded.ts';

let folder: string;
let ownerUrl: string;
const cluster = inject('cluster');

async function emptyDatabase(): Promise<string> {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name });
  onTestFinished(() => dropDatabase(cluster.adminUrl, name));
  return urlOf(cluster.adminUrl, { database: name, login: cluster.owner });
}
const file = (name: string, text: string) => writeFile(path.join(folder, name), text);
const run = (url = ownerUrl) => migrate(url, { runtimeLogin: cluster.runtime.name, folder });
const rowsOf = (text: string, url = ownerUrl) =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(text)).rows);
const tables = () =>
  rowsOf(`select tablename as name from pg_tables where schemaname = 'public' order by 1`).then((rows) =>
    rows.map((row) => row.name),
  );

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('migrations', () => {
  beforeEach(async () => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true });
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_second.sql', 'create table second (n int); insert into second values (2);');
    ownerUrl = await emptyDatabase();
  });

  test('are applied in order, once, and recorded', async () => {
    expect(await run()).toEqual(['0001_first.sql', '0002_second.sql']);
    expect(await run()).toEqual([]);
    expect(await tables()).toEqual(['first', 'schema_migrations', 'second']);
    const recorded = await rowsOf('select name, length(checksum) as n from schema_migrations order by name');
    expect(recorded).toEqual([
      { name: '0001_first.sql', n: 64 },
      { name: '0002_second.sql', n: 64 },
    ]);
    await file('0003_third.sql', 'create table third (n int);');
    expect(await run()).toEqual(['0003_third.sql']);
  });

  test('that fail undo themselves alone, and name themselves and the line', async () => {
    await file('0003_bad.sql', 'create table third (n int);\n\nselect nonsense;\n');
    await file('0004_after.sql', 'create table fourth (n int);');
    await expect(run()).rejects.toThrow(/^Migration 0003_bad\.sql: .*nonsense.* \(line 3\)$/);
    expect(await tables()).toEqual(['first', 'schema_migrations', 'second']);
    await file('0003_bad.sql', 'create table third (n int);');
    expect(await run()).toEqual(['0003_bad.sql', '0004_after.sql']);
  });

  test('that were edited after they had been applied are refused before anything is done', async () => {
    await run();
    await file('0001_first.sql', 'create table first (n bigint);');
    await file('0003_third.sql', 'create table third (n int);');
    await expect(run()).rejects.toThrow(/^Migration 0001_first\.sql: was edited/);
    expect(await tables()).not.toContain('third');
  });

  test('are the same with other line ends', async () => {
    await file('0003_lines.sql', 'select 1;\nselect 2;\n');
    await run();
    await file('0003_lines.sql', 'select 1;\r\nselect 2;\r\n');
    expect(await run()).toEqual([]);
  });

  test('of a later release are left alone by an earlier one', async () => {
    await file('0003_later.sql', 'create table later (n int);');
    await run();
    await rm(path.join(folder, '0003_later.sql'));
    expect(await run()).toEqual([]);
  });

  test('with one number, or another name, are refused', async () => {
    await file('0002_also.sql', 'select 1;');
    await expect(run()).rejects.toThrow('Migration 0002_second.sql: has the same number as 0002_also.sql');
    await rm(path.join(folder, '0002_also.sql'));
    await file('3_short.sql', 'select 1;');
    await expect(run()).rejects.toThrow(MigrationError);
    expect(await tables()).toEqual([]);
  });

  test('are applied once by several processes that start together', async () => {
    await file('0003_slow.sql', 'select pg_sleep(0.2); create table slow (n int);');
    const applied = await Promise.all([1, 2, 3, 4].map(() => run()));
    expect(applied.flat().sort()).toEqual(['0001_first.sql', '0002_second.sql', '0003_slow.sql']);
  });

  test('do not wait for ever on a process that died while it held the lock', async () => {
    await file('0003_slow.sql', `select pg_sleep(case when n = 0 then 30 else 0 end) from control;`);
    await rowsOf('create table control as select 0 as n');
    const dying = run().catch(() => 'died');
    let pid: unknown;
    while (pid === undefined) {
      const [row] = await rowsOf(
        `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      pid = row?.pid;
    }
    await rowsOf('update control set n = 1');
    await rowsOf(`select pg_terminate_backend(${Number(pid)})`);
    expect(await dying).toBe('died');
    expect(await run()).toEqual(['0003_slow.sql']);
  });

  test('that a transaction under way is in the way of are applied again', async () => {
    await run();
    // The second lock waits for the transaction, which by then waits for the first.
    await file(
      '0003_twice.sql',
      `lock table second in share mode; select pg_sleep(0.5);
       lock table second in access exclusive mode; create table third (n int);`,
    );
    await withClient(ownerUrl, async (client) => {
      await client.query('begin; lock table second in row share mode');
      const migrated = run();
      await expect
        .poll(() =>
          rowsOf(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
          ),
        )
        .toHaveLength(1);
      await client.query('insert into second values (3); commit');
      expect(await migrated).toEqual(['0003_twice.sql']);
    });
  });

  const INDEX = 'create index concurrently if not exists second_n on public.second (n);\n';
  const indexes = () =>
    rowsOf(
      `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = 'second'::regclass`,
    );

  test('that run concurrently let others write, and are repeated after they were killed', async () => {
    await run();
    await file('0003_index.sql', `--! concurrently\n-- Why; and how.\n${INDEX}`);
    await withClient(ownerUrl, async (client) => {
      // The build waits for this transaction.
      await client.query('begin; insert into second values (3)');
      const killed = run().catch((error: unknown) => error);
      const building = () =>
        rowsOf(`select pid from pg_stat_progress_create_index where datname = current_database()`);
      await expect.poll(building).toHaveLength(1);
      await rowsOf('insert into second values (4)');
      const [build] = await building();
      await rowsOf(`select pg_terminate_backend(${Number(build?.pid)})`);
      expect(await killed).toBeInstanceOf(MigrationError);
      await client.query('commit');
    });
    expect(await indexes()).toEqual([{ name: 'second_n', valid: false }]);
    expect((await Promise.all([run(), run()])).flat()).toEqual(['0003_index.sql']);
    expect(await indexes()).toEqual([{ name: 'second_n', valid: true }]);
    expect(await run()).toEqual([]);
    await file('0004_drop.sql', '--! concurrently\ndrop index concurrently if exists public.second_n;');
    expect(await run()).toEqual(['0004_drop.sql']);
    expect(await indexes()).toEqual([]);
  });

  const REMOVAL = 'drop index concurrently if exists public.second_n';
  test.each([
    {
      what: 'build',
      before: '',
      older: 'insert into second values (3)',
      text: INDEX.trim(),
      created: 'second_n',
    },
    {
      what: 'drop',
      before: 'create index second_n on second (n)',
      older: 'select from second',
      text: REMOVAL,
      created: null,
    },
  ])('that $what an index do not wait for ever', async ({ before, older, text, created }) => {
    await run();
    if (before !== '') await rowsOf(before);
    const reported: string[] = [];
    await withClient(ownerUrl, (other) =>
      withClient(ownerUrl, (builder) =>
        withClient(ownerUrl, async (watcher) => {
          await other.query(`begin; ${older}`);
          const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
          const holder = `waits for older transactions, of the database processes ${rows[0]?.pid}`;
          const report = (waiting: string) => reported.push(waiting);
          const build = (waitMs: number) =>
            runIndexStatements(builder, [{ text, created }], { watcher, report, waitMs });
          await expect(build(1)).rejects.toThrow(`an index ${holder}`);
          expect(reported).toEqual([holder]);
          await other.query('rollback');
          // The connection works on, and what was begun is done again.
          await build(1);
        }),
      ),
    );
    expect(await indexes()).toEqual(created === null ? [] : [{ name: created, valid: true }]);
  });

  test.each([
    'create table third (n int)',
    'create index concurrently second_n on public.second (n)',
    'create index if not exists second_n on public.second (n)',
    'create index concurrently if not exists second_n on second (n)',
    'drop index concurrently public.second_n',
  ])('that run concurrently hold statements that may run again, not %s', async (text) => {
    await file('0003_index.sql', `--! concurrently\n${INDEX}${text};`);
    await expect(run()).rejects.toThrow(/^Migration 0003_index\.sql: runs outside a transaction/);
    expect(await tables()).toEqual([]);
  });

  test('let the runtime login act as the runtime roles, and inherit nothing', async () => {
    const login = `runtime_${randomBytes(4).toString('hex')}`;
    await rowsOf(`create role ${login} login`, cluster.adminUrl);
    onTestFinished(() => rowsOf(`drop role ${login}`, cluster.adminUrl).then(() => undefined));
    await migrate(ownerUrl, { runtimeLogin: login, folder });
    const rows = await rowsOf(
      `select roleid::regrole::text as role, set_option, inherit_option, admin_option
         from pg_auth_members where member = '${login}'::regrole order by 1`,
    );
    const granted = { set_option: true, inherit_option: false, admin_option: false };
    expect(rows).toEqual([
      { role: 'svc_app', ...granted },
      { role: 'svc_engine', ...granted },
      { role: 'svc_signer', ...granted },
    ]);
  });
});

test('migrating revokes TEMP from everybody where it may, also after a restore', async () => {
  const url = await emptyDatabase();
  const name = new URL(url).pathname.slice(1);
  const mayCreate = async () =>
    (await rowsOf(`select has_database_privilege('public', '${name}', 'temporary') as may`, url))[0]?.may;
  const migrated = () => migrate(url, { runtimeLogin: cluster.runtime.name });
  expect(await mayCreate()).toBe(true);
  await migrated();
  expect(await mayCreate()).toBe(false);
  await rowsOf(`grant temporary on database ${name} to public`, url);
  await migrated();
  expect(await mayCreate()).toBe(false);
  // The login owns the schema and not the database.
  const admin = urlOf(cluster.adminUrl, { database: name });
  await rowsOf(
    `alter database ${name} owner to current_user; grant temporary on database ${name} to public`,
    admin,
  );
  expect(await migrated()).toEqual([]);
  expect(await mayCreate()).toBe(true);
});

describe('files of functions', () => {
  const FIRST = `create or replace function answer() returns int language sql as 'select later() + 1'`;
  const LATER = `create or replace function later() returns int language sql as 'select 41'`;
  beforeEach(async () => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true });
    await file('0001_first.sql', 'create table first (n int);');
    await mkdir(path.join(folder, 'functions'));
    await file('functions/answers.sql', FIRST);
    await file('functions/numbers.sql', LATER);
    ownerUrl = await emptyDatabase();
  });
  const answer = async () => (await rowsOf('select answer()'))[0]?.answer;

  test('run after the numbered ones, and again when they change', async () => {
    expect(await run()).toEqual(['0001_first.sql', 'functions/answers.sql', 'functions/numbers.sql']);
    expect(await answer()).toBe(42);
    expect(await run()).toEqual([]);
    await file('functions/numbers.sql', LATER.replace('41', '1'));
    await file('0002_second.sql', 'create table second (n int);');
    expect(await run()).toEqual(['0002_second.sql', 'functions/numbers.sql']);
    expect(await answer()).toBe(2);
  });

  test('of a later release are left alone by an earlier one', async () => {
    await file('0002_second.sql', 'create table second (n int);');
    await run();
    await rm(path.join(folder, '0002_second.sql'));
    await file('functions/numbers.sql', LATER.replace('41', '1'));
    expect(await run()).toEqual([]);
    expect(await answer()).toBe(42);
  });

  test('with another name are refused', async () => {
    await file('functions/2-answers.sql', FIRST);
    await expect(run()).rejects.toThrow('Migration functions/2-answers.sql: is not named what.sql');
  });
});

describe('a file that replaces earlier ones', () => {
  beforeEach(async () => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true });
    await file('0001_first.sql', 'create table first (n int);');
    await file('0002_second.sql', 'create table second (n int);');
    ownerUrl = await emptyDatabase();
  });
  const replace = async () => {
    await rm(path.join(folder, '0001_first.sql'));
    await rm(path.join(folder, '0002_second.sql'));
    await file(
      '0001_baseline.sql',
      '--! replaces 0002_second.sql of 1.2.3\ncreate table first (n int); create table second (n int);',
    );
    await file('0003_third.sql', 'create table third (n int);');
  };

  test('does not run where they did', async () => {
    await run();
    await replace();
    expect(await run()).toEqual(['0003_third.sql']);
    expect(await run()).toEqual([]);
    ownerUrl = await emptyDatabase();
    expect(await run()).toEqual(['0001_baseline.sql', '0003_third.sql']);
  });

  test('is refused where some of them are missing, with the next step', async () => {
    await rm(path.join(folder, '0002_second.sql'));
    await run();
    await file('0002_second.sql', '');
    await replace();
    await expect(run()).rejects.toThrow(
      'Migration 0001_baseline.sql: the database is of a release before 1.2.3. Migrate it with 1.2.3 first',
    );
    expect(await tables()).toEqual(['first', 'schema_migrations']);
  });
});

test('the product migrates several databases of one cluster at once', async () => {
  const urls = await Promise.all([1, 2, 3].map(() => emptyDatabase()));
  const names = (await readMigrations(migrationsFolder())).map((migration) => migration.name);
  const applied = await Promise.all(urls.map((url) => migrate(url, { runtimeLogin: cluster.runtime.name })));
  expect(applied).toEqual([names, names, names]);
});

/** The newest release with another schema: a release may have no migration. */
async function releaseToMigrate(): Promise<RecordedRelease> {
  const present = await readFile(path.resolve(import.meta.dirname, '../schema.sql'), 'utf8');
  for (const release of (await recordedReleases()).reverse()) {
    if ((await readFile(path.join(release.folder, FILES.schema), 'utf8')) !== present) return release;
  }
  throw new Error('No recorded release has another schema');
}

test('the product migrates while the release before it goes on writing', async () => {
  const url = await emptyDatabase();
  const runtimeLogin = cluster.runtime.name;
  const release = await releaseToMigrate();
  await migrate(url, { runtimeLogin, folder: await unpackMigrations(release, folder) });
  const failures: unknown[] = [];
  let goesOn = true;
  // As handlers do: the unit is held first, then what it found is written, then what it brings.
  const work = () =>
    withClient(url, async (client) => {
      while (goesOn) {
        try {
          await client.query('begin');
          await client.query('select from work_units where unit_id = 1 for share');
          await client.query('select from campaigns for no key update');
          await client.query(`update assets set name = 'new'`);
          await client.query('update work_units set attempt = 1');
          await client.query('update campaigns set units_total = 1; commit');
        } catch (error) {
          await client.query('rollback');
          failures.push(error);
        }
      }
    });
  const workers = [1, 2, 3, 4].map(work);
  try {
    expect(await migrate(url, { runtimeLogin })).not.toEqual([]);
    expect(await migrate(url, { runtimeLogin })).toEqual([]);
  } finally {
    goesOn = false;
    await Promise.all(workers);
  }
  // Deadlocks, which the service answers by trying again; nothing else went wrong.
  expect(failures.filter((error) => sqlState(error) !== '40P01')).toEqual([]);
});
