import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { QueueServiceClient } from '@azure/storage-queue';
import { type FunctionApp, installCoreModule, loadFunctionApp } from './functions-host/core-module.ts';
import type { CoreLogCategory, CoreLogLevel, ProgrammingModel } from './functions-host/core-types.ts';
import {
  type AppSettings,
  type ServedFunction,
  toServedFunctions,
} from './functions-host/function-metadata.ts';
import { type HostJson, isLogged, parseHostJson } from './functions-host/host-json.ts';
import {
  DEFAULT_HTTP_LIMITS,
  type HttpLimits,
  type HttpListener,
  startHttpListener,
} from './functions-host/http-server.ts';
import { createInvoker, type InvocationInfo, type Invoker, runAppHooks } from './functions-host/invoker.ts';
import { createQueueTrigger, DEFAULT_LEASE_SECONDS } from './functions-host/queue-trigger.ts';
import type { RefusalWriter } from './functions-host/refusal.ts';
import { createTimerTrigger, fileScheduleMonitor, type Trigger } from './functions-host/timer-trigger.ts';
import { type HandOver, handOverTo, workerServerOf } from './functions-host/worker-server.ts';

export type HostLogEntry = {
  readonly level: CoreLogLevel;
  readonly category: CoreLogCategory;
  readonly message: string;
} & Partial<InvocationInfo>;

export type FunctionsHostOptions = {
  /** The folder of the function app. `host.json` is read from it unless `hostJson` is given. */
  readonly root: string;
  /** Globs below `root` of the files that declare functions. Default: all of `functions/`. Loaded in alphabetical order. */
  readonly main?: string | readonly string[];
  /** What `loadFunctionFiles` has loaded, instead of `main`. */
  readonly loaded?: LoadedFunctions;
  /** The parsed content of a `host.json`. */
  readonly hostJson?: unknown;
  /** App settings: connection strings of triggers, and values of `%NAME%`. Default: the environment. */
  readonly settings?: AppSettings;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly log?: (entry: HostLogEntry) => void;
  /** Called with the error of a function. The log only says that it failed. */
  readonly onInvocationError?: (error: unknown, info: InvocationInfo) => void;
  /** The folder in which timers store their schedule between runs, for `isPastDue`. Without it they start again. */
  readonly timerStateFolder?: string;
  /** How long a queue message stays hidden before it is renewed, in seconds. Default 600. */
  readonly queueLeaseSeconds?: number;
  readonly httpLimits?: Partial<HttpLimits>;
  /** How long `close` waits for running invocations and hooks, in milliseconds. Default 5,000, as the Functions host. */
  readonly closeTimeoutMs?: number;
  /** Writes the body of the host's own refusals. Default: a status without a body. */
  readonly refusal?: RefusalWriter;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
};

/** Functions that have registered, and the programming model that invokes them. */
export type LoadedFunctions = { readonly app: FunctionApp; readonly model: ProgrammingModel };

/** A function as the host serves it. */
type FunctionSummary =
  | {
      readonly name: string;
      readonly kind: 'http';
      readonly methods: readonly string[];
      readonly route: string;
    }
  | { readonly name: string; readonly kind: 'timer'; readonly schedule: string }
  | { readonly name: string; readonly kind: 'queue'; readonly queueName: string };

export type FunctionsHost = {
  readonly url: string;
  readonly port: number;
  readonly functions: readonly FunctionSummary[];
  /**
   * Takes no new work, gives running invocations a moment to end, runs the `appTerminate` hooks, which may tell
   * long-running functions to end, then waits for both up to the limit.
   */
  close(): Promise<void>;
};

/** The listener has its own back-off, so an unreachable storage account is noticed soon. */
const STORAGE = {
  retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000, tryTimeoutInMs: 30_000 },
};

const DEFAULT_MAIN = 'functions/**/*.ts';
const CLOSE_TIMEOUT_MS = 5_000;
/** A running request ends within this time. More would delay every shutdown during a scan. */
const GRACE_MS = 500;

function summarize(served: ServedFunction): FunctionSummary {
  switch (served.kind) {
    case 'http':
      return { name: served.name, kind: 'http', methods: served.methods, route: `/${served.route}` };
    case 'timer':
      return { name: served.name, kind: 'timer', schedule: served.schedule.text };
    case 'queue':
      return { name: served.name, kind: 'queue', queueName: served.queueName };
  }
}

const loadedFiles = new Set<string>();

/**
 * Imports every file. A file that was imported before is evaluated again, because it would declare nothing otherwise.
 */
async function importFiles(
  root: string,
  patterns: string | readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: root })) files.push(resolve(root, file));
  if (files.length === 0) throw new Error('No file matches the pattern of the files that declare functions.');
  for (const [index, file] of files.sort().entries()) {
    signal?.throwIfAborted();
    const url = pathToFileURL(file).href;
    await import(loadedFiles.has(url) ? `${url}?load=${loadedFiles.size}-${index}-${Date.now()}` : url);
    loadedFiles.add(url);
  }
}

