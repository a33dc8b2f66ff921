import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
/** Written by npm when all is in place, so that an installation that broke off counts for none. */
const INSTALLED = fileURLToPath(new URL('../node_modules/.package-lock.json', import.meta.url));
const INSTALL_MS = 300_000;
const ARGUMENTS = [
  'ci',
  '--prefix',
  BENCH,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  // Without a registry a bench should soon go on without them.
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-timeout=30000',
  '--loglevel=silent',
];

/**
 * Whether the packages that benches compare with are there. Where they are not, npm installs them, once, as
 * `bench/package-lock.json` says; where that fails the bench goes on without them. A smoke run installs nothing.
 * Progress goes to standard error.
 */
export async function havePeers(smoke: boolean): Promise<boolean> {
  if (existsSync(INSTALLED)) return true;
  if (smoke) return false;
  console.error('Installing the packages to compare with, once: npm ci --prefix bench --ignore-scripts');
  if (await install()) return true;
  console.error('They cannot be installed here, as that command tells; the bench goes on without them.');
  return false;
}

/** A package that is compared with; by a name that is not a literal, since benches type-check without their peers. */
export const loadPeer = async <Module>(name: string): Promise<Module> => (await import(name)) as Module;

async function install(): Promise<boolean> {
  const npm = spawn('npm', ARGUMENTS, {
    cwd: BENCH,
    stdio: 'ignore',
    timeout: INSTALL_MS,
    shell: process.platform === 'win32',
  });
  try {
    const [code] = await once(npm, 'exit');
    return code === 0 && existsSync(INSTALLED);
  } catch {
    // No npm.
    return false;
  }
}
