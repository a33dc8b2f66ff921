import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../core/config/config.ts';
import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { withEngineTx, withTx } from '../core/db/tx.ts';
import { type LearnedWeights, WEIGHTED_NAMES } from '../core/inference/weights.ts';
import type { CampaignId } from '../core/kernel/ids.ts';
import { lockActiveEnsemble } from '../core/models/ensembles.sql.ts';
import { rescoreUnder } from '../core/models/rescore.ts';
import { compose } from '../core/runtime.ts';
import { takeBackLeases } from '../core/work/lease.sql.ts';
import { seedDevelopmentTenant, DEVELOPMENT_TENANT_ID as tenantId } from '../infra/local/seed.ts';
import { renderTable } from '../infra/local/table.ts';
import { multiplyAssets } from './rescore/fill.ts';
import { OWNER, scanFixture } from './rescore/fixture.ts';
import type { WorkerShares, WorkerTask } from './rescore/worker.ts';
import { startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { startDatabase } from './support/database.ts';
import { keepFewItems } from './support/few-items.ts';
import { processorMs, serverMs } from './support/processor-time.ts';
import { COUNTED, countStatements, forgetStatements, statementsOf } from './support/statements.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- rescore [--assets N] [--json]

Measures how many assets per second two worker processes score again from retained features, and what takes the time:
first under a version that gives every asset the result that it has, then under one that gives every asset another. In the
middle of each rescore, both processes are killed and others take over. It fails unless each asset is then scored once,
and unless the first rescore stores no inference. Any call of a source fails.

  --assets N  assets of the tenant (default 1000000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE, { assets: 1_000_000 });

const WORKERS = options.smoke ? 1 : 2;
const POLL_MS = 50;
const TARGET = 2_000;
type Workers = Awaited<ReturnType<typeof startProcess<object>>>['child'][];
type Progress = { status: string; settled: number; total: number };

/** The log-odds of every type fall by this, so every confidence changes. */
const SHIFT = 0.001;
const SHIFTED: LearnedWeights = {
  ...{ labels: 0, shift: SHIFT, types: {} },
  factors: Object.fromEntries(
    WEIGHTED_NAMES.map((name) => [name, { factor: 1, support: 0 }]),
  ) as LearnedWeights['factors'],
};

async function measure(workspace: Workspace, wanted: number) {
  const urls = await startDatabase(workspace, { settings: { ...COUNTED, shared_buffers: '1GB' } });
  await countStatements(urls.adminUrl);
  const seeding = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await seedDevelopmentTenant(seeding, Date.now()).finally(seeding.close);
  if (options.smoke) await keepFewItems(urls.ownerUrl);
  const environment = {
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_LOG_LEVEL: 'error',
    SVC_DATABASE_URL: urls.url,
  };
  const runtime = await compose(loadConfig(environment), Date.now);
  await scanFixture(runtime).finally(runtime.close);
  console.error(`Making ${wanted} assets of those of the fixture tenant`);
  const assets = await withClient(urls.adminUrl, (client) =>
    multiplyAssets(client, tenantId, wanted, console.error),
  );

  const db = createPool(urls.url, { max: 2, applicationName: 'bench' });
  workspace.atEnd(db.close);
  const task: WorkerTask = { url: urls.url };
  const startWorkers = async (): Promise<Workers> => {
    const started = await Promise.all(
      Array.from({ length: WORKERS }, () =>
        startProcess<object>(workspace, new URL('./rescore/worker.ts', import.meta.url), task),
      ),
    );
    return started.map(({ child }) => child);
  };
  const spentBy = async (workers: Workers) => {
    const each = await Promise.all(workers.map(({ pid }) => processorMs(pid ?? 0)));
    return each.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  };
  const progressOf = (campaignId: CampaignId) =>
    withTx(db, { tenantId, mode: 'read' }, async (tx): Promise<Progress> => {
      const [row] = await tx.query<Progress>(sql`
        select status, units_completed + units_dead as settled, units_total as total from campaigns
         where tenant_id = ${tenantId} and campaign_id = ${campaignId}`);
      if (row === undefined) throw new Error('The campaign is gone');
      return row;
    });
  const until = async (campaignId: CampaignId, workers: Workers, is: (progress: Progress) => boolean) => {
    const failed = Promise.race(workers.map((child) => once(child, 'exit'))).then(() => {
      throw new Error('A worker ended before its work');
    });
    const reached = async () => {
      while (!is(await progressOf(campaignId))) await sleep(POLL_MS);
    };
    await Promise.race([reached(), failed]);
    failed.catch(() => undefined);
  };

  const start = (learned: LearnedWeights | null) => {
    const origin = { createdBy: OWNER.principalId, correlationId: 'bench' };
    return withTx(db, { tenantId, mode: 'write' }, async (tx) =>
      rescoreUnder(tx, { ...(await lockActiveEnsemble(tx)), learned }, null, origin, Date.now()),
    );
  };
  /** A first rescore, which is not measured: it counts the multiplied decisions as answers so far. */
  const countAnswers = async () => {
    const workers = await startWorkers();
    const { campaignId } = await start(null);
    await until(campaignId, workers, ({ status }) => status === 'completed');
    await stopAll(workers);
  };

  const rescored = async (learned: LearnedWeights | null) => {
    let workers = await startWorkers();
    await forgetStatements(urls.adminUrl);
    const serverBefore = await serverMs(urls.pid);
    const processBefore = await spentBy(workers);
    const walBefore = await walBytes(urls.adminUrl);
    let started = performance.now();
    const { campaignId, ensembleVersion } = await start(learned);
    await until(campaignId, workers, ({ settled }) => settled >= assets / 2);
    let seconds = (performance.now() - started) / 1000;
    const settledBefore = (await progressOf(campaignId)).settled;
    let processMs = (await spentBy(workers)) - processBefore;
    const shares = await sharesOfAll(workers);
    // Killed with units in hand, whose leases are given back as after the start of a new installation.
    await stopAll(workers);
    const inHand = await withEngineTx(db, takeBackLeases);
    workers = await startWorkers();
    const again = await spentBy(workers);
    started = performance.now();
    await until(campaignId, workers, ({ status }) => status === 'completed');
    seconds += (performance.now() - started) / 1000;
    processMs += (await spentBy(workers)) - again;
    const serverAfter = await serverMs(urls.pid);
    await stopAll(workers);
    const run = { campaignId, ensembleVersion, assets, inHand, isChanged: learned !== null };
    const problems = await problemsOf(urls.adminUrl, run);
    const each = (ms: number) => ms / assets;
    return {
      assets,
      assetsPerSecond: assets / seconds,
      processMs: each(processMs),
      postgresMs: serverBefore === null || serverAfter === null ? null : each(serverAfter - serverBefore),
      walBytes: each((await walBytes(urls.adminUrl)) - walBefore),
      ...(await statementsOf(urls.adminUrl, assets)),
      shares,
      killed: { settledBefore, inHand },
      problems,
    };
  };
  await countAnswers();
  return [
    { name: 'the results stay', ...(await rescored(null)) },
    { name: 'all change', ...(await rescored(SHIFTED)) },
  ];
}

const stopAll = (workers: Workers) =>
  Promise.all(
    workers.map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );

/** The mean of the shares of the workers. */
async function sharesOfAll(workers: Workers): Promise<WorkerShares> {
  const all = await Promise.all(
    workers.map(async (child) => {
      const message = once(child, 'message');
      child.send('shares');
      const [shares] = await message;
      return shares as WorkerShares;
    }),
  );
  return Object.fromEntries(
    Object.keys(all[0] ?? {}).map((kind) => [
      kind,
      all.reduce((sum, each) => sum + (each[kind] ?? 0), 0) / all.length,
    ]),
  );
}

const walBytes = (adminUrl: string): Promise<number> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    return rows[0]?.bytes ?? 0;
  });

