import path from 'node:path';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, ensureLogins, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { type Db, withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { startPostgres } from '../../infra/local/postgres.ts';
import { seedTenant } from '../../infra/local/seed.ts';
import type { Workspace } from './workspace.ts';

/**
 * A database as in a deployment, with durable commits. Resolves with the URLs of the logins.
 * @param settings server settings, such as `shared_buffers` for a large database
 */
export async function startDatabase(
  { folder, untilEnd }: Workspace,
  { settings }: { settings?: Readonly<Record<string, string>> } = {},
): Promise<{
  ownerUrl: string;
  /** The superuser, to whom row-level security does not apply. */
  adminUrl: string;
  url: string;
  /** The process id of the postmaster. */
  pid: number;
}> {
  const postgres = await untilEnd(
    startPostgres({
      dataDir: path.join(folder, 'postgres'),
      ...(settings !== undefined && { settings }),
      log: console.error,
    }),
  );
  const owner = { name: 'bench_owner', password: 'bench-owner' };
  const runtime = { name: 'bench_runtime', password: 'bench-runtime' };
  await ensureLogins(postgres.url, { owner, runtime });
  await ensureDatabase(postgres.url, { name: 'bench', owner: owner.name });
  const urlAs = (login: typeof owner) => urlOf(postgres.url, { database: 'bench', login });
  await migrate(urlAs(owner), { runtimeLogin: runtime.name });
  return {
    adminUrl: urlOf(postgres.url, { database: 'bench' }),
    ownerUrl: urlAs(owner),
    url: urlAs(runtime),
    pid: postgres.pid,
  };
}

/** Creates a tenant with these people, without roles or taxonomy. */
export async function makeTenant(
  owner: Db,
  tenantId: TenantId,
  people: readonly PrincipalId[] = [],
): Promise<void> {
  const personas = people.map((id) => ({ id, displayName: id, title: '', department: '', roles: [] }));
  await seedTenant(
    owner,
    { tenantId, name: tenantId, personas, taxonomy: [], assignments: [], profile: null, fixture: null },
    Date.now(),
  );
}

/** Creates a scope for assets and returns its id. */
export const makeScope = (db: Db, tenantId: TenantId): Promise<string> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(
      tx,
      'm365',
      'mock',
      [{ externalId: 'bench', name: 'bench', kind: 'site' }],
      Date.now(),
    );
    const [scope] = await tx.query<{ scopeId: string }>(
      sql`select scope_id as "scopeId" from scopes where tenant_id = ${tenantId}`,
    );
    if (scope === undefined) throw new Error('No scope was created');
    return scope.scopeId;
  });
