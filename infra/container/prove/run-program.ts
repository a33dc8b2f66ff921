import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const KEPT_LINES = 30;

/**
 * Runs a program to its end and returns what it wrote to stdout. Throws with its last lines if it fails or takes longer
 * than `withinMs`.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { withinMs, cwd, env }: { withinMs: number; cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  try {
    const options = {
      cwd,
      env,
      timeout: withinMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
    } as const;
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      killed = false,
    } = error as Partial<Record<'stdout' | 'stderr', string>> & {
      killed?: boolean;
    };
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-KEPT_LINES).join('\n');
    const why = killed ? `did not end within ${withinMs / 1000} s` : 'failed';
    throw new Error(`${program} ${args.slice(0, 3).join(' ')} ${why}:\n${lines}`, { cause: error });
  }
}