/** What must not be after the rescore: how often each is. */
const PROBLEMS = `
  with stored as materialized (
    select asset_id, count(distinct inference_key) as times
      from inferences where tenant_id = $1 and ensemble_version = $3 group by asset_id
  ), suggested as materialized (
    select distinct asset_id from inferences where tenant_id = $1 and ensemble_version < $3
  ), units as (
    select count(*) as all, count(distinct payload ->> 'assetId') as assets,
           count(*) filter (where status <> 'completed') as lost, count(*) filter (where attempt > 1) as again
      from work_units where tenant_id = $1 and campaign_id = $2
  )
  select (select $4::int - count(*) from units, assets where tenant_id = $1 and status = 'active') as "assetsMade",
         (select greatest(abs(units.all - $4::int), abs(units.assets - $4::int)) from units) as "unitsLostOrDoubled",
         (select lost from units) as "unitsNotCompleted",
         (select greatest(0, again - $5::int) from units) as "startedTwiceThoughNotInHand",
         (select count(*) from asset_scorings where tenant_id = $1 and ensemble_version <> $3) as "notScored",
         (select count(*) from stored where $6 and times > 1) as "storedTwice",
         (select count(*) from suggested left join stored using (asset_id) where $6 and stored.asset_id is null)
           as "notStored",
         (select count(*) from stored where not $6) as "storedThoughUnchanged"`;

