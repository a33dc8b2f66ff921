import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

export type StartedStack = {
  child: ChildProcess;
  ended: Promise<unknown>;
  lines: string[];
  /** The first line that starts so, once it is there. */
  line(start: string): Promise<string>;
};

/** Each thread loads every extractor, for what is one format here. */
const quiet = { SVC_LOG_LEVEL: 'error', SVC_EXTRACT_WORKERS: '1' };

/** `npm start` as a person runs it, without npm, on any port. */
export function startStackProcess(
  options: readonly string[],
  settings: Record<string, string> = {},
): StartedStack {
  const child = spawn(
    process.execPath,
    [path.join(root, 'infra/local/start.ts'), '--port', '0', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...quiet, ...settings } },
  );
  const lines: string[] = [];
  const waiting: { start: string; resolve: (line: string) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const { start: wanted, resolve } of waiting) if (line.startsWith(wanted)) resolve(line);
  });
  const ended = once(child, 'exit');
  return {
    child,
    ended,
    lines,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const there = lines.find((line) => line.startsWith(wanted));
        if (there !== undefined) resolve(there);
        else waiting.push({ start: wanted, resolve });
        void ended.then(() => reject(new Error(`It ended before it said "${wanted}"`)));
      }),
  };
}

/** Where the API is. */
export const addressOf = async (started: StartedStack) =>
  (await started.line('ready ')).slice('ready '.length);

/** Ctrl-C, and again before it has ended. */
export async function stopStackProcess({ child, ended }: StartedStack): Promise<void> {
  child.kill('SIGINT');
  setTimeout(() => child.kill('SIGINT'), 20);
  const [code] = (await ended) as [number | null];
  expect(code).toBe(0);
}
