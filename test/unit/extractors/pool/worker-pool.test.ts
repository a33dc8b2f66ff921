import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import {
  createWorkerPool,
  WorkerNotStarted,
  type WorkerPool,
} from '../../../../core/extractors/pool/worker-pool.ts';

const entry = new URL('../../../support/documents/misbehaving-worker.ts', import.meta.url);
const LIMITS = {
  entry,
  workerData: 'starts' as string,
  size: 1,
  cpuMs: 20_000,
  maxOldSpaceMb: 64,
  maxExternalMb: 64,
};

let pool: WorkerPool<string, unknown>;
afterEach(() => pool.close());

const start = (limits: Partial<typeof LIMITS> = {}) => {
  pool = createWorkerPool<string, unknown>({ ...LIMITS, ...limits });
  return (deed: string) => pool.run(deed, []);
};

test('a worker starts with the first run and serves the next ones', async () => {
  const run = start();
  expect(pool.stats()).toEqual({ workers: 0, busy: 0, waiting: 0, runs: 0, replaced: 0 });
  expect(await run('answer')).toMatchObject({ outcome: 'done', value: 'answered' });
  expect(await run('answer')).toMatchObject({ outcome: 'done', value: 'answered' });
  expect(pool.stats()).toEqual({ workers: 1, busy: 0, waiting: 0, runs: 2, replaced: 0 });
});

test('no more workers than the size, the rest waits', async () => {
  const run = start({ size: 2 });
  const runs = [run('answer'), run('answer'), run('answer'), run('answer'), run('answer')];
  expect(pool.stats()).toMatchObject({ workers: 2, busy: 2, waiting: 3 });
  await Promise.all(runs);
  expect(pool.stats()).toMatchObject({ workers: 2, busy: 0, waiting: 0, runs: 5 });
});

const ENDS = [
  ['hang', 'time_bound', { cpuMs: 1_500 }],
  ['wait', 'time_bound', { cpuMs: 200 }],
  ['heap', 'memory_bound', {}],
  ['buffers', 'memory_bound', {}],
  ['throw', 'crashed', {}],
  ['exit', 'crashed', {}],
] as const;

test.for(ENDS)('%s ends as %s, and the next run gets a new worker', async ([deed, outcome, limits]) => {
  const run = start(limits);
  const [bad, good] = await Promise.all([run(deed), run('answer')]);
  expect(bad).toMatchObject({ outcome, label: deed });
  expect(good).toMatchObject({ outcome: 'done', value: 'answered' });
  expect(pool.stats()).toMatchObject({ workers: 1, busy: 0, runs: 2, replaced: 1 });
});

test('a run is charged for what it computes and not for what it waits', async () => {
  const run = start({ cpuMs: 600 });
  expect(await run('doze')).toMatchObject({ outcome: 'done', value: 'awake' });
});

test('the start of a worker is no time of its run', async () => {
  const run = start({ workerData: 'starts slowly', cpuMs: 200 });
  expect(await run('answer')).toMatchObject({ outcome: 'done', value: 'answered' });
});

test('a worker that cannot start is no outcome of its run', async () => {
  const run = start({ workerData: 'cannot start' });
  const ends = await Promise.allSettled([run('answer'), run('answer')]);
  expect(ends).toMatchObject([
    { reason: expect.any(WorkerNotStarted) },
    { reason: expect.any(WorkerNotStarted) },
  ]);
  expect(pool.stats()).toMatchObject({ workers: 0, busy: 0, waiting: 0, replaced: 2 });
});

test('a worker that keeps much memory after a run is not used again', async () => {
  const run = start({ maxExternalMb: 150 });
  expect(await run('hoard')).toMatchObject({ outcome: 'done', value: 'hoarded' });
  expect(pool.stats()).toMatchObject({ workers: 0, replaced: 1 });
});

test('input that cannot be posted rejects its own run only', async () => {
  start();
  const unpostable = createWorkerPool<unknown, unknown>(LIMITS);
  await expect(unpostable.run(() => 'a function', [])).rejects.toThrow();
  expect(await unpostable.run('answer', [])).toMatchObject({ outcome: 'done' });
  await unpostable.close();
});

test('closing rejects what has not ended, and what comes after', async () => {
  const run = start();
  const ends = Promise.allSettled([run('hang'), run('answer')]);
  await pool.close();
  expect((await ends).map((end) => end.status)).toEqual(['rejected', 'rejected']);
  await expect(run('answer')).rejects.toThrow('worker_pool_closed');
});

test('an idle pool lets the process end, and a worker sees no environment', () => {
  start();
  const script = `
    import { createWorkerPool } from ${JSON.stringify(new URL('../../../../core/extractors/pool/worker-pool.ts', import.meta.url).href)};
    const pool = createWorkerPool({ ...${JSON.stringify(LIMITS)}, entry: new URL(${JSON.stringify(entry.href)}) });
    const { value } = await pool.run('environment', []);
    console.log('variables seen: ' + value);
  `;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(run).toMatchObject({ status: 0, stdout: 'variables seen: 0\n', stderr: '' });
});
