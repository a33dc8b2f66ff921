import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { withClient } from './client.ts';
import { sqlState } from './errors.ts';

export type Login = { name: string; password: string };

const DUPLICATE_DATABASE = '42P04';

/**
 * Creates the two logins of a deployment, or resets their passwords: the owner of the schema, who may create roles,
 * and the runtime login, which has no rights until a migration grants it the runtime roles.
 * @param adminUrl superuser of the cluster
 */
export function ensureLogins(
  adminUrl: string,
  { owner, runtime }: { owner: Login; runtime: Login },
): Promise<void> {
  return withClient(adminUrl, async (client) => {
    await ensureLogin(client, owner, 'createrole');
    await ensureLogin(client, runtime);
  });
}

/** Creates a login without rights, or resets its password. */
export async function ensureLogin(
  client: Client,
  login: Login,
  right: 'createrole' | 'nocreaterole' = 'nocreaterole',
): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [login.name]);
  await client.query(
    `${rowCount === 0 ? 'create' : 'alter'} role ${escapeIdentifier(login.name)} with
       login nosuperuser nobypassrls nocreatedb ${right} password ${escapeLiteral(login.password)}`,
  );
}

/** Creates a database unless it exists. The template must have no connections. */
export function ensureDatabase(
  adminUrl: string,
  { name, owner, template = 'template0' }: { name: string; owner: string; template?: string },
): Promise<void> {
  return withClient(adminUrl, async (client) => {
    try {
      await client.query(
        `create database ${escapeIdentifier(name)} owner ${escapeIdentifier(owner)} template ${escapeIdentifier(template)}`,
      );
    } catch (error) {
      if (sqlState(error) !== DUPLICATE_DATABASE) throw error;
    }
  });
}

/** Drops a database and closes its connections. */
export function dropDatabase(adminUrl: string, name: string): Promise<void> {
  return withClient(adminUrl, async (client) => {
    await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
  });
}

/** The same URL with another database or login. */
export function urlOf(url: string, change: { database?: string; login?: Login }): string {
  const changed = new URL(url);
  if (change.database !== undefined) changed.pathname = `/${encodeURIComponent(change.database)}`;
  if (change.login !== undefined) {
    changed.username = encodeURIComponent(change.login.name);
    changed.password = encodeURIComponent(change.login.password);
  }
  return changed.href;
}
