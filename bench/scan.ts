import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SourceFamily } from '../core/connectors/connector.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, type Tx, withTx } from '../core/db/tx.ts';
import type { Metrics } from '../core/observability/metrics.ts';
import { MEASURED_STAGES } from '../core/observability/vocabulary.ts';
import { runtime } from '../core/runtime.ts';
import { fixtureBytes } from '../infra/local/fixture/fixture-content.ts';
import { seedFixture } from '../infra/local/fixture/seed-fixture.ts';
import { DEVELOPMENT_TENANT_ID } from '../infra/local/seed.ts';
import { byDevelopmentSignIn } from '../infra/local/sign-in-as.ts';
import { startStack } from '../infra/local/stack.ts';
import { renderTable } from '../infra/local/table.ts';
import { type CostPerAsset, costPerAsset } from './scan/cost-per-asset.ts';
import { type Estimated, estimatesTable, scanEstimated } from './scan/estimated.ts';
import { readOptions } from './support/command-line.ts';
import { keepFewItems } from './support/few-items.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- scan [FOLDER] [--json]

Measures the assets per second of whole scans through the local stack, of the fixture tenant and then of a folder. Then
measures the processor time of this process and of Postgres, WAL and disk for one asset, with N text files of 2 kB: when
they are new, and when none of them has changed. Each scan is estimated before, and both are shown.

  FOLDER      folder to scan, read-only (default: some hundred documents written to a temporary folder)
  --assets N  text files (default 8000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE, { assets: 8_000 });

/** Each seed generates about two hundred documents that the fixture tenant does not have. */
const FOLDER_SEEDS = ['bench-1', 'bench-2'];
const WRITTEN_EACH = options.smoke ? 20 : Number.POSITIVE_INFINITY;

/** Tables that are shown. */
const LARGEST = 12;

type ScanFigures = {
  assets: number;
  seconds: number;
  assetsPerSecond: number;
  /**
   * The share of each stage in the time of the worker's slots. `rest` is inference, the database, and waiting for a
   * unit.
   */
  stages: Record<string, number>;
  contentStates: Record<string, number>;
};

async function writeDocuments(folder: string): Promise<void> {
  for (const seed of FOLDER_SEEDS) {
    const items = seedFixture(seed).items.filter(({ readable }) => readable);
    for (const item of items.slice(0, WRITTEN_EACH)) {
      const parent = path.join(folder, seed, item.scopeExternalId, item.folder);
      await mkdir(parent, { recursive: true });
      await writeFile(path.join(parent, item.name), fixtureBytes(item));
    }
  }
}

/**
 * Adds up the durations of each stage, because the registry keeps percentiles but no sums. Each call resets the sums.
 */
function sumStages(metrics: Metrics): () => Map<string, number> {
  let sums = new Map<string, number>();
  const observe = metrics.observe;
  metrics.observe = (name, milliseconds) => {
    sums.set(name, (sums.get(name) ?? 0) + milliseconds);
    observe(name, milliseconds);
  };
  return () => {
    const taken = sums;
    sums = new Map();
    return taken;
  };
}

/** Seconds from the first campaign's request to the end of the last one, as recorded in the database. */
async function secondsOf(tx: Tx, family: SourceFamily): Promise<number> {
  const [row] = await tx.query<{ seconds: number | null }>(sql`
    select extract(epoch from max(c.finished_at) - min(c.created_at))::float8 as seconds
      from campaigns c join scopes s using (tenant_id, scope_id)
     where c.tenant_id = ${tx.tenantId} and s.family = ${family}`);
  if (row?.seconds == null) throw new Error('No scan has ended');
  return row.seconds;
}

