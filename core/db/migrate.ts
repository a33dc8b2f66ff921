import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
// A named import of what Node 20 lacks would fail before a command can say which version is needed.
import * as nodeModule from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import { inTransactionOf, withClient } from './client.ts';
import { type IndexStatement, indexStatements, runIndexStatements } from './concurrent-indexes.ts';
import { sqlState } from './errors.ts';
import { retried } from './tx.ts';

/** A migration that could not or must not be applied. The message names the file and the reason. */
export class MigrationError extends Error {
  constructor(name: string, problem: string, cause?: unknown) {
    super(`Migration ${name}: ${problem}`, { cause });
    this.name = 'MigrationError';
  }
}

/** A numbered file, which runs once, or a file of functions, which runs again when it changes. */
export type Migration = {
  /** `NNNN_what.sql`, or `functions/what.sql`. */
  name: string;
  text: string;
  checksum: string;
  isRepeatable: boolean;
  /** Statements that run one by one, outside a transaction; null for a file that runs in one. */
  indexes: readonly IndexStatement[] | null;
  /** The newest of the former files whose content this one has, and the release that had it. */
  replaces: { name: string; release: string } | null;
};

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const FUNCTIONS = 'functions';
const FUNCTIONS_FILE = /^[a-z_]+\.sql$/;
/** The first line of a file that has the content of earlier files. */
const REPLACES = /^--! replaces (\S+\.sql) of (\S+)\n/;
const RUNTIME_ROLES = ['svc_app', 'svc_engine', 'svc_signer'];
/** Attempts at one migration. Statements that lock whole tables can deadlock with running work. */
const ATTEMPTS = 20;
/** Advisory lock of this database for migrations: "svcm" in ASCII. */
const LOCK_KEY = 0x7376636d;
const LOCK_WAIT_MS = 120_000;
const LOCK_PAUSE_MS = 100;

/** The folder `migrations/` of this package, both from the sources and from `dist/`. */
export function migrationsFolder(): string {
  const manifest = nodeModule.findPackageJSON('..', import.meta.url);
  if (manifest === undefined) throw new Error('Could not find the package.json of this module');
  return path.join(path.dirname(manifest), 'migrations');
}

/**
 * Reads `NNNN_what.sql` in order, then `functions/*.sql`. Throws `MigrationError` if a file has another name or a number
 * occurs twice.
 */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const numbered = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = new Map<string, string>();
  for (const name of numbered) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined) throw new MigrationError(name, 'is not named NNNN_what.sql');
    const other = numbers.get(number);
    if (other !== undefined) throw new MigrationError(name, `has the same number as ${other}`);
    numbers.set(number, name);
  }
  const functions = await functionFiles(folder);
  for (const name of functions)
    if (!FUNCTIONS_FILE.test(name)) throw new MigrationError(`${FUNCTIONS}/${name}`, 'is not named what.sql');
  return Promise.all(
    [...numbered, ...functions.sort().map((name) => `${FUNCTIONS}/${name}`)].map(async (name) => {
      // Line ends depend on the checkout and must not change the checksum.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      const [, former, release] = REPLACES.exec(text) ?? [];
      const replaces = former === undefined || release === undefined ? null : { name: former, release };
      const isRepeatable = name.includes('/');
      return {
        name,
        text,
        checksum: hash('sha256', text),
        isRepeatable,
        indexes: indexesOf(name, text),
        replaces,
      };
    }),
  );
}

function indexesOf(name: string, text: string): IndexStatement[] | null {
  const statements = indexStatements(text);
  if (statements === null || Array.isArray(statements)) return statements;
  throw new MigrationError(
    name,
    `runs outside a transaction, so it may only build and drop indexes of public concurrently, not: ${statements.refused}`,
  );
}

/** Releases up to 26.11.26.1 have no such folder. */
async function functionFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(path.join(folder, FUNCTIONS));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

type Options = {
  /** Login that the service itself uses; may be the same. */
  runtimeLogin: string;
  folder?: string;
  /** Reports that a migration waits, and for what. */
  report?: (waiting: string) => void;
};

/**
 * Applies missing migrations, grants the runtime roles to the runtime login, and takes temporary objects from `PUBLIC`.
 * It is idempotent and safe to run concurrently. Each file has its own transaction, so a failed one undoes only itself.
 * A file that begins with `--! concurrently` has none: each of its statements runs by itself and may run again.
 * @param url login that owns the schema and may create roles
 * @returns names of the files that this call applied
 */
export async function migrate(
  url: string,
  { runtimeLogin, folder = migrationsFolder(), report = () => undefined }: Options,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return withClient(url, async (client) => {
    await ensureRecord(client);
    const names: string[] = [];
    for (const migration of await pendingMigrations(client, migrations)) {
      if (await apply({ url, client, migration, all: migrations, report })) names.push(migration.name);
    }
    await grantRuntimeRoles(client, runtimeLogin);
    await refuseTemporaryObjects(client);
    return names;
  });
}

/**
 * Runs a transaction that holds the lock of migrations. The lock belongs to the transaction and not to the session.
 * It therefore ends when the process dies, and works behind a transaction-mode pooler.
 */
const locked = <T>(client: Client, fn: () => Promise<T>): Promise<T> =>
  inTransactionOf(client, async () => {
    await takeLock(client);
    // Nobody waits long for a table in use: the service would stop meanwhile.
    await client.query(`
      set local search_path = public;
      set local lock_timeout = '10s';
      set local statement_timeout = '15min'`);
    return fn();
  });