async function problemsOf(
  adminUrl: string,
  run: { campaignId: string; ensembleVersion: number; assets: number; inHand: number; isChanged: boolean },
): Promise<string[]> {
  const { campaignId, ensembleVersion, assets, inHand, isChanged } = run;
  const [row] = await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<Record<string, string>>(PROBLEMS, [
      tenantId,
      campaignId,
      ensembleVersion,
      assets,
      inHand,
      isChanged,
    ]);
    return rows;
  });
  return Object.entries(row ?? { nothing: '1' }).flatMap(([what, times]) =>
    Number(times) === 0 ? [] : [`${what}: ${times}`],
  );
}

const runs = await inWorkspace((workspace) => measure(workspace, options.assets));
const percent = (share: number) => `${Math.round(share * 100)} %`;
const hundredth = (value: number) => Math.round(value * 100) / 100;
const row = (title: string, figure: (run: (typeof runs)[number]) => string | number) => [
  title,
  ...runs.map(figure),
];
console.log(
  [
    renderTable(
      ['An asset', ...runs.map(({ name }) => name)],
      [
        row('assets', ({ assets }) => assets),
        row('assets per second', ({ assetsPerSecond }) => Math.round(assetsPerSecond)),
        row('ms of the workers', ({ processMs }) => hundredth(processMs)),
        row('ms of Postgres', ({ postgresMs }) => (postgresMs === null ? 'unknown' : hundredth(postgresMs))),
        row('statements', ({ statements }) => hundredth(statements)),
        row('WAL, bytes', ({ walBytes }) => Math.round(walBytes)),
      ],
    ),
    ...runs.flatMap(({ name, postgresMs, processMs, shares, longest, killed, problems }) => [
      renderTable(
        [`What takes the processor time if ${name}`, 'ms an asset', 'share'],
        (postgresMs === null ? [] : [['Postgres', postgresMs] as const])
          .concat(Object.entries(shares).map(([kind, share]) => [kind, share * processMs] as never))
          .map(([kind, ms]) => [kind, ms.toFixed(3), percent(ms / (processMs + (postgresMs ?? 0)))]),
      ),
      renderTable(
        [`Time of all statements if ${name}`, 'ms an asset', 'calls an asset', 'statement'],
        longest.map((each) => [percent(each.share), each.msPerAsset, each.callsPerAsset, each.statement]),
      ),
      `Killed after ${killed.settledBefore} assets, with ${killed.inHand} units in hand.`,
      problems.length === 0 ? 'Each asset was scored once.' : problems.join('\n'),
    ]),
    `The target is ${TARGET} assets per second on two quiet processors.`,
  ].join('\n'),
);
if (runs.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
if (options.json) console.log(JSON.stringify(runs));
