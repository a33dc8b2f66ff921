import { readdir, readFile } from 'node:fs/promises';

/** The length of a clock tick in Linux's `/proc`. */
const TICK_MS = 10;

type Ticks = { parent: number; own: number; ofEnded: number };

/** Null if the process does not exist, or the system has no `/proc`. */
async function ticksOf(pid: number | string): Promise<Ticks | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [
    fields[1],
    ...fields.slice(11, 15),
  ];
  return { parent, own: user + system, ofEnded: endedUser + endedSystem };
}

/** Milliseconds of processor time that a process has spent. Null as in `ticksOf`. */
export async function processorMs(pid: number): Promise<number | null> {
  const ticks = await ticksOf(pid);
  return ticks && ticks.own * TICK_MS;
}

/** Milliseconds of processor time of a server: of its running processes, and of those that have ended. Null as above. */
export async function serverMs(postmaster: number): Promise<number | null> {
  const server = await ticksOf(postmaster);
  if (server === null) return null;
  const names = await readdir('/proc');
  const all = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(ticksOf));
  const running = all.reduce((sum, each) => sum + (each?.parent === postmaster ? each.own : 0), 0);
  return (server.own + server.ofEnded + running) * TICK_MS;
}
