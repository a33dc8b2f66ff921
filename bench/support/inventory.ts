import { startScan } from '../../core/campaigns/start-scan.ts';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { compose, type Runtime } from '../../core/runtime.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import type { Workspace } from './workspace.ts';

const DRAIN_MS = 60_000;

/** Runs an inventory of a scope to its last unit. */
export async function inventory(runtime: Runtime, tenantId: TenantId, scopeId: ScopeId): Promise<void> {
  const { db, worker } = runtime;
  const scan = {
    scopeId,
    kind: 'inventory',
    createdBy: null,
    correlationId: 'bench',
    now: Date.now(),
  } as const;
  const scanned = await withTx(db, { tenantId, mode: 'write' }, (tx) => startScan(runtime, tx, scan));
  if ('refused' in scanned) throw new Error(`No scan: ${scanned.refused.reason}`);
  const campaignId = scanned.started;
  const isOver = () =>
    withTx(db, { tenantId, mode: 'read' }, async (tx) => {
      const rows = await tx.query(sql`
        select from campaigns where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status = 'completed'`);
      return rows.length > 0;
    });
  while (!(await isOver())) await worker.drain(DRAIN_MS, runtime.stopping);
}

/** The parts of a process that scans one folder, in this process. They are closed with the workspace. */
export async function composeForShare(
  workspace: Workspace,
  databaseUrl: string,
  folder: string,
): Promise<Runtime> {
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_LOG_LEVEL: 'error',
    SVC_DATABASE_URL: databaseUrl,
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: `${folder}/`,
    SVC_SMB_SHARES: '.',
  });
  const runtime = await compose(config, Date.now);
  workspace.atEnd(runtime.close);
  return runtime;
}

/** Registers the folder that the settings name as a share. */
export async function connectShare(runtime: Runtime, tenantId: TenantId): Promise<ScopeId> {
  const signal = AbortSignal.timeout(30_000);
  const { scopes } = await connectorFor(runtime, tenantId, 'smb').listScopes(null, signal);
  return withTx(runtime.db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(tx, 'smb', 'live', scopes, Date.now());
    const [scope] = await tx.query<{ scopeId: ScopeId }>(sql`
      select scope_id as "scopeId" from scopes where tenant_id = ${tenantId} and family = 'smb'`);
    if (scope === undefined) throw new Error('No scope was registered');
    return scope.scopeId;
  });
}
