import { execFile } from 'node:child_process';

export type CommandResult = { code: number; out: string; err: string };

/** Spares a command the compilation of what it loads. */
const { NODE_COMPILE_CACHE = '' } = process.env;

/** A command as somebody runs it, with these settings and no others. */
export const runCommand = (
  file: string,
  args: readonly string[],
  { env = {}, cwd }: { env?: Readonly<Record<string, string>> | undefined; cwd?: string } = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const settings = { env: { ...env, NODE_COMPILE_CACHE }, cwd };
    execFile(process.execPath, [file, ...args], settings, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
