import { type Transferable, Worker } from 'node:worker_threads';
import { ThreadFault, type ThrownInThread } from '../../kernel/thread-fault.ts';

/** How often the memory and processor time of a running worker are measured, in milliseconds. */
const WATCH_MS = 50;
/** A run that mostly waits ends after this many times its processor time. */
const CLOCK_PER_CPU = 4;
/** A worker normally loads its code in a second or two. On a slower machine than this nothing could be read. */
const START_MS = 120_000;
/**
 * A worker that still uses more than this share of its memory after a run is replaced, so that the next file has
 * enough.
 */
const KEPT_SHARE = 0.5;
/** A larger young generation collects garbage less often, but holds more of it. */
const YOUNG_MB = 8;
const STACK_MB = 4;
const MB = 1024 * 1024;

export type WorkerPoolOptions = {
  /** The script of the workers. It posts `'ready'` when it accepts messages, and answers each with `WorkerMessage`s. */
  entry: URL;
  /** Passed to each worker when it starts. */
  workerData?: unknown;
  /** The most workers. They start on demand. */
  size: number;
  /**
   * The most processor time of a run, in milliseconds. Processor time does not depend on the load of the machine. A
   * run that takes four times as long by the clock ends too.
   */
  cpuMs: number;
  /** The JavaScript heap of a worker, in megabytes. */
  maxOldSpaceMb: number;
  /** The buffers of a worker outside the heap, in megabytes. */
  maxExternalMb: number;
};

/** What a worker posts for a run: labels, the first one when it takes the run, then one value or what it threw. */
export type WorkerMessage<Output> = { label: string } | { value: Output } | { thrown: ThrownInThread };

export type RunOutcome<Output> =
  | { outcome: 'done'; value: Output; ms: number }
  /** `label` is the last label that the worker posted, if any. */
  | { outcome: Ended; label: string | null; ms: number };

type Ended = 'time_bound' | 'memory_bound' | 'crashed';

/** The worker did not receive the input, because it could not start or died before. */
export class WorkerNotStarted extends Error {
  constructor() {
    super('worker_not_started');
    this.name = 'WorkerNotStarted';
  }
}

export type WorkerPoolStats = {
  /** The number of workers alive, and of those that run. */
  workers: number;
  busy: number;
  /** Runs that wait for a worker. */
  waiting: number;
  /** Since the pool was created: completed runs, and replaced workers. */
  runs: number;
  replaced: number;
};

export type WorkerPool<Input, Output> = {
  /**
   * Runs `input` in a free worker, in the order of the calls.
   * @throws {WorkerNotStarted} which says nothing about the input
   * @throws {ThreadFault} if the worker posts that it threw
   * @throws {Error} if the pool is closed or the input cannot be posted
   */
  run(input: Input, transfer: Transferable[]): Promise<RunOutcome<Output>>;
  stats(): WorkerPoolStats;
  /** Ends all workers. Pending runs reject. */
  close(): Promise<void>;
};

type Run<Input, Output> = {
  input: Input;
  transfer: Transferable[];
  resolve(outcome: RunOutcome<Output>): void;
  reject(error: unknown): void;
};

const closed = () => new Error('worker_pool_closed');

/**
 * Worker threads for work that may hang, use too much memory or crash. Every run ends, and a failed run affects no
 * other.
 */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const waiting: Run<Input, Output>[] = [];
  const idle: Worker[] = [];
  const running = new Map<Worker, Run<Input, Output>>();
  let isClosed = false;
  let runs = 0;
  let replaced = 0;

  const startCounted = () => {
    const worker = start(options);
    // A worker that dies while idle must not get a run.
    worker.once('exit', () => {
      const at = idle.indexOf(worker);
      if (at >= 0) idle.splice(at, 1);
    });
    return worker;
  };

  const next = () => {
    if (isClosed) return;
    while (waiting.length > 0) {
      const worker = idle.pop();
      if (worker === undefined && running.size >= options.size) return;
      const run = waiting.shift();
      if (run !== undefined) void perform(worker ?? startCounted(), run, worker === undefined);
    }
  };

  const perform = async (worker: Worker, run: Run<Input, Output>, isNew: boolean) => {
    running.set(worker, run);
    const ended = await (isNew ? untilReady(worker) : Promise.resolve())
      .then(() => supervise<Input, Output>(worker, run, options))
      .catch((error: unknown) => ({ error }));
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
    // Extractors need no secrets.
    env: {},
    execArgv: [],
    workerData,
    resourceLimits: {
      maxOldGenerationSizeMb: maxOldSpaceMb,
      maxYoungGenerationSizeMb: YOUNG_MB,
      stackSizeMb: STACK_MB,
    },
  });
  // Without a listener, an error in an idle worker would end the process.
  worker.on('error', () => {});
  return worker;
}

/** Loading the code does not count as time of the run. */
function untilReady(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (isReady: boolean) => {
      clearTimeout(deadline);
      worker.off('message', onReady).off('exit', onExit);
      if (isReady) resolve();
      else reject(new WorkerNotStarted());
    };
    const onReady = () => settle(true);
    const onExit = () => settle(false);
    const deadline = setTimeout(onExit, START_MS);
    worker.on('message', onReady).on('exit', onExit);
  });
}

function supervise<Input, Output>(
  worker: Worker,
  run: Run<Input, Output>,
  { cpuMs, maxExternalMb }: WorkerPoolOptions,
): Promise<RunOutcome<Output>> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    // First, because it throws if the input cannot be cloned. The answer arrives in a later turn.
    worker.postMessage(run.input, run.transfer);
    const before = cpuTimeOf(worker);
    let label: string | null = null;
    let death: Ended = 'crashed';
    const settle = (outcome: Ended | ThreadFault | { value: Output }) => {
      clearTimeout(deadline);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      const ms = Math.round(performance.now() - began);
      if (outcome instanceof ThreadFault) reject(outcome);
      else if (typeof outcome !== 'string') resolve({ outcome: 'done', value: outcome.value, ms });
      else if (outcome === 'crashed' && label === null) reject(new WorkerNotStarted());
      else resolve({ outcome, label, ms });
    };
    const onMessage = (message: WorkerMessage<Output>) => {
      if ('label' in message) label = message.label;
      else settle('thrown' in message ? new ThreadFault(message.thrown) : message);
    };
    const onError = (error: unknown) => {
      if (isOutOfMemory(error)) death = 'memory_bound';
    };
    // An error can overtake messages that were posted before it. They have all arrived when the worker exits.
    const onExit = () => settle(death);
    const deadline = setTimeout(() => settle('time_bound'), cpuMs * CLOCK_PER_CPU);
    // Heap limits do not include buffers, so the buffers are measured. A worker that is gone reports it with its own
    // events.
    const watch = setInterval(async () => {
      const [memory, spent, spentBefore] = await Promise.all([memoryOf(worker), cpuTimeOf(worker), before]);
      if (memory !== null && memory.external > maxExternalMb * MB) settle('memory_bound');
      else if (spent !== null && spentBefore !== null && spent - spentBefore > cpuMs) settle('time_bound');
    }, WATCH_MS);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
  });
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** The memory in use by the worker in bytes, or null if it is gone. */
async function memoryOf(worker: Worker): Promise<{ heap: number; external: number } | null> {
  try {
    const statistics = await worker.getHeapStatistics();
    return { heap: statistics.used_heap_size, external: statistics.external_memory };
  } catch {
    return null;
  }
}

/** The processor time of the worker since it started, in milliseconds, or null if it is gone. */
async function cpuTimeOf(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
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
