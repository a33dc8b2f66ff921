import { mockAiProvider } from '../core/ai/mock.ts';
import { startCampaign } from '../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../core/config/config.ts';
import type { Connector, FeedConnector, SourceItem } from '../core/connectors/connector.ts';
import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, withTx } from '../core/db/tx.ts';
import type { CampaignId, ScopeId, TenantId } from '../core/kernel/ids.ts';
import { createLogger } from '../core/observability/log.ts';
import { createMetrics } from '../core/observability/metrics.ts';
import { createScanAnalysis } from '../core/scan/analysis-pool.ts';
import { scanHandlers } from '../core/scan/scan-handlers.ts';
import { createWorker, type Worker } from '../core/work/worker.ts';
import { renderTable } from '../infra/local/table.ts';
import { readOptions } from './support/command-line.ts';
import { makeScope, makeTenant, startDatabase } from './support/database.ts';
import { interleaved, median } from './support/rounds.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- delta [--assets N] [--json]

Measures deltas with 100 changed items, in a scope of N items and in one of 1,000, by a feed and by comparison.

  --assets N  items of the larger scope (default 100000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE);

const CHANGED = 100;
const FEW = 1_000;
const ROUNDS = options.smoke ? 1 : 5;
const PAGE = 200;
const MIB = 1024 * 1024;

type Mode = Connector['delta'];
type Side = { tenantId: TenantId; scopeId: ScopeId; assets: number };
/** Milliseconds of one delta: from its request to its last unit, and until it knew the changes. */
type Sample = { total: number; found: number };

/** A source of numbered files. The first hundred have changed `revision` times. */
function numberedSource(assets: number) {
  let revision = 1;
  const item = (n: number): SourceItem => {
    const version = n < CHANGED ? `${revision}` : '1';
    return {
      externalId: `${n}`,
      name: `file-${n}.txt`,
      path: `folder-${n % 100}/file-${n}.txt`,
      kind: 'file',
      sizeBytes: 40,
      mimeType: 'text/plain',
      sourceUrl: null,
      sourceVersion: version,
      contentVersion: version,
      createdAt: null,
      modifiedAt: null,
      modifiedBy: null,
    };
  };
  const items = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => item(from + at));
  const reads: Omit<FeedConnector, 'delta' | 'listDelta'> = {
    family: 'm365',
    mode: 'mock',
    listScopes: async () => ({ scopes: [], nextPageToken: null }),
    listLabels: async () => [],
    listItems: async (_scope, pageToken) => {
      const from = Number(pageToken ?? 0);
      const to = Math.min(from + PAGE, assets);
      return { items: items(from, to), nextPageToken: to < assets ? `${to}` : null, deltaCursor: null };
    },
    getItem: async (_scope, externalId) => item(Number(externalId)),
    getPermissions: async () => ({ grants: [], complete: true }),
    getLabel: async () => ({ state: 'unlabeled' }),
    readContent: async (_scope, externalId) => ({
      state: 'available',
      bytes: Buffer.from(`Note ${externalId}, revision ${revision}: nothing much.`),
    }),
  };
  const connectors: Record<Mode, Connector> = {
    comparison: { ...reads, delta: 'comparison' },
    feed: {
      ...reads,
      delta: 'feed',
      listDelta: async () => ({
        changes: items(0, CHANGED).map((changed) => ({ type: 'upsert', item: changed })),
        nextPageToken: null,
        deltaCursor: 'cursor',
      }),
    },
  };
  return { connectors, change: () => revision++ };
}

/** Creates a scope in the state after an inventory. */
async function fill(db: Db, adminUrl: string, tenantId: TenantId, assets: number): Promise<Side> {
  const scopeId = (await makeScope(db, tenantId)) as ScopeId;
  await withClient(adminUrl, async (client) => {
    for (const { text, values } of [
      sql`insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                              content_version, stage_keys, first_seen_at, last_seen_at)
          select ${tenantId}, 'ast_' || lpad(n::text, 26, '0'), ${scopeId}, n::text, 'file-' || n || '.txt',
                 'folder-' || n % 100 || '/file-' || n || '.txt', 'file', 40, '1', '1', '{"observe":"1"}', now(), now()
            from generate_series(0, ${assets - 1}::integer) as n`,
      sql`update scopes set coverage_state = 'baseline', delta_cursor = 'cursor', delta_cursor_status = 'valid',
                            asset_count = ${assets}
           where tenant_id = ${tenantId}`,
    ]) {
      await client.query(text, [...values]);
    }
    await client.query('vacuum analyze assets');
  });
  return { tenantId, scopeId, assets };
}

