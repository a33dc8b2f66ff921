import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The content of `postmaster.pid` of a running postmaster. */
export type Postmaster = { pid: number; ready: boolean };

const pidFileOf = (data: string) => path.join(data, 'postmaster.pid');

export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const lines = (await readFile(pidFileOf(data), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === 'ready' } : null;
}

/**
 * Stops the server that an earlier run left on this data folder, if there is one. Call it while holding the lock of
 * the folder, which means that the process that started the server has ended. Returns whether there was one.
 */
export async function stopLeftover(data: string): Promise<boolean> {
  const postmaster = await readPostmaster(data);
  if (postmaster === null) return false;
  if ((await commandLine(postmaster.pid)).includes(data)) {
    await stopPostmaster(postmaster.pid);
    return true;
  }
  // The pid may now belong to another process, or to a zombie. Postgres would take either for a server and refuse to
  // start. Removing the file is safe, because Postgres also detects sessions of an old server by its shared memory.
  await rm(pidFileOf(data), { force: true });
  return false;
}

/** Fast shutdown, which ends sessions and writes data. Stops harder if that does not work. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!kill(pid, signal)) return;
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      await sleep(10);
      if (!(await isRunning(pid))) return;
    }
  }
  throw new Error('The local database does not stop');
}

/** A zombie, such as under a container's first process, has no command line. */
const isRunning = async (pid: number) => kill(pid, 0) && (await commandLine(pid)) !== '';

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    // The process exists and belongs to another user, so it is not the server that was started here.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return signal === 0;
    throw error;
  }
}

/**
 * The command line of a process. Empty if it has ended. Slim images have /proc but no `ps`, and macOS has `ps` but no
 * /proc.
 */
async function commandLine(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (fromProc !== undefined) return fromProc.replaceAll('\0', ' ');
  const ps = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(
    () => undefined,
  );
  return ps?.stdout ?? '';
}
