import { mockAiProvider } from '../../core/ai/mock.ts';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import type { Config } from '../../core/config/config.ts';
import type { Connector } from '../../core/connectors/connector.ts';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { analysisFor } from '../../core/runtime.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { announce } from './child.ts';

/** `onlyLists`: the items are listed and not processed. */
export type ScanAsked = { kind: 'inventory' | 'delta'; onlyLists: boolean };
export type Scanned = { seconds: number; dead: number; peakMb: number };

/** What a process that scans has, before its connector is made. */
export function scanParts(config: Config, databaseUrl: string) {
  const clock = Date.now;
  const db = createPool(databaseUrl, { max: 10, applicationName: 'bench' });
  return { config, clock, db, log: createLogger({ level: 'error', clock }), metrics: createMetrics() };
}

const never = new AbortController().signal;

/** Scans the first scope of a connector whenever the parent process asks for it. */
export async function serveScans(
  { config, clock, db, log, metrics }: ReturnType<typeof scanParts>,
  tenantId: TenantId,
  connector: Connector,
): Promise<void> {
  const { scopes } = await connector.listScopes(null, never);
  const scopeId = await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(tx, connector.family, 'live', scopes, clock());
    const [scope] = await tx.query<{ scopeId: ScopeId }>(
      sql`select scope_id as "scopeId" from scopes where tenant_id = ${tenantId} and family = ${connector.family}`,
    );
    if (scope === undefined) throw new Error('No scope was found');
    return scope.scopeId;
  });

  const analysis = analysisFor(config);
  const common = { db, clock, log, metrics, doorbell: null };
  const handlers = scanHandlers({
    ...{ ...common, config, analysis, provider: mockAiProvider, connectorFor: () => connector },
  });
  const workerOf = (onlyLists: boolean) =>
    createWorker({
      ...{ owner: 'wrk_bench', ...common, concurrency: config.SVC_WORKER_CONCURRENCY },
      handlers: onlyLists ? { ...handlers, process_asset: async () => ({ observe: 'skipped' }) } : handlers,
    });

  async function scan({ kind, onlyLists }: ScanAsked): Promise<Scanned> {
    const first =
      kind === 'inventory'
        ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
        : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
    const campaign = { scopeId, kind, createdBy: null, correlationId: 'cor_bench', first };
    const began = performance.now();
    const campaignId = await withTx(db, { tenantId, mode: 'write' }, (tx) =>
      startCampaign(tx, campaign, clock()),
    );
    await workerOf(onlyLists).drain(Number.POSITIVE_INFINITY, never);
    const [ended] = await withTx(db, { tenantId, mode: 'read' }, (tx) =>
      tx.query<{ status: string; dead: number; seconds: number }>(sql`
        select status, units_dead as dead from campaigns
         where tenant_id = ${tenantId} and campaign_id = ${campaignId}`),
    );
    if (ended?.status !== 'completed') throw new Error('The scan did not end');
    const seconds = (performance.now() - began) / 1_000;
    return { seconds, dead: ended.dead, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) };
  }

  process.on('message', (asked: ScanAsked) => void scan(asked).then((scanned) => process.send?.(scanned)));
  announce({}, async () => {
    await analysis.close();
    await db.close();
  });
}
