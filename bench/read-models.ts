import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import { seedTenant } from '../infra/local/seed.ts';
import { renderTable } from '../infra/local/table.ts';
import { CALLERS } from './read-models/endpoints.ts';
import { fill } from './read-models/fill.ts';
import { type Figures, measure } from './read-models/measure.ts';
import { LARGE_TENANT } from './read-models/tenant.ts';
import { startProcess } from './support/child.ts';
import { type BenchOptions, readOptions } from './support/command-line.ts';
import { ratioOf } from './support/comparison.ts';
import { startDatabase } from './support/database.ts';
import type { LoadResult } from './support/load.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- read-models [--assets N] [--seconds N] [--plans FILE] [--json]

Measures how long 20 callers wait for home, landscape, assets, queue, asset detail, connections, findings, actions and
tasks of a tenant with N assets, 50 domains and 200 owners. Each caller pauses for two seconds between calls.
Also measured: the same without pauses, with all processors busy, and plain SQL without projections and without pauses.

  --assets N    assets of the tenant (default 1000000)
  --seconds N   time to measure each, with and without pauses (default 20)
  --plans FILE  file for the query plans of the statements
  --json        end with one JSON object on the last line`;

const TARGET_P95_MS = 100;
/**
 * Connections of each process. There are as many processes as processors, so that all connections together are twice
 * what can work at once.
 */
const CONNECTIONS = 2;
/** The number of different calls of a caller whose plans are kept. */
const WAYS = 8;

async function run(workspace: Workspace, { assets, seconds, smoke }: BenchOptions): Promise<Figures[]> {
  const {
    adminUrl,
    ownerUrl,
    url: databaseUrl,
  } = await startDatabase(workspace, {
    settings: { shared_buffers: '1GB' },
  });
  const hugePages = await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ huge_pages_status: string }>('show huge_pages_status');
    return rows[0]?.huge_pages_status;
  });
  console.error(`Postgres has huge pages: ${hugePages}`);
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'bench' });
  await seedTenant(owner, LARGE_TENANT, Date.now()).finally(owner.close);
  console.error(`Making ${assets} assets, which takes some minutes`);
  await withClient(adminUrl, (client) => fill(client, assets, console.error));
  const start = async () => {
    const { child, ready } = await startProcess<{ url: string }>(
      workspace,
      new URL('./read-models/service.ts', import.meta.url),
      { databaseUrl },
      { SVC_DATABASE_POOL_SIZE: String(CONNECTIONS) },
    );
    return { child, url: ready.url };
  };
  const others = Array.from({ length: smoke ? 0 : availableParallelism() - 1 }, start);
  const effort = smoke ? { seconds, callers: 3, ways: 1 } : { seconds, callers: CALLERS, ways: WAYS };
  return measure([await start(), ...(await Promise.all(others))], adminUrl, effort, console.error);
}

const options = readOptions(USAGE, { assets: 1_000_000 });
const figures = await inWorkspace((workspace) => run(workspace, options));

const tenth = (value: number) => Math.round(value * 10) / 10;
const rounded = (result: LoadResult) => ({
  rps: tenth(result.rps),
  p50: tenth(result.p50),
  p95: tenth(result.p95),
  p99: tenth(result.p99),
});
const summary = figures.map(({ name, ours, seeingAll, saturated, plain }) => ({
  name,
  ours: rounded(ours),
  seeingAll: seeingAll && rounded(seeingAll),
  saturated: rounded(saturated),
  plain: plain && rounded(plain),
  ratio: plain && ratioOf(saturated.p95, plain.p95),
  holds: ours.p95 <= TARGET_P95_MS,
  holdsSaturated: saturated.p95 <= TARGET_P95_MS,
}));
console.log(
  renderTable(
    [
      `GET, ms at ${options.assets} assets`,
      'p50',
      'p95',
      'p99',
      'p95 of readers of all',
      `≤ ${TARGET_P95_MS}`,
      'without pauses p50',
      'without pauses p95',
      `≤ ${TARGET_P95_MS}`,
      'per second',
      'plain p95',
      'ratio',
    ],
    summary.map(({ name, ours, seeingAll, saturated, plain, ratio, holds, holdsSaturated }) => [
      name,
      ours.p50,
      ours.p95,
      ours.p99,
      seeingAll?.p95 ?? '',
      holds ? 'yes' : 'no',
      saturated.p50,
      saturated.p95,
      holdsSaturated ? 'yes' : 'no',
      saturated.rps,
      plain?.p95 ?? '',
      ratio ?? '',
    ]),
  ),
);
if (options.plans !== undefined) {
  const text = figures.flatMap(({ name, plans }) =>
    plans.map(
      (each) =>
        `## ${name}: ${each.path} as ${each.principalId}\n\n${each.plans.map((plan) => plan.text).join('\n\n')}\n`,
    ),
  );
  await writeFile(options.plans, text.join('\n'));
}
if (options.json)
  console.log(
    JSON.stringify({
      assets: options.assets,
      endpoints: summary,
      plans: figures.map(({ name, plans }) => ({ name, plans })),
    }),
  );
