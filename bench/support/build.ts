import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');
/** Started by their URLs, so no import leads to them. */
const THREADS = ['core/extractors/pool/extraction-worker.ts', 'core/scan/analyse.ts'];

/**
 * Compiles a module of a bench into a folder and returns the file to start. Deployments run JavaScript too, and running
 * TypeScript directly costs 30 MB in each thread.
 * @param module `bench/…/….ts`
 */
export async function buildModule(folder: string, module: string): Promise<string> {
  const root = (file: string) => path.join(ROOT, file);
  const project = path.join(folder, 'tsconfig.json');
  const configuration = {
    extends: root('tsconfig.build.json'),
    compilerOptions: { rootDir: ROOT, outDir: folder, sourceMap: false },
    include: [],
    files: [module, ...THREADS].map(root),
  };
  await writeFile(project, JSON.stringify(configuration));
  await copyFile(root('package.json'), path.join(folder, 'package.json'));
  await symlink(root('node_modules'), path.join(folder, 'node_modules'), 'junction');
  await promisify(execFile)(process.execPath, [COMPILER, '-p', project]);
  await symlink(root('bench/node_modules'), path.join(folder, 'bench/node_modules'), 'junction');
  return path.join(folder, module.replace(/ts$/, 'js'));
}
