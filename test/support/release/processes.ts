import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { App } from './app.ts';

/** A process of a release. */
export type AppProcess = {
  /** Asks it to end, and resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without warning. */
  kill(): Promise<void>;
  /** The errors that it has logged, and all that it has written to stderr. */
  errors(): readonly string[];
};

const HOST = path.resolve(import.meta.dirname, '../image-host.ts');

/** The settings of every process: those of a deployment with the development sign-in. */
const settingsFor = (databaseUrl: string) => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_SESSION_SECRET: 'a-session-secret-of-all-releases',
  SVC_DATABASE_URL: databaseUrl,
  SVC_WORKER_TICK_MS: '50',
  SVC_EXTRACT_WORKERS: '1',
});

/** Serves the application. Resolves with its address when it serves. */
export async function startHost(app: App, databaseUrl: string): Promise<AppProcess & { url: string }> {
  const { child, handle } = started([HOST, app.root, ...app.functions], app, databaseUrl);
  const line = await lineOf(child, handle, (text) => text.startsWith('{"url"'));
  return { ...handle, url: (JSON.parse(line) as { url: string }).url };
}

/** Starts a standalone worker. Resolves when it looks for work. */
export async function startWorker(
  app: App,
  databaseUrl: string,
  { concurrency }: { concurrency: number },
): Promise<AppProcess> {
  const settings = { SVC_WORKER_CONCURRENCY: `${concurrency}` };
  const { child, handle } = started([app.command('worker')], app, databaseUrl, settings);
  await lineOf(child, handle, (text) => text.includes('"worker_started"'));
  return handle;
}

function started(
  args: readonly string[],
  app: App,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): { child: ChildProcess; handle: AppProcess } {
  const child = spawn(process.execPath, args, {
    cwd: app.root,
    env: { ...settingsFor(databaseUrl), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  const exited = once(child, 'close').then(([code]) => code as number | null);
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"level":"error"')) errors.push(line);
  });
  return {
    child,
    handle: {
      stop: () => {
        child.kill('SIGTERM');
        return exited;
      },
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
      },
      errors: () => errors,
    },
  };
}

/** The first line that fits. Throws if the process ends before. */
function lineOf(
  child: ChildProcess,
  { errors }: AppProcess,
  fits: (line: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('The output of the process is not read.');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (fits(line)) resolve(line);
    });
    child.once('close', (code) =>
      reject(new Error(`A process ended with ${code} before it was ready:\n${errors().join('\n')}`)),
    );
  });
}
