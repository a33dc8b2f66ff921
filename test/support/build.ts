import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { withConsole as ensureConsole } from './console.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Compiles the service into a folder as `npm run build` does.
 * @param withConsole whether the console is built into it
 */
export async function compile(outDir: string, { withConsole = false } = {}): Promise<void> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  if (!withConsole) return;
  await ensureConsole();
  await cp(path.join(root, 'dist/web'), path.join(outDir, 'web'), { recursive: true });
}

/**
 * Builds the service. The folder is inside the package, where the build finds its dependencies and the migrations, and
 * beside nobody's `dist/`.
 */
export async function buildService(
  options?: Parameters<typeof compile>[1],
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(root, '.build-'));
  await compile(folder, options);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
