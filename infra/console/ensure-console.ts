import { execFile } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { consoleFolder } from '../../core/http/console-files.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What the console depends on. The client depends on the API, of which the console uses what these files name. */
const SOURCES = ['web/**/*', 'client/*.ts', 'infra/console/*.ts', 'package-lock.json', 'VERSION'];

/** Whether a source has changed since the console was built into a folder, or it was never built. */
export async function isStale(folder: string): Promise<boolean> {
  const built = await stat(path.join(folder, 'index.html')).catch(() => null);
  if (built === null) return true;
  for await (const file of glob(SOURCES, { cwd: root })) {
    const changed = await stat(path.join(root, file));
    if (changed.isFile() && changed.mtimeMs > built.mtimeMs) return true;
  }
  return false;
}

/**
 * Builds the console where it is missing or older than its sources, in a process of its own: the build needs more
 * memory than the service. Without a console the API is served all the same, so a failure only says what to do.
 */
export async function ensureConsole(signal: AbortSignal, log: (message: string) => void): Promise<void> {
  if (!(await isStale(consoleFolder()))) return;
  log('building the console, as after each change of it');
  const build = path.join(import.meta.dirname, 'build.ts');
  await promisify(execFile)(process.execPath, [build], { signal }).catch((error: { stderr?: string }) => {
    if (signal.aborted) return;
    log(`The console was not built: ${error.stderr?.trim().split('\n').at(-1) ?? 'it failed'}`);
    log('The API is served without it. `npm run build` says more.');
  });
}
