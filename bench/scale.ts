import { findCampaign, listCampaigns, stageCounts } from '../core/campaigns/campaigns.sql.ts';
import { deadLetters } from '../core/campaigns/dead-letters.sql.ts';
import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import { type Db, withEngineTx, withQueueTx, withTx } from '../core/db/tx.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import { createLogger } from '../core/observability/log.ts';
import { createMetrics } from '../core/observability/metrics.ts';
import { metricsReport } from '../core/operations/metrics-report.ts';
import { overview } from '../core/operations/overview.ts';
import { listScopes } from '../core/sources/scopes.sql.ts';
import { LEASE_BATCH, leaseUnits } from '../core/work/lease.sql.ts';
import { listScanners } from '../core/work/scanners.sql.ts';
import { type Settlement, settleUnits } from '../core/work/settle.sql.ts';
import type { WorkUnit } from '../core/work/unit.ts';
import { createWorker } from '../core/work/worker.ts';
import { renderTable } from '../infra/local/table.ts';
import { type Filled, fill } from './scale/fill.ts';
import { readOptions } from './support/command-line.ts';
import { ratioOf } from './support/comparison.ts';
import { startDatabase } from './support/database.ts';
import { median } from './support/rounds.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- scale [--assets N] [--json]

Measures the time of leasing, settling, the overview, a campaign and the sources for a tenant with N assets and as many
work units, and how fast its units are drained, compared with a queue of 10,000.

  --assets N  assets and units of the tenant (default 1000000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE, { assets: 1_000_000 });

const FEW = options.smoke ? 1_000 : 10_000;
const CALLS = options.smoke ? 10 : 200;
const ROUNDS = options.smoke ? 1 : 5;
const BEST_BATCH = 250;
/** Drained in one run, so that some units always remain. */
const DRAINED = options.smoke ? 400 : 4_000;

const tenant = { kind: 'tenant' } as const;
const log = createLogger({ level: 'error', clock: Date.now });

/** Median and 95th percentile in milliseconds. */
type Cost = { p50: number; p95: number };

async function costOf(act: () => Promise<unknown>): Promise<Cost> {
  const took: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const started = performance.now();
    await act();
    took.push(performance.now() - started);
  }
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(share * (CALLS - 1))] ?? 0) * 10) / 10;
  return { p50: at(0.5), p95: at(0.95) };
}

const completed = ({ unitId, attempt }: WorkUnit): Settlement => ({
  unitId,
  attempt,
  result: 'completed',
  runAfter: null,
  retryClass: null,
  safeDiagnostic: null,
  deadLetterId: null,
  stages: { inference: 'computed' },
});

async function costs(db: Db, { tenantId, campaignId }: Filled): Promise<Record<string, Cost>> {
  const leased: WorkUnit[][] = [];
  const lease = () =>
    withQueueTx(db, { lasting: false, planned: 'once' }, (tx) =>
      leaseUnits(tx, 'bench', { units: LEASE_BATCH, orphans: 1 }, Date.now()),
    );
  const read = (work: Parameters<typeof withTx>[2]) => () => withTx(db, { tenantId, mode: 'read' }, work);
  return {
    [`lease of ${LEASE_BATCH}`]: await costOf(async () => leased.push(await lease())),
    [`settlement of ${LEASE_BATCH}`]: await costOf(() =>
      withQueueTx(db, { lasting: true, planned: 'each time' }, (tx) =>
        settleUnits(tx, 'bench', (leased.pop() ?? []).map(completed), Date.now()),
      ),
    ),
    overview: await costOf(async () => {
      const fleet = await withEngineTx(db, (tx) => listScanners(tx, Date.now()));
      await read((tx) => overview(tx, log, { fleet, problems: [], warnings: [] }))();
    }),
    metrics: await costOf(read((tx) => metricsReport(tx, createMetrics(), Date.now()))),
    campaign: await costOf(
      read(async (tx) => [
        await findCampaign(tx, tenant, campaignId),
        await stageCounts(tx, campaignId),
        await deadLetters(tx, tenant, { campaignId, readable: 'all' }, 50),
      ]),
    ),
    campaigns: await costOf(read((tx) => listCampaigns(tx, tenant, 51))),
    sources: await costOf(read((tx) => listScopes(tx, tenant, 201))),
  };
}

/** Units per second that one process drains, at most `most` units. */
async function drainRate(db: Db, leaseBatch: number, most: number): Promise<number> {
  const stop = new AbortController();
  let done = 0;
  const worker = createWorker({
    owner: 'bench',
    db,
    clock: Date.now,
    log,
    metrics: createMetrics(),
    doorbell: null,
    handlers: {
      rescore_asset: async () => {
        if (++done === most) stop.abort();
        return { inference: 'computed' };
      },
    },
    concurrency: leaseBatch,
    leaseBatch,
  });
  const started = performance.now();
  await Promise.all([1, 2].map(() => worker.drain(600_000, stop.signal)));
  return (worker.tally().processed * 1000) / (performance.now() - started);
}

const DRAINS = { [`${LEASE_BATCH} at once`]: LEASE_BATCH, [`${BEST_BATCH} at once`]: BEST_BATCH };

async function measure(workspace: Workspace, assets: number) {
  const { adminUrl, url } = await startDatabase(workspace);
  const db = createPool(url, { max: 6, applicationName: 'bench' });
  workspace.atEnd(db.close);
  const rates = async () => {
    const found: Record<string, number> = {};
    for (const [name, batch] of Object.entries(DRAINS)) found[name] = await drainRate(db, batch, DRAINED);
    return found;
  };
  const few: Record<string, number>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await withClient(adminUrl, async (client) => {
      await fill(client, `few-${round}` as TenantId, FEW);
    });
    few.push(await rates());
    await withClient(adminUrl, (client) =>
      client.query(`update campaigns set status = 'paused' where status = 'running'`),
    );
  }
  console.error(`Making ${assets} assets and units, which takes a while`);
  const filled = await withClient(adminUrl, async (client) => {
    // The indexes for search are not measured here and take long to build.
    await client.query('drop index assets_words; drop index assets_name_start');
    return fill(client, 'many' as TenantId, assets);
  });
  const many: Record<string, number>[] = [];
  for (let round = 0; round < ROUNDS; round++) many.push(await rates());
  const rateOf = (name: string, rounds: Record<string, number>[]) =>
    Math.round(median(rounds.map((round) => round[name] ?? 0)));
  return {
    assets,
    costs: await costs(db, filled),
    drain: Object.keys(DRAINS).map((name) => {
      const [ofFew, ofMany] = [rateOf(name, few), rateOf(name, many)];
      return { name, few: ofFew, many: ofMany, ratio: ratioOf(ofMany, ofFew) };
    }),
  };
}

const figures = await inWorkspace((workspace) => measure(workspace, options.assets));

console.log(
  renderTable(
    [`Milliseconds at ${figures.assets} assets and units`, 'p50', 'p95'],
    Object.entries(figures.costs).map(([name, { p50, p95 }]) => [name, p50, p95]),
  ),
);
console.log(
  `\n${renderTable(
    ['Units drained per second', `of ${FEW}`, `of ${figures.assets}`, 'ratio'],
    figures.drain.map(({ name, few, many, ratio }) => [`leased ${name}`, few, many, ratio.toFixed(2)]),
  )}`,
);
if (options.json) console.log(JSON.stringify(figures));
