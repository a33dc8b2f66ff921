import { mockAiProvider } from '../../core/ai/mock.ts';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../core/config/config.ts';
import { connectorFactories } from '../../core/connectors/index.ts';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { createGraphAccess } from '../../core/integrations/graph-access.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { analysisFor } from '../../core/runtime.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { announce, taskOfParent } from '../support/child.ts';
import type { FakeReady } from './fake-process.ts';

export type ServiceTask = { databaseUrl: string; tenantId: TenantId; fake: FakeReady };
/** `onlyLists`: the items are listed and not processed. */
export type ScanAsked = { kind: 'inventory' | 'delta'; onlyLists: boolean };
export type Scanned = { seconds: number; dead: number; peakMb: number };

const { databaseUrl, tenantId, fake } = await taskOfParent<ServiceTask>();
const config = loadConfig({
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_DATABASE_URL: databaseUrl,
  SVC_GRAPH_TENANT_ID: fake.tenantId,
  SVC_GRAPH_CLIENT_ID: fake.clientId,
  SVC_GRAPH_CLIENT_SECRET_REF: 'SECRET',
  SECRET: fake.secret,
});
const db = createPool(databaseUrl, { max: 10, applicationName: 'bench' });
const clock = Date.now;
const log = createLogger({ level: 'error', clock });
const metrics = createMetrics();
const { graphOrigin, authorityOrigin, documentOrigin } = fake;
const cloud = { graphOrigin, authorityOrigin, contentDomains: [], contentOrigins: [documentOrigin] };
const client = createGraphAccess({ config, db, clock, metrics, log }, cloud).reads('background');
if (client === null) throw new Error('The client of Graph is not configured');
const connector = connectorFactories.m365.live({
  ...{ client, cloud, clock, selected: { family: 'm365', sites: 'all' }, readsLabels: true },
  tenantId: fake.tenantId,
});
const never = new AbortController().signal;
const { scopes } = await connector.listScopes(null, never);
const scopeId = await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
  await registerScopes(tx, 'm365', 'live', scopes, clock());
  const [scope] = await tx.query<{ scopeId: ScopeId }>(
    sql`select scope_id as "scopeId" from scopes where tenant_id = ${tenantId}`,
  );
  if (scope === undefined) throw new Error('No library was found');
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
