import { type Transferable, Worker } from 'node:worker_threads';

/** How often the memory and the processor time of a running worker are looked at. */
const WATCH_MS = 50;
/** A run that waits more than it computes ends when it has lasted this many times its processor time. */
const CLOCK_PER_CPU = 4;
/** A worker loads its code in a second or two; on a machine that takes longer than this nothing would be read. */
const START_MS = 120_000;
/** A worker that keeps more than this share of its bound after a run is replaced, or the next file would pay. */
const KEPT_SHARE = 0.5;
/** A larger one collects less often, and holds that much more garbage meanwhile: 32 saved 5 % of the time for 25 MB. */
const YOUNG_MB = 8;
const STACK_MB = 4;
const MB = 1024 * 1024;

export type WorkerPoolOptions = {
  /** The script of each worker: it posts `'ready'` when it can take messages, and answers each with `WorkerMessage`s. */
  entry: URL;
  /** Given to each worker when it starts. */
  workerData?: unknown;
  /** Most workers at a time; they start when there is work for them. */
  size: number;
  /**
   * Milliseconds of processor time that one run may take, so that what else the machine does costs no file its text. A
   * run that lasts four times as long ends too.
   */
  cpuMs: number;
  /** Megabytes of JavaScript heap per worker. */
  maxOldSpaceMb: number;
  /** Megabytes of buffers outside the heap per worker. */
  maxExternalMb: number;
};

/** What a worker posts of a run: a label when it takes it, others when it knows better, then exactly one value. */
export type WorkerMessage<Output> = { label: string } | { value: Output };

export type RunOutcome<Output> =
  | { outcome: 'done'; value: Output; ms: number }
  /** `label` is what the worker called the run before it ended, if it did. */
  | { outcome: Ended; label: string | null; ms: number };

type Ended = 'time_bound' | 'memory_bound' | 'crashed';

/** The worker did not come to the input: it could not be started, or died before it took the message. */
export class WorkerNotStarted extends Error {
  constructor() {
    super('worker_not_started');
    this.name = 'WorkerNotStarted';
  }
}

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
  /**
   * Runs `input` in a free worker, in the order of the calls.
   * @throws {WorkerNotStarted} which tells of the machine, and nothing of the input
   * @throws {Error} when the pool is closed, or the input cannot be posted
   */
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

/** Loading the code is the machine's time and not the run's. */
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
    // First, since it throws when the input cannot be cloned; the answer comes in a later turn.
    worker.postMessage(run.input, run.transfer);
    const before = cpuTimeOf(worker);
    let label: string | null = null;
    let death: Ended = 'crashed';
    const settle = (outcome: Ended | { value: Output }) => {
      clearTimeout(deadline);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      const ms = Math.round(performance.now() - began);
      if (typeof outcome !== 'string') resolve({ outcome: 'done', value: outcome.value, ms });
      else if (outcome === 'crashed' && label === null) reject(new WorkerNotStarted());
      else resolve({ outcome, label, ms });
    };
    const onMessage = (message: WorkerMessage<Output>) => {
      if ('label' in message) label = message.label;
      else settle(message);
    };
    const onError = (error: unknown) => {
      if (isOutOfMemory(error)) death = 'memory_bound';
    };
    // An error may overtake the messages that were posted before it; they have all come when the worker has ended.
    const onExit = () => settle(death);
    const deadline = setTimeout(() => settle('time_bound'), cpuMs * CLOCK_PER_CPU);
    // Heap limits do not count buffers, so those are watched; a worker that is gone answers by its own events.
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

/** Bytes in use by the worker, or null when it is gone. */
async function memoryOf(worker: Worker): Promise<{ heap: number; external: number } | null> {
  try {
    const statistics = await worker.getHeapStatistics();
    return { heap: statistics.used_heap_size, external: statistics.external_memory };
  } catch {
    return null;
  }
}

/** Milliseconds of processor time that the worker has spent since it began, or null when it is gone. */
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