async function statesOf(tx: Tx, family: SourceFamily): Promise<Record<string, number>> {
  const rows = await tx.query<{ state: string; count: number }>(sql`
    select a.content_state as state, count(*)::int as count
      from assets a join scopes s using (tenant_id, scope_id)
     where a.tenant_id = ${tx.tenantId} and s.family = ${family} and a.status = 'active'
     group by 1 order by 2 desc, 1`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

async function figuresOf(
  db: Db,
  family: SourceFamily,
  sums: ReadonlyMap<string, number>,
  slots: number,
): Promise<ScanFigures> {
  const { seconds, contentStates } = await withTx(
    db,
    { tenantId: DEVELOPMENT_TENANT_ID, mode: 'read' },
    async (tx) => ({
      seconds: await secondsOf(tx, family),
      contentStates: await statesOf(tx, family),
    }),
  );
  const shares = MEASURED_STAGES.map(
    (stage) => [stage, (sums.get(`stage_latency_ms:${stage}`) ?? 0) / (slots * seconds * 1000)] as const,
  );
  const rest = 1 - shares.reduce((total, [, share]) => total + share, 0);
  const assets = Object.values(contentStates).reduce((total, count) => total + count, 0);
  return {
    assets,
    seconds: rounded(seconds, 2),
    assetsPerSecond: rounded(assets / seconds, 1),
    stages: Object.fromEntries(
      [...shares, ['rest', rest] as const].map(([name, x]) => [name, rounded(x, 3)]),
    ),
    contentStates,
  };
}

const costTable = (costs: Record<string, CostPerAsset>) =>
  renderTable(
    ['Text files of 2 kB', 'assets', 'assets/s', 'process, ms', 'Postgres, ms', 'statements', 'WAL, bytes'],
    Object.entries(costs).map(([name, each]) => [
      name,
      each.assets,
      each.assetsPerSecond,
      each.processMs,
      each.postgresMs ?? 'unknown',
      each.statements,
      each.walBytes,
    ]),
  );

process.env.SVC_LOG_LEVEL ??= 'error';

const figures = await inWorkspace(async ({ folder, atEnd, untilEnd }) => {
  const share = options.folder === undefined ? path.join(folder, 'share') : await realpath(options.folder);
  if (options.folder === undefined) {
    const writing = writeDocuments(share);
    // The folder is removed only after the writing has ended.
    atEnd(() => writing);
    await writing;
  }
  // In this process, because the registry that is read below belongs to the scanning process.
  const stack = await untilEnd(
    startStack({
      root: path.resolve(import.meta.dirname, '..'),
      dataDir: folder,
      port: 0,
      share,
      fresh: false,
      log: console.error,
    }),
  );
  if (options.smoke) await keepFewItems(process.env.SVC_MIGRATION_DATABASE_URL ?? '');
  const db = createPool(stack.databaseUrl, { max: 1, applicationName: 'bench' });
  atEnd(db.close);
  const { metrics, config } = await runtime();
  const takeSums = sumStages(metrics);
  const signInAs = byDevelopmentSignIn(stack.url);
  const measured: ScanFigures[] = [];
  const scan = (family: SourceFamily) =>
    scanEstimated(signInAs, family, async (run) => {
      await run();
      measured.push(await figuresOf(db, family, takeSums(), config.SVC_WORKER_CONCURRENCY));
    });
  const estimates: Record<string, Estimated> = {};
  for (const [name, family] of [
    ['fixture tenant', 'm365'],
    ['folder', 'smb'],
  ] as const)
    estimates[name] = await scan(family);
  const [fixture, ofFolder] = measured;
  if (fixture === undefined || ofFolder === undefined) throw new Error('A scan was not measured');
  // With the pace of the first scan, minutes are estimated too.
  estimates['fixture tenant again'] = await scan('m365');
  estimates['folder again'] = await scan('smb');
  const peakRssMb = Math.round(process.resourceUsage().maxRSS / 1024);
  return { fixture, folder: ofFolder, estimates, peakRssMb };
});

const sides = { 'fixture tenant': figures.fixture, folder: figures.folder };
const percent = (share: number) => `${Math.round(share * 100)} %`;
console.log(
  [
    renderTable(
      ['Scan of', 'assets', 'seconds', 'assets/s', 'content states'],
      Object.entries(sides).map(([name, { assets, seconds, assetsPerSecond, contentStates }]) => [
        name,
        assets,
        seconds,
        assetsPerSecond,
        Object.entries(contentStates)
          .map(([state, count]) => `${state} ${count}`)
          .join(', '),
      ]),
    ),
    renderTable(
      ['Share of worker slots', ...Object.keys(figures.fixture.stages)],
      Object.entries(sides).map(([name, { stages }]) => [name, ...Object.values(stages).map(percent)]),
    ),
    estimatesTable(figures.estimates),
    `Peak memory of the process, extraction threads included: ${figures.peakRssMb} MB\n`,
  ].join('\n'),
);
const smallFiles = await inWorkspace((workspace) => costPerAsset(workspace, options.assets));
console.log(costTable(smallFiles));
for (const [name, { longest, disk }] of Object.entries(smallFiles)) {
  console.log(
    renderTable(
      [`Database, ${name}`, 'bytes an asset'],
      disk.slice(0, LARGEST).map(({ table, bytes }) => [table, bytes]),
    ),
  );
  console.log(
    renderTable(
      [`Time of all statements, ${name}`, 'ms an asset', 'calls an asset', 'statement'],
      longest.map((each) => [percent(each.share), each.msPerAsset, each.callsPerAsset, each.statement]),
    ),
  );
}
if (options.json) console.log(JSON.stringify({ ...figures, smallFiles }));
