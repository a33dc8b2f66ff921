import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** What a running postmaster says of itself in `postmaster.pid`. */
export type Postmaster = { pid: number; ready: boolean };

const pidFileOf = (data: string) => path.join(data, 'postmaster.pid');

export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const lines = (await readFile(pidFileOf(data), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === 'ready' } : null;
}

/**
 * Ends the server that an earlier run left behind on this data folder, if there is one. Call it under the lock of
 * the folder: whoever started that server is gone. Returns whether there was one.
 */
export async function stopLeftover(data: string): Promise<boolean> {
  const postmaster = await readPostmaster(data);
  if (postmaster === null) return false;
  if ((await commandLine(postmaster.pid)).includes(data)) {
    await stopPostmaster(postmaster.pid);
    return true;
  }
  // The number may by now belong to another process, or to one that ended and that nobody waited for. Postgres would
  // take either for a server and refuse to start; that no session of an old one is left it also tells by its memory.
  await rm(pidFileOf(data), { force: true });
  return false;
}

/** Fast shutdown (sessions are ended, data is written out), harsher if it does not come to an end. */
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
  throw new Error('The local database does not end');
}

/** A process that has ended but that nobody waited for (as under a container's first process) has no command line. */
const isRunning = async (pid: number) => kill(pid, 0) && (await commandLine(pid)) !== '';

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    // There is such a process and it is somebody else's: not the server that we started.
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return signal === 0;
    throw error;
  }
}

/** Program and arguments of a process; empty when it is gone. Slim images have /proc but no `ps`, macOS the reverse. */
async function commandLine(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (fromProc !== undefined) return fromProc.replaceAll('\0', ' ');
  const ps = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(
    () => undefined,
  );
  return ps?.stdout ?? '';
}
