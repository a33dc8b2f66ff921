import { expect, test } from 'vitest';
import { createLogger } from '../../../core/observability/log.ts';
import { runWorkerLoop } from '../../../core/work/worker-loop.ts';

/** The longest wait of these tests is cut short by their end. */
const HOUR_MS = 3_600_000;

function started(
  tickMs: number,
  drains: (() => number)[],
  sweep: () => Promise<void> = async () => undefined,
) {
  const stop = new AbortController();
  const logged: string[] = [];
  const log = createLogger({
    level: 'debug',
    clock: () => 0,
    destination: { write: (line) => logged.push((JSON.parse(line) as { event: string }).event) },
  });
  const asked = { drains: 0 };
  const drain = async () => {
    const next = drains[asked.drains++];
    if (asked.drains === drains.length) setImmediate(() => stop.abort());
    return next?.() ?? 0;
  };
  const ended = runWorkerLoop({ worker: { drain }, sweep, log, tickMs, signal: stop.signal });
  return { ended, asked, logged, stop };
}

test('drains again at once after work, and waits for the tick after none', async () => {
  const busy = started(HOUR_MS, [() => 20, () => 20, () => 1, () => 0]);
  await busy.ended;
  expect(busy.asked.drains).toBe(4);
  const idle = started(HOUR_MS, [() => 0, () => 0]);
  setImmediate(() => setImmediate(() => idle.stop.abort()));
  await idle.ended;
  expect(idle.asked.drains).toBe(1);
});

test('goes on ticking while there is nothing to do', async () => {
  const idle = started(1, [() => 0, () => 0, () => 0]);
  await idle.ended;
  expect(idle.asked.drains).toBe(3);
});

test('survives a drain and a sweep that fail, and says so', async () => {
  let swept = 0;
  const failing = started(
    HOUR_MS,
    [
      () => {
        throw new Error('the database is gone');
      },
    ],
    async () => {
      swept++;
      throw new Error('gone for the sweep too');
    },
  );
  await failing.ended;
  expect(failing.logged).toEqual(['worker_loop_failed', 'worker_loop_failed']);
  expect(swept).toBe(1);
});

test('sweeps the fleet every twenty ticks beside a drain that does not end', async () => {
  let swept = 0;
  const stop = new AbortController();
  await runWorkerLoop({
    worker: {
      drain: () => new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(0))),
    },
    sweep: async () => {
      if (++swept === 3) stop.abort();
    },
    log: createLogger({ level: 'error', clock: () => 0 }),
    tickMs: 1,
    signal: stop.signal,
  });
  expect(swept).toBe(3);
});
