import { execFile } from 'node:child_process';
import { format } from 'node:util';
import { vi } from 'vitest';

export type CommandResult = { code: number; out: string; err: string };
type Settings = { env?: Readonly<Record<string, string>> | undefined; cwd?: string };

/** Spares a command the compilation of what it loads. */
const { NODE_COMPILE_CACHE = '' } = process.env;

/** Runs a command in a process of its own, with these settings and no others. */
export const runCommand = (
  file: string,
  args: readonly string[],
  { env = {}, cwd }: Settings = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const settings = { env: { ...env, NODE_COMPILE_CACHE }, cwd };
    execFile(process.execPath, [file, ...args], settings, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

let runs = 0;

/**
 * Runs a command in this process, which has loaded most of what it imports: a process costs a second of it. One at a
 * time. A test of each command uses `runCommand`.
 */
export async function runHere(
  file: string,
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Settings = {},
): Promise<CommandResult> {
  const { argv, env: ownEnv, exitCode } = process;
  const folder = process.cwd();
  const result = { code: 0, out: '', err: '' };
  let ended = false;
  const printing =
    (to: 'out' | 'err') =>
    (...words: unknown[]) => {
      if (!ended) result[to] += `${format(...words)}\n`;
    };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(printing('out')),
    vi.spyOn(console, 'error').mockImplementation(printing('err')),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      if (!ended) result.code = Number(code ?? process.exitCode ?? 0);
      ended = true;
      throw new Error('The command has ended');
    }),
  ];
  Object.assign(process, { argv: [process.execPath, file, ...args], env: { ...env }, exitCode: undefined });
  process.chdir(cwd);
  try {
    runs += 1;
    await import(/* @vite-ignore */ `${file}?run=${runs}`);
    if (!ended) result.code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!ended) throw error;
  } finally {
    process.chdir(folder);
    Object.assign(process, { argv, env: ownEnv, exitCode });
    for (const spy of spies) spy.mockRestore();
  }
  return result;
}
