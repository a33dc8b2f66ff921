import path from 'node:path';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, ensureLogins, type Login, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { type Db, withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { startPostgres } from '../../infra/local/postgres.ts';
import { seedTenant } from '../../infra/local/seed.ts';
import { COUNTED } from './statements.ts';
import type { Workspace } from './workspace.ts';

type Settings = { settings?: Readonly<Record<string, string>>; durable?: boolean };

export type Cluster = {
  /** The superuser, to whom row-level security does not apply. */
  adminUrl: string;
  owner: Login;
  runtime: Login;
  /** The process id of the postmaster. */
  pid: number;
};

/**
 * A server as in a deployment, with durable commits and the two logins.
 * @param settings server settings, such as `shared_buffers` for a large database
 * @param durable whether commits are flushed, as where something is measured
 */
export async function startCluster(
  { folder, untilEnd }: Workspace,
  { settings, durable = true }: Settings = {},
): Promise<Cluster> {
  const postgres = await untilEnd(
    startPostgres({
      dataDir: path.join(folder, 'postgres'),
      durable,
      ...(settings !== undefined && { settings }),
      log: console.error,
    }),
  );
  const owner = { name: 'bench_owner', password: 'bench-owner' };
  const runtime = { name: 'bench_runtime', password: 'bench-runtime' };
  await ensureLogins(postgres.url, { owner, runtime });
  return { adminUrl: postgres.url, owner, runtime, pid: postgres.pid };
}

/** The server that the benches of a smoke run share, with a migrated database to copy. */
type SmokeServer = Cluster & { template: string };

const SMOKE_SERVER = 'BENCH_SMOKE_SERVER';

/** Starts the server of a smoke run. Returns the environment in which benches use it. */
export async function startSmokeServer(workspace: Workspace): Promise<Record<string, string>> {
  const cluster = await startCluster(workspace, { settings: COUNTED, durable: false });
  const template = 'smoke_template';
  await ensureDatabase(cluster.adminUrl, { name: template, owner: cluster.owner.name });
  const ownerUrl = urlOf(cluster.adminUrl, { database: template, login: cluster.owner });
  await migrate(ownerUrl, { runtimeLogin: cluster.runtime.name });
  return { [SMOKE_SERVER]: JSON.stringify({ ...cluster, template } satisfies SmokeServer) };
}

/**
 * The URLs of the logins to a migrated, empty database on a server of its own. See `startCluster`. In a smoke run, the
 * server is shared.
 */
export async function startDatabase(
  workspace: Workspace,
  options: Settings = {},
): Promise<{ ownerUrl: string; adminUrl: string; url: string; pid: number }> {
  const shared = process.env[SMOKE_SERVER];
  const smoke = shared === undefined ? null : (JSON.parse(shared) as SmokeServer);
  const { adminUrl, owner, runtime, pid } = smoke ?? (await startCluster(workspace, options));
  const name = smoke === null ? 'bench' : `bench_${process.pid}`;
  await ensureDatabase(adminUrl, { name, owner: owner.name, ...(smoke && { template: smoke.template }) });
  const ownerUrl = urlOf(adminUrl, { database: name, login: owner });
  if (smoke === null) await migrate(ownerUrl, { runtimeLogin: runtime.name });
  return {
    ownerUrl,
    adminUrl: urlOf(adminUrl, { database: name }),
    url: urlOf(adminUrl, { database: name, login: runtime }),
    pid,
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
