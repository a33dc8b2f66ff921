import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** The lock is held by this or another process. */
export class LockHeldError extends Error {
  constructor(file: string) {
    super(`In use by another process: ${file}`);
    this.name = 'LockHeldError';
  }
}

const SQLITE_BUSY = 5;
/** Simultaneous attempts block each other. With this patience, in milliseconds, one of them succeeds. */
const PATIENCE_MS = 300;
/** References the open databases that hold locks. Otherwise garbage collection would close them. */
const held = new Set<DatabaseSync>();

/**
 * Takes an exclusive lock on a file, which is created if missing, until `release` or the end of the process. The
 * operating system holds the lock, so it cannot become stale. It uses SQLite, because Node has no file locks.
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

/** Waits up to `ms` milliseconds for the lock. Throws `LockHeldError`. */
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
