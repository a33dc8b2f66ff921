import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Builds the service as `npm run build` does. The folder is inside the package, where the build finds its dependencies
 * and the migrations, and beside nobody's `dist/`.
 */
export async function buildService(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(root, '.build-'));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', folder];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
