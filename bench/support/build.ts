import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const at = (file: string) => path.join(ROOT, file);
/** Started or loaded by their URLs, so no import leads to them. */
const BY_PATH = [
  'core/extractors/pool/extraction-worker.ts',
  'core/scan/analyse.ts',
  'core/detectors/libraries/*.ts',
  'core/extractors/libraries/*.ts',
];

/**
 * Compiles a module of a bench into a folder and returns the file to start. Deployments run JavaScript too, and running
 * TypeScript directly costs 30 MB in each thread.
 * @param module `bench/…/….ts`
 */
export async function buildModule(folder: string, module: string): Promise<string> {
  await compileEach(folder, [module, ...BY_PATH]);
  await symlink(at('bench/node_modules'), path.join(folder, 'bench/node_modules'), 'junction');
  return path.join(folder, module.replace(/ts$/, 'js'));
}

/** Compiles sources, and what they import, each to a file of its own. They find the packages of this checkout. */
export async function compileEach(folder: string, include: readonly string[]): Promise<void> {
  const project = path.join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    rootDir: ROOT,
    outDir: folder,
  };
  await writeFile(
    project,
    JSON.stringify({ extends: at('tsconfig.json'), compilerOptions, include: include.map(at) }),
  );
  await asPackage(folder);
  await promisify(execFile)(process.execPath, [COMPILER, '--noCheck', '-p', project]);
}

/** Makes a folder a package with the dependencies of this checkout. */
export async function asPackage(folder: string): Promise<void> {
  await copyFile(at('package.json'), path.join(folder, 'package.json'));
  await symlink(at('node_modules'), path.join(folder, 'node_modules'), 'junction');
}
