import { cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { buildApp } from '../../infra/app/build-app.ts';
import { withConsole as ensureConsole } from './console.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Builds the service into a folder as `npm run build` does, in a few seconds. */
export async function compile(outDir: string, { withConsole = false } = {}): Promise<void> {
  await buildApp(outDir);
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