/** Loads function files, for hosts that serve them one after another in this process. */
export function loadFunctionFiles(
  { root, main = DEFAULT_MAIN, signal }: Pick<FunctionsHostOptions, 'root' | 'main' | 'signal'>,
  log: FunctionApp['log'] = () => undefined,
): Promise<LoadedFunctions> {
  installCoreModule();
  return loadFunctionApp(log, () => importFiles(root, main, signal));
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<boolean>((done) => {
    timer = setTimeout(done, ms, false);
  });
  const ended = await Promise.race([work.then(() => true), bound]);
  clearTimeout(timer);
  return ended;
}

function createTriggers(
  functions: readonly ServedFunction[],
  options: FunctionsHostOptions,
  hostJson: HostJson,
  invoker: Invoker,
  onProblem: (what: string, functionName: string) => void,
): Trigger[] {
  const {
    settings = process.env,
    timerStateFolder,
    queueLeaseSeconds: leaseSeconds = DEFAULT_LEASE_SECONDS,
  } = options;
  const monitor = timerStateFolder === undefined ? undefined : fileScheduleMonitor(timerStateFolder);
  const services = new Map<string, QueueServiceClient>();
  const serviceOf = (setting: string) => {
    const connectionString = settings[setting];
    if (!connectionString) throw new Error(`The app setting "${setting}" of a queue trigger is not set.`);
    const service =
      services.get(setting) ?? QueueServiceClient.fromConnectionString(connectionString, STORAGE);
    services.set(setting, service);
    return service;
  };
  return functions.flatMap((served): Trigger[] => {
    if (served.kind === 'timer') {
      const onMonitorError = (name: string) => onProblem('record a schedule', name);
      return [createTimerTrigger(served, invoker, monitor, onMonitorError)];
    }
    if (served.kind !== 'queue') return [];
    const service = serviceOf(served.connection);
    const queues = hostJson.extensions.queues;
    return [createQueueTrigger({ served, service, settings: queues, leaseSeconds, invoker, onProblem })];
  });
}

/** Starts the HTTP listener and the triggers of functions, wherever the invoker runs them. */
export async function serveFunctions(
  functions: readonly ServedFunction[],
  {
    hostJson,
    invoker,
    handOver,
    options,
    onProblem,
  }: {
    readonly hostJson: HostJson;
    readonly invoker: Invoker;
    readonly handOver: HandOver | undefined;
    readonly options: FunctionsHostOptions;
    readonly onProblem: (what: string, functionName: string) => void;
  },
): Promise<{ listener: HttpListener; triggers: readonly Trigger[] }> {
  const triggers = createTriggers(functions, options, hostJson, invoker, onProblem);
  const listener = await startHttpListener({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    functions: functions.filter((served) => served.kind === 'http'),
    invoker,
    limits: { ...DEFAULT_HTTP_LIMITS, ...options.httpLimits },
    maxOutstandingRequests: hostJson.extensions.http.maxOutstandingRequests,
    handOver,
    refusal: options.refusal ?? (() => null),
  });
  for (const trigger of triggers) await trigger.start();
  return { listener, triggers };
}

/**
 * Serves function files on this machine as Azure Functions would. The official programming model registers them, and
 * they are invoked through it. Nothing is served before every function has been checked.
 * @throws Error with what to change: invalid or unsupported functions or routes, an invalid `host.json`, a missing
 * app setting, a port in use
 */
export async function startFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const { root, settings = process.env, host = '127.0.0.1', log = () => undefined } = options;
  const hostJson = parseHostJson(
    options.hostJson ?? JSON.parse(await readFile(join(root, 'host.json'), 'utf8')),
  );
  const { logLevel } = hostJson.logging;
  const write = (level: CoreLogLevel, category: CoreLogCategory, message: string, info?: InvocationInfo) => {
    const source = info === undefined ? 'Host' : `Function.${info.functionName}`;
    if (isLogged(logLevel, category === 'user' ? `${source}.User` : source, level)) {
      log({ level, category, message, ...info });
    }
  };

  const { app, model } = options.loaded ?? (await loadFunctionFiles(options, write));
  const { routePrefix } = hostJson.extensions.http;
  const functions = toServedFunctions(app.functions.values(), settings, routePrefix);
  if (functions.length === 0) throw new Error('The files that were loaded declare no function.');
  await runAppHooks(app, 'appStart', { functionAppDirectory: resolve(root) });

  const invoker = createInvoker({
    app,
    model,
    timeoutMs: hostJson.functionTimeout,
    log: write,
    onError: (error, info) => options.onInvocationError?.(error, info),
  });
  const serve = async () => {
    options.signal?.throwIfAborted();
    const worker = await workerServerOf(model);
    return serveFunctions(functions, {
      hostJson,
      invoker,
      handOver: worker && handOverTo(worker),
      options,
      onProblem: (what, functionName) =>
        write('warning', 'system', `Function "${functionName}": could not ${what}.`),
    });
  };
  const { triggers, listener } = await serve().catch(async (error: unknown) => {
    // Resources that functions have opened since the start would keep this process alive.
    await runAppHooks(app, 'appTerminate');
    throw error;
  });

  const close = async () => {
    const boundMs = options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS;
    const stopped = Promise.all([listener.stop(), ...triggers.map((trigger) => trigger.stop())]);
    await endsWithin(stopped, GRACE_MS);
    const ended = Promise.all([stopped, runAppHooks(app, 'appTerminate')]);
    if (!(await endsWithin(ended, boundMs))) {
      write('warning', 'system', 'Closing while functions are still running.');
    }
    listener.abort();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    functions: functions.map(summarize),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
