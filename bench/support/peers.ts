import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
/** npm writes this file last, so an interrupted installation does not count. */
const INSTALLED = fileURLToPath(new URL('../node_modules/.package-lock.json', import.meta.url));
const INSTALL_MS = 300_000;
const ARGUMENTS = [
  'ci',
  '--prefix',
  BENCH,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  // Without a registry, a bench should soon continue without the peers.
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-timeout=30000',
  '--loglevel=silent',
];

/**
 * Whether the packages for comparison are installed. If not, npm installs them once from `bench/package-lock.json`.
 * If that fails, the bench continues without them. A smoke run installs nothing. Progress is printed to standard
 * error.
 */
export async function havePeers(smoke: boolean): Promise<boolean> {
  if (existsSync(INSTALLED)) return true;
  if (smoke) return false;
  console.error('Installing the packages to compare with, once: npm ci --prefix bench --ignore-scripts');
  if (await install()) return true;
  console.error('They cannot be installed here, as that command tells; the bench goes on without them.');
  return false;
}

/** Imports a peer by a non-literal name, because benches type-check without their peers. */
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
    // npm is not available.
    return false;
  }
}
