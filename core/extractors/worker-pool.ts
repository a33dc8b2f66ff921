import { type Transferable, Worker } from 'node:worker_threads';

/** How often the memory of a running worker is looked at. */
const WATCH_MS = 50;
/** A worker that keeps more than this share of its bound after a run is replaced, or the next file would pay. */
const KEPT_SHARE = 0.5;
/** A larger one collects less often, and holds that much more garbage meanwhile: 32 saved 5 % of the time for 25 MB. */
const YOUNG_MB = 8;
const STACK_MB = 4;
const MB = 1024 * 1024;

export type WorkerPoolOptions = {
  /** The script that runs in each worker: it answers every message with `WorkerMessage`s. */
  entry: URL;
  /** Given to each worker when it starts. */
  workerData?: unknown;
  /** Most workers at a time; they start when there is work for them. */
  size: number;
  /** Milliseconds that one run may take. */
  wallClockMs: number;
  /** Megabytes of JavaScript heap per worker. */
  maxOldSpaceMb: number;
  /** Megabytes of buffers outside the heap per worker. */
  maxExternalMb: number;
};

/** What a worker posts: at most one label of the run, then exactly one value. */
export type WorkerMessage<Output> = { label: string } | { value: Output };

export type RunOutcome<Output> =
  | { outcome: 'done'; value: Output; ms: number }
  /** `label` is what the worker called the run before it ended, if it did. */
  | { outcome: 'time_bound' | 'memory_bound' | 'crashed'; label: string | null; ms: number };

export type WorkerPoolStats = {
  /** Workers alive now, and how many of them run. */
  workers: number;
  busy: number;
  /** Runs that wait for a worker. */
  waiting: number;
  /** Since the pool began: runs that ended, and workers that had to be replaced. */
  runs: number;
  replaced: number;
};

export type WorkerPool<Input, Output> = {
  /** Runs `input` in a free worker, in the order of the calls. Rejects only when the pool is closed. */
  run(input: Input, transfer: Transferable[]): Promise<RunOutcome<Output>>;
  stats(): WorkerPoolStats;
  /** Ends every worker; runs that have not ended reject. */
  close(): Promise<void>;
};

type Run<Input, Output> = {
  input: Input;
  transfer: Transferable[];
  resolve(outcome: RunOutcome<Output>): void;
  reject(error: unknown): void;
};

const closed = () => new Error('worker_pool_closed');

/** Worker threads for work that may hang, swell or crash: whatever a run does, it ends, and costs only itself. */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const waiting: Run<Input, Output>[] = [];
  const idle: Worker[] = [];
  const running = new Map<Worker, Run<Input, Output>>();
  let isClosed = false;
  let runs = 0;
  let replaced = 0;

  const startCounted = () => {
    const worker = start(options);
    // One that dies while idle must not be given a run that it would never answer.
    worker.once('exit', () => {
      const at = idle.indexOf(worker);
      if (at >= 0) idle.splice(at, 1);
    });
    return worker;
  };

  const next = () => {
    if (isClosed) return;
    while (waiting.length > 0) {
      const worker = idle.pop() ?? (running.size < options.size ? startCounted() : undefined);
      if (worker === undefined) return;
      const run = waiting.shift();
      if (run !== undefined) void perform(worker, run);
    }
  };

  const perform = async (worker: Worker, run: Run<Input, Output>) => {
    running.set(worker, run);
    // Fails only when the input cannot be posted.
    const ended = await supervise<Input, Output>(worker, run, options).catch((error: unknown) => ({ error }));
    const done = 'outcome' in ended && ended.outcome === 'done';
    const reusable = done && (await isLight(worker, options)) && !isClosed;
    if (!reusable) {
      replaced++;
      await worker.terminate();
    }
    running.delete(worker);
    runs++;
    if (reusable) {
      worker.unref();
      idle.push(worker);
    }
    if ('error' in ended) run.reject(ended.error);
    else run.resolve(ended);
    next();
  };

  return {
    run(input, transfer) {
      if (isClosed) return Promise.reject(closed());
      return new Promise((resolve, reject) => {
        waiting.push({ input, transfer, resolve, reject });
        next();
      });
    },
    stats: () => ({
      workers: running.size + idle.length,
      busy: running.size,
      waiting: waiting.length,
      runs,
      replaced,
    }),
    async close() {
      isClosed = true;
      for (const run of [...waiting.splice(0), ...running.values()]) run.reject(closed());
      await Promise.all([...idle.splice(0), ...running.keys()].map((worker) => worker.terminate()));
    },
  };
}

function start({ entry, maxOldSpaceMb, workerData }: WorkerPoolOptions): Worker {
  const worker = new Worker(entry, {
    // A reader of files needs no secrets.
    env: {},
    execArgv: [],
    workerData,
    resourceLimits: {
      maxOldGenerationSizeMb: maxOldSpaceMb,
      maxYoungGenerationSizeMb: YOUNG_MB,
      stackSizeMb: STACK_MB,
    },
  });
  // Without a listener an error in an idle worker would take the process with it.
  worker.on('error', () => {});
  return worker;
}

function supervise<Input, Output>(
  worker: Worker,
  run: Run<Input, Output>,
  { wallClockMs, maxExternalMb }: WorkerPoolOptions,
): Promise<RunOutcome<Output>> {
  const began = performance.now();
  return new Promise((resolve) => {
    // First, since it throws when the input cannot be cloned; the answer comes in a later turn.
    worker.postMessage(run.input, run.transfer);
    let label: string | null = null;
    const settle = (outcome: 'time_bound' | 'memory_bound' | 'crashed' | { value: Output }) => {
      clearTimeout(deadline);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      const ms = Math.round(performance.now() - began);
      resolve(
        typeof outcome === 'string' ? { outcome, label, ms } : { outcome: 'done', value: outcome.value, ms },
      );
    };
    const onMessage = (message: WorkerMessage<Output>) => {
      if ('label' in message) label = message.label;
      else settle(message);
    };
    const onError = (error: unknown) => settle(isOutOfMemory(error) ? 'memory_bound' : 'crashed');
    const onExit = () => settle('crashed');
    const deadline = setTimeout(() => settle('time_bound'), wallClockMs);
    // Heap limits do not count buffers, so those are watched; a worker that is gone answers by its own events.
    const watch = setInterval(async () => {
      const memory = await memoryOf(worker);
      if (memory !== null && memory.external > maxExternalMb * MB) settle('memory_bound');
    }, WATCH_MS);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
  });
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** Bytes in use by the worker, or null when it is gone. */
async function memoryOf(worker: Worker): Promise<{ heap: number; external: number } | null> {
  try {
    const statistics = await worker.getHeapStatistics();
    return { heap: statistics.used_heap_size, external: statistics.external_memory };
  } catch {
    return null;
  }
}

async function isLight(
  worker: Worker,
  { maxOldSpaceMb, maxExternalMb }: WorkerPoolOptions,
): Promise<boolean> {
  const memory = await memoryOf(worker);
  if (memory === null) return false;
  return memory.heap < maxOldSpaceMb * MB * KEPT_SHARE && memory.external < maxExternalMb * MB * KEPT_SHARE;
}
