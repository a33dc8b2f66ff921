import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { type Client, DatabaseError, escapeIdentifier } from 'pg';
import { inTransactionOf, withClient } from './client.ts';
import { sqlState } from './errors.ts';
import { notExpanded } from './includes.ts';
import { retried } from './tx.ts';

/** A migration that must not or could not be applied. The message names the file and says why. */
export class MigrationError extends Error {
  constructor(name: string, problem: string, cause?: unknown) {
    super(`Migration ${name}: ${problem}`, { cause });
    this.name = 'MigrationError';
  }
}

export type Migration = { name: string; text: string; checksum: string };

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const RUNTIME_ROLES = ['svc_app', 'svc_engine'];
/** What locks whole tables meets many who are at work. */
const ATTEMPTS = 20;
/** Advisory lock of this database that whoever migrates it holds: "svcm" in ASCII. */
const LOCK_KEY = 0x7376636d;

/** The folder `migrations/` of this package, found from the sources and from `dist/` alike. */
export function migrationsFolder(): string {
  const manifest = findPackageJSON('..', import.meta.url);
  if (manifest === undefined) throw new Error('The package of this file was not found');
  return path.join(path.dirname(manifest), 'migrations');
}

/** Reads `NNNN_what.sql` in order. Throws `MigrationError` on a stray name or a number used twice. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = new Map<string, string>();
  for (const name of names) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined) throw new MigrationError(name, 'is not named NNNN_what.sql');
    const other = numbers.get(number);
    if (other !== undefined) throw new MigrationError(name, `has the number of ${other}`);
    numbers.set(number, name);
  }
  return Promise.all(
    names.map(async (name) => {
      // A checkout with other line ends is the same migration.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      const [missing] = notExpanded(text);
      if (missing !== undefined)
        throw new MigrationError(name, `includes ${missing}, whose text is missing: run migration:expand`);
      return { name, text, checksum: hash('sha256', text) };
    }),
  );
}

/**
 * Brings the schema up to date and lets the runtime login act as the runtime roles. Idempotent; several processes
 * may do it at once. Each file has its own transaction, so a failing one undoes itself alone.
 * @param url login that owns the schema and may create roles
 * @param runtimeLogin login that the service itself connects as; may be the same
 * @returns names of the files that this call applied
 */
export async function migrate(
  url: string,
  { runtimeLogin, folder = migrationsFolder() }: { runtimeLogin: string; folder?: string },
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return withClient(url, async (client) => {
    await ensureRecord(client);
    const applied = await appliedChecksums(client);
    const names: string[] = [];
    for (const migration of migrations) {
      refuseEdited(migration, applied.get(migration.name));
    }
    for (const migration of migrations) {
      if (!applied.has(migration.name) && (await apply(client, migration))) names.push(migration.name);
    }
    await grantRuntimeRoles(client, runtimeLogin);
    return names;
  });
}

/**
 * A transaction that holds the lock of migrations. The lock belongs to the transaction rather than the session, so
 * it ends with a process that dies and holds behind a transaction-mode pooler.
 */
const locked = <T>(client: Client, fn: () => Promise<T>): Promise<T> =>
  inTransactionOf(client, async () => {
    await client.query(`
      set local search_path = public;
      set local lock_timeout = '2min';
      select pg_advisory_xact_lock(${LOCK_KEY});
      -- Somebody else's migration was worth waiting for; a table in use is not: the service would stand still.
      set local lock_timeout = '10s';
      set local statement_timeout = '15min'`);
    return fn();
  });

async function ensureRecord(client: Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as exists`,
  );
  if (rows[0]?.exists === true) return;
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
  throw new MigrationError(
    name,
    'was edited after it had been applied; restore it and add a new file instead',
  );
}

/** False when another process applied it in the meantime. What the service does at the same time may be in its way. */
async function apply(client: Client, migration: Migration): Promise<boolean> {
  const { name, text, checksum } = migration;
  const attempt = () =>
    locked(client, async () => {
      const recorded = (await appliedChecksums(client)).get(name);
      refuseEdited(migration, recorded);
      if (recorded !== undefined) return false;
      await client.query(text);
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
      return true;
    });
  try {
    return await retried(undefined, attempt, ATTEMPTS);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(name, failureOf(error, text), error);
  }
}

/** What the server said, and the line when it told. */
function failureOf(error: unknown, text: string): string {
  if (!(error instanceof Error)) return 'failed';
  const position = error instanceof DatabaseError ? Number(error.position) : Number.NaN;
  const line = Number.isInteger(position) ? ` (line ${text.slice(0, position).split('\n').length})` : '';
  return `${error.message}${line}`;
}

async function grantRuntimeRoles(client: Client, login: string): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `select role from unnest($1::text[]) as role
      where not exists (
        select from pg_auth_members m
         where m.roleid = role::regrole and m.member = (select oid from pg_roles where rolname = $2) and m.set_option)`,
    [RUNTIME_ROLES, login],
  );
  if (rows.length === 0) return;
  const roles = rows.map(({ role }) => escapeIdentifier(role)).join(', ');
  try {
    await locked(client, () =>
      client.query(`grant ${roles} to ${escapeIdentifier(login)} with set true, inherit false`),
    );
  } catch (error) {
    // Roles are shared by the databases of a cluster, the lock is not: another one granted the same just now.
    if (sqlState(error) !== '23505') throw error;
  }
}