/** Asks again and again: a statement that waits for the lock would keep a build of an index by its holder waiting. */
async function takeLock(client: Client): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(${LOCK_KEY}) as taken`,
    );
    if (rows[0]?.taken === true) return;
    if (Date.now() > deadline)
      throw new MigrationError(
        'lock',
        'another process has been migrating for two minutes. Run again when it has ended',
      );
    await setTimeout(LOCK_PAUSE_MS);
  }
}

/**
 * Those of the migrations that the database lacks, in order. Only reads.
 * Throws `MigrationError` if an applied one was edited, or the database is of a release that is too old.
 */
export async function pendingMigrations(
  client: Client,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = (await hasRecord(client)) ? await appliedChecksums(client) : new Map<string, string>();
  const [baseline] = migrations;
  if (baseline !== undefined) refuseTooOld(baseline, applied);
  return migrations.filter((migration) => isPending(migration, applied, migrations));
}

function isPending(
  migration: Migration,
  applied: ReadonlyMap<string, string>,
  all: readonly Migration[],
): boolean {
  const { name, checksum, isRepeatable, replaces } = migration;
  const recorded = applied.get(name);
  // The functions of a later release stay.
  if (isRepeatable) return recorded !== checksum && laterThan(all, applied).length === 0;
  refuseEdited(migration, recorded);
  return recorded === undefined && !(replaces !== null && applied.has(replaces.name));
}

/** Numbered files that the database has and that come after those of this release. */
export function laterThan(
  all: readonly Pick<Migration, 'name'>[],
  applied: Pick<ReadonlyMap<string, unknown>, 'keys'>,
): string[] {
  const newest = all.findLast(({ name }) => FILE_NAME.test(name))?.name ?? '';
  return [...applied.keys()].filter((name) => FILE_NAME.test(name) && name > newest);
}

function refuseTooOld({ name, replaces }: Migration, applied: ReadonlyMap<string, string>): void {
  if (replaces === null || applied.size === 0 || applied.has(name) || applied.has(replaces.name)) return;
  throw new MigrationError(
    name,
    `the database is of a release before ${replaces.release}. Migrate it with ${replaces.release} first`,
  );
}

async function hasRecord(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as exists`,
  );
  return rows[0]?.exists === true;
}

async function ensureRecord(client: Client): Promise<void> {
  if (await hasRecord(client)) return;
  await locked(client, () =>
    client.query(`create table if not exists schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`),
  );
}

async function appliedChecksums(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from public.schema_migrations',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

function refuseEdited({ name, checksum }: Migration, recorded: string | undefined): void {
  if (recorded === undefined || recorded === checksum) return;
  throw new MigrationError(name, 'was edited after it was applied. Restore it and add a new file instead');
}

type Application = {
  url: string;
  client: Client;
  migration: Migration;
  all: readonly Migration[];
  report: (waiting: string) => void;
};

/**
 * Applies one migration. Returns false if another process has applied it in the meantime. It retries after a deadlock
 * with running work.
 */
async function apply({ url, client, migration, all, report }: Application): Promise<boolean> {
  const { name, text, checksum, isRepeatable, indexes } = migration;
  const attempt = () =>
    locked(client, async () => {
      if (!isPending(migration, await appliedChecksums(client), all)) return false;
      // A function may call one of a later file.
      if (isRepeatable) await client.query('set local check_function_bodies = off');
      if (indexes === null) await client.query(text);
      else await buildIndexes(url, indexes, (waiting) => report(`${name} ${waiting}`));
      await client.query(
        `insert into schema_migrations (name, checksum) values ($1, $2)
           on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
        [name, checksum],
      );
      return true;
    });
  try {
    return await retried(undefined, attempt, ATTEMPTS);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(name, failureOf(error, text), error);
  }
}

/**
 * On connections of their own: the transaction of the caller only keeps the lock and stores the record. It holds no
 * snapshot, so Postgres does not wait for it.
 */
const buildIndexes = (url: string, indexes: readonly IndexStatement[], report: (waiting: string) => void) =>
  withClient(url, (builder) =>
    withClient(url, (watcher) => runIndexStatements(builder, indexes, { watcher, report })),
  );

/** The message of the server, with the line if the server reported a position. */
function failureOf(error: unknown, text: string): string {
  if (!(error instanceof Error)) return 'failed';
  const position = error instanceof DatabaseError ? Number(error.position) : Number.NaN;
  const line = Number.isInteger(position) ? ` (line ${text.slice(0, position).split('\n').length})` : '';
  return `${error.message}${line}`;
}

async function grantRuntimeRoles(client: Client, login: string): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `select rolname as role from pg_roles
      where rolname = any($1::text[]) and not exists (
        select from pg_auth_members m
         where m.roleid = pg_roles.oid and m.member = (select oid from pg_roles where rolname = $2) and m.set_option)`,
    [RUNTIME_ROLES, login],
  );
  if (rows.length === 0) return;
  const roles = rows.map(({ role }) => escapeIdentifier(role)).join(', ');
  try {
    await locked(client, () =>
      client.query(`grant ${roles} to ${escapeIdentifier(login)} with set true, inherit false`),
    );
  } catch (error) {
    // The databases of a cluster share roles but not the lock. Another database has just granted the same role.
    if (sqlState(error) !== '23505') throw error;
  }
}

/**
 * Nobody but the owner needs temporary objects, and they can stand before other names. A dump does not hold this right,
 * so each run revokes it. Only the owner of the database can do so; the doctor reports where nobody has.
 */
async function refuseTemporaryObjects(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string }>(
    `select datname as database from pg_database
      where datname = current_database() and has_database_privilege('public', oid, 'temporary')
        and pg_has_role(datdba, 'usage')`,
  );
  for (const { database } of rows) {
    await locked(client, () =>
      client.query(`revoke temporary on database ${escapeIdentifier(database)} from public`),
    );
  }
}
