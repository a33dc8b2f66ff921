import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removePostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, sharedFolder } from '../../infra/local/server-identity.ts';

export type Workspace = {
  /** Initially empty. A Postgres goes into its subfolder `postgres`, as in the local stack. */
  folder: string;
  /** Registers a cleanup step. The steps run in reverse order before the folder is removed. */
  atEnd(stop: () => Promise<unknown>): void;
  /** Stops a service at the end, even if the end comes while the service is starting. */
  untilEnd<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T>;
};

/**
 * Runs a bench in its own temporary folder. After a result, an error or a signal, stops everything that was started
 * and removes the folder. The next run removes the leftovers of a killed run.
 */
export async function inWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const parent = await sharedFolder(await defaultIdentity(), [tmpdir(), '/tmp', '/var/tmp']);
  await removeAbandoned(parent);
  const folder = await mkdtemp(path.join(parent, `bench-${process.pid}-`));
  // The database server, which is not root, must pass through.
  await chmod(folder, 0o711);
  const stops: (() => Promise<unknown>)[] = [];
  const workspace: Workspace = {
    folder,
    atEnd: (stop) => stops.push(stop),
    untilEnd: (starting) => {
      // The caller handles a failed start. There is nothing to stop then.
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

/** @param parent the folder of the workspaces */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^bench-([0-9]+)-/.exec(name) ?? [];
    // A folder of another user that cannot be removed must not fail this run.
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
    // The process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
