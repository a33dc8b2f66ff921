import { parentPort, workerData } from 'node:worker_threads';

/** A worker that does what the message asks, to test how the pool reacts. */
const deeds: Record<string, () => unknown> = {
  answer: () => 'answered',
  environment: () => Object.keys(process.env).length,
  doze: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return 'awake';
  },
  wait: () => new Promise(() => {}),
  hang: () => {
    for (;;);
  },
  heap: () => {
    const kept: object[] = [];
    for (;;) kept.push({ at: kept.length, more: [kept.length] });
  },
  buffers: async () => {
    const kept: Uint8Array[] = [];
    for (;;) {
      kept.push(new Uint8Array(4_000_000).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  hoard: () => {
    Object.assign(globalThis, { hoard: new Uint8Array(100_000_000).fill(1) });
    return 'hoarded';
  },
  throw: () => {
    setTimeout(() => {
      throw new Error('thrown by a worker');
    });
    return new Promise(() => {});
  },
  exit: () => process.exit(0),
};

const compute = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

if (workerData === 'starts slowly') compute(1_000);
if (workerData === 'cannot start') throw new Error('thrown at start');

parentPort?.on('message', async (deed: string) => {
  parentPort?.postMessage({ label: deed });
  parentPort?.postMessage({ value: await deeds[deed]?.() });
});

parentPort?.postMessage('ready');
