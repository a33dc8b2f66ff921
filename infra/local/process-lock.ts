import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** The lock is held, by another process or by this one. */
export class LockHeldError extends Error {
  constructor(file: string) {
    super(`In use by another process: ${file}`);
    this.name = 'LockHeldError';
  }
}

const SQLITE_BUSY = 5;
/** Takers at the same instant see each other's attempt; with some patience one of them gets it. */
const PATIENCE_MS = 300;
/** A lock is held by an open database, and one that nobody refers to is closed. */
const held = new Set<DatabaseSync>();

/**
 * Takes an exclusive lock on a file (made when missing) until `release` or the end of the process, however it ends:
 * the operating system holds it, so nothing is left to go stale. Node itself has no file locks, SQLite does.
 * Throws `LockHeldError`.
 */
export function acquireLock(file: string): { release(): void } {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    throw isBusy(error) ? new LockHeldError(file) : error;
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

/** Takes the lock as soon as its holder lets go of it, within `ms`. Throws `LockHeldError`. */
export async function acquireLockWithin(file: string, ms: number): Promise<{ release(): void }> {
  for (const deadline = Date.now() + ms; ; ) {
    try {
      return acquireLock(file);
    } catch (error) {
      if (!(error instanceof LockHeldError) || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