async function measure(workspace: Workspace, assets: number) {
  const urls = await startDatabase(workspace);
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  const db = createPool(urls.url, { max: 10, applicationName: 'bench' });
  workspace.atEnd(db.close);
  const sides: Side[] = [];
  for (const [name, count] of [
    ['few', FEW],
    ['many', assets],
  ] as const) {
    await makeTenant(owner, name as TenantId);
    sides.push(await fill(db, urls.adminUrl, name as TenantId, count));
  }
  await owner.close();
  const config = loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: urls.url });
  const analysis = createScanAnalysis({
    size: config.SVC_EXTRACT_WORKERS,
    cpuMs: config.SVC_EXTRACT_SECONDS * 1_000,
    maxOldSpaceMb: config.SVC_EXTRACT_WORKER_MB,
    maxInputBytes: MIB,
    bounds: { maxCharacters: MIB, maxMembers: 10, maxInflatedBytes: MIB, maxDepth: 0 },
    ocrLanguages: [],
  });
  workspace.atEnd(analysis.close);
  const sources = new Map(sides.map((side) => [side.tenantId, numberedSource(side.assets)]));
  const log = createLogger({ level: 'error', clock: Date.now });
  const workerOf = (mode: Mode): Worker => {
    const common = { config, db, clock: Date.now, log, metrics: createMetrics(), doorbell: null };
    const connectorFor = (tenantId: TenantId) => {
      const source = sources.get(tenantId);
      if (source === undefined) throw new Error('No such tenant');
      return source.connectors[mode];
    };
    const handlers = scanHandlers({ ...common, analysis, provider: mockAiProvider, connectorFor });
    const concurrency = config.SVC_WORKER_CONCURRENCY;
    return createWorker({ owner: 'wrk_bench', ...common, handlers, concurrency });
  };
  const deltasOf = async (mode: Mode) => {
    const worker = workerOf(mode);
    const [few, many] = sides;
    if (few === undefined || many === undefined) throw new Error('Two scopes were expected');
    const deltaOf = (side: Side) => async (): Promise<Sample> => {
      sources.get(side.tenantId)?.change();
      // A feed is read in one unit, a listing in one for each page.
      const listings = mode === 'feed' ? 1 : Math.ceil(side.assets / PAGE);
      return delta(db, worker, side, CHANGED + listings);
    };
    const { ours, bare } = await interleaved(ROUNDS, deltaOf(many), deltaOf(few));
    return figuresOf(ours, bare);
  };
  return {
    changed: CHANGED,
    few: FEW,
    many: assets,
    feed: await deltasOf('feed'),
    comparison: await deltasOf('comparison'),
  };
}

async function delta(db: Db, worker: Worker, { tenantId, scopeId }: Side, units: number): Promise<Sample> {
  const first = { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaign = { scopeId, kind: 'delta' as const, createdBy: null, correlationId: 'cor_bench', first };
  const began = performance.now();
  const campaignId = await withTx(db, { tenantId, mode: 'write' }, (tx) =>
    startCampaign(tx, campaign, Date.now()),
  );
  if (campaignId === null) throw new Error('Another delta is active');
  await worker.drain(600_000, new AbortController().signal);
  const total = performance.now() - began;
  return { total, found: await foundMs(db, tenantId, campaignId, units) };
}

/**
 * Milliseconds from the campaign's start until its cursor moved. Checks that the delta processed exactly the changed
 * items.
 */
async function foundMs(db: Db, tenantId: TenantId, campaignId: CampaignId, units: number): Promise<number> {
  const [row] = await withTx(db, { tenantId, mode: 'read' }, (tx) =>
    tx.query<{ units: number; status: string; ms: number }>(sql`
      select units_completed as units, c.status, extract(epoch from s.delta_cursor_at - c.started_at)::float8 * 1000 as ms
        from campaigns c join scopes s using (tenant_id, scope_id)
       where c.tenant_id = ${tenantId} and c.campaign_id = ${campaignId}`),
  );
  if (row?.status !== 'completed' || row.units !== units)
    throw new Error('The delta did not process exactly the changed items');
  return row.ms;
}

const rounded = (value: number) => Number(value.toFixed(2));

function figuresOf(many: readonly Sample[], few: readonly Sample[]) {
  const of = (samples: readonly Sample[]) => ({
    totalMs: rounded(median(samples.map(({ total }) => total))),
    foundMs: rounded(median(samples.map(({ found }) => found))),
  });
  const [large, small] = [of(many), of(few)];
  return { many: large, few: small, ratio: rounded(large.totalMs / small.totalMs) };
}

process.env.SVC_LOG_LEVEL ??= 'error';
const figures = await inWorkspace((workspace) => measure(workspace, options.assets));
const rows = (['feed', 'comparison'] as const).flatMap((mode) => {
  const { many, few, ratio } = figures[mode];
  return [
    [`by ${mode}`, figures.few, few.totalMs, few.foundMs, ''],
    [`by ${mode}`, figures.many, many.totalMs, many.foundMs, ratio],
  ];
});
console.log(
  renderTable([`Delta of ${CHANGED} changes`, 'items', 'ms', 'of which finding them', 'ratio'], rows),
);
if (options.json) console.log(JSON.stringify(figures));
