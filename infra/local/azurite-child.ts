import { createRequire } from 'node:module';
import { acquireLockWithin } from './process-lock.ts';

/**
 * Runs Azurite with the given arguments until it is told to end or its parent ends. The channel closes however the
 * parent ends.
 * The first argument is a file to lock, or empty. The process waits for the lock, because the Azurite of an earlier
 * run may still be writing its data.
 */
const LOCK_PATIENCE_MS = 10_000;
const SHUTDOWN_MS = 5_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(), SHUTDOWN_MS).unref();
});
// After the parent has ended nobody reads the output. The resulting errors must not prevent the data from being
// written.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [lockFile] = process.argv.splice(2, 1);
if (lockFile) await acquireLockWithin(lockFile, LOCK_PATIENCE_MS);
createRequire(import.meta.url)('azurite/dist/src/azurite.js');
