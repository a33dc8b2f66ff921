import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RegisteredFunction } from '../../infra/local/functions-host/core-module.ts';
import type { Invoker } from '../../infra/local/functions-host/invoker.ts';
import { startConversation } from './conversation.ts';

/** A worker that has loaded the app. */
export type LanguageWorker = {
  /** From the start of the process until every function was indexed. */
  readonly loadedMs: number;
  /** What it holds in memory then. */
  readonly memoryMib: number;
  /** The functions as it indexed them. They cannot be called here: `invoker` runs them there. */
  readonly functions: readonly RegisteredFunction[];
  /** Where requests go that an invocation answers. */
  readonly httpUri: string;
  readonly invoker: Invoker;
  /** The functions whose invocations have not ended. */
  running(): readonly string[];
  /** Asks it to end, and waits. `code` is null if it had to be killed. */
  terminate(): Promise<{ ms: number; code: number | null }>;
};

export type LanguageWorkerOptions = {
  /** The folder with `worker.config.json`. */
  readonly folder: string;
  /** The Node that runs it, and its options. */
  readonly node: string;
  readonly nodeOptions?: readonly string[];
  /** The folder with the app's `package.json`. */
  readonly app: string;
  readonly env: Readonly<Record<string, string>>;
};

const GRACE_SECONDS = 5;
const KILL_MS = 15_000;
const INVOCATION_MS = 600_000;
const HOST_VERSION = '4.0.0';

/**
 * Starts a worker as the Functions host does, and has it load the app.
 * @throws Error with the worker's message if it ends or refuses the app
 */
export async function startLanguageWorker(options: LanguageWorkerOptions): Promise<LanguageWorker> {
  const { folder, node, nodeOptions = [], app } = options;
  const { description } = JSON.parse(readFileSync(path.join(folder, 'worker.config.json'), 'utf8')) as {
    description: { defaultWorkerPath: string };
  };
  const host = await startConversation();
  const spawned = performance.now();
  const script = path.join(folder, description.defaultWorkerPath);
  const child = spawn(node, [...nodeOptions, script, ...host.workerArguments], {
    cwd: app,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output = `${output}${data}`.slice(-10_000);
    });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  // However this process ends.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  exited.finally(() => process.off('exit', kill));
  const ended = exited.then(([code]): never => {
    throw new Error(`The worker ended with ${code}:\n${host.log.join('\n')}\n${output}`);
  });
  ended.catch(() => undefined);

  try {
    await Promise.race([host.started, ended]);
    const { capabilities = {} } = await Promise.race([
      host.ask('workerInitRequest', {
        hostVersion: HOST_VERSION,
        workerDirectory: folder,
        functionAppDirectory: app,
      }),
      ended,
    ]);
    const { functionMetadataResults = [] } = await host.ask('functionsMetadataRequest', {
      functionAppDirectory: app,
    });
    const loadedMs = performance.now() - spawned;
    for (const metadata of functionMetadataResults)
      await host.ask('functionLoadRequest', { functionId: metadata.functionId, metadata });

    const memory = execFileSync('ps', ['-o', 'rss=', '-p', `${child.pid}`], { encoding: 'utf8' });
    const running = new Map<string, string>();
    return {
      loadedMs,
      memoryMib: Number(memory) / 1024,
      httpUri: capabilities.HttpUri ?? '',
      functions: functionMetadataResults.map(({ name, functionId, rawBindings = [] }) => ({
        metadata: { name, functionId, bindings: bindingsOf(rawBindings) },
        callback: () => undefined,
      })),
      invoker: {
        async invoke({ name, inputName, registered }, { invocationId = randomUUID(), ...input }) {
          running.set(invocationId, name);
          try {
            return await Promise.race([
              host.ask(
                'invocationRequest',
                {
                  invocationId,
                  functionId: registered.metadata.functionId ?? name,
                  inputData: [{ name: inputName, data: input.data }],
                  triggerMetadata: input.triggerMetadata ?? {},
                  ...(input.traceContext && { traceContext: input.traceContext }),
                },
                INVOCATION_MS,
              ),
              ended,
            ]);
          } finally {
            running.delete(invocationId);
          }
        },
      },
      running: () => [...running.values()],
      async terminate() {
        const asked = performance.now();
        host.terminate(GRACE_SECONDS);
        const code = await Promise.race([
          exited.then(([code]) => code),
          sleep(KILL_MS, null, { ref: false }).then(() => {
            kill();
            return null;
          }),
        ]);
        const ms = performance.now() - asked;
        host.close();
        return { ms, code };
      },
    };
  } catch (error) {
    kill();
    host.close();
    throw error;
  }
}

/** As the app declared them: the worker adds the name of each. */
function bindingsOf(rawBindings: readonly string[]): RegisteredFunction['metadata']['bindings'] {
  return Object.fromEntries(
    rawBindings.map((raw) => {
      const { name, ...binding } = JSON.parse(raw) as { name: string };
      return [name, binding];
    }),
  );
}
