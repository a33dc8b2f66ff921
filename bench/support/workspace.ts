import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removePostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, sharedFolder } from '../../infra/local/server-identity.ts';

export type Workspace = {
  /** Empty at first. A Postgres goes into `postgres` below it, as the local stack has it. */
  folder: string;
  /** What to do at the end, last come first, before the folder is removed. */
  atEnd(stop: () => Promise<unknown>): void;
  /** Has a service stopped at the end, also where the end comes while it is starting. */
  untilEnd<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T>;
};

/**
 * Runs a bench in a temporary folder of its own. At the end, be it a result, an error or a signal, everything that
 * was started is stopped and the folder removed. What a killed run left behind is removed by the next one.
 */
export async function inWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const parent = await sharedFolder(await defaultIdentity(), [tmpdir(), '/tmp', '/var/tmp']);
  await removeAbandoned(parent);
  const folder = await mkdtemp(path.join(parent, `bench-${process.pid}-`));
  // The database server, which is not root, passes through.
  await chmod(folder, 0o711);
  const stops: (() => Promise<unknown>)[] = [];
  const workspace: Workspace = {
    folder,
    atEnd: (stop) => stops.push(stop),
    untilEnd: (starting) => {
      // Who awaits the start is told why it failed; here there is then nothing to stop.
      stops.push(async () => (await starting.catch(() => null))?.stop());
      return starting;
    },
  };
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => reject(new Error(`Interrupted by ${signal}`)));
    }
  });
  try {
    return await Promise.race([work(workspace), interrupted]);
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => console.error(error));
    await removeFolder(folder);
  }
}

async function removeFolder(folder: string): Promise<void> {
  await removePostgres(path.join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
}

/** @param parent folder in which the workspaces are */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^bench-([0-9]+)-/.exec(name) ?? [];
    // Another's folder that cannot be removed is no reason for this run to fail.
    if (pid !== undefined && !isAlive(Number(pid))) {
      await removeFolder(path.join(parent, name)).catch(() => undefined);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
