import { createRequire } from 'node:module';
import { acquireLockWithin } from './process-lock.ts';

/**
 * Runs Azurite with the arguments given, until it is told to end or its parent does: the channel to a parent
 * closes however that one ends. The first argument is a file to lock, or empty: the service of an earlier run may
 * still be writing its data out.
 */
const LOCK_PATIENCE_MS = 10_000;
const SHUTDOWN_MS = 5_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(), SHUTDOWN_MS).unref();
});
// Nobody reads any more once the parent is gone; that must not keep the data from being written.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [lockFile] = process.argv.splice(2, 1);
if (lockFile) await acquireLockWithin(lockFile, LOCK_PATIENCE_MS);
createRequire(import.meta.url)('azurite/dist/src/azurite.js');
