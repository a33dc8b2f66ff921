import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { access, glob, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { IMAGE_FILES } from '../../../infra/container/image-files.ts';
import { compile } from '../build.ts';
import type { Code } from './recorded.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FIXTURE = 'dist/infra/local/fixture/';
const run = promisify(execFile);

/** An application folder, and which of its files declare functions and run commands. */
export type App = {
  root: string;
  /** Globs of what serves HTTP. Without queue and timers, so that nothing else changes the data meanwhile. */
  functions: readonly string[];
  command(name: string): string;
};

const appIn = (root: string, below: string, extension: string): App => ({
  root,
  // A file of a kind in a build, all files of it in the sources and in releases up to 26.11.28.1.
  functions: [
    `${below}functions/{http,webhooks}{,/**/*}.${extension}`,
    `${below}functions/process-lifecycle.${extension}`,
  ],
  command: (name) => path.join(root, below, `core/commands/${name}.${extension}`),
});

/** The sources as they are now. */
export const PRESENT_APP = appIn(ROOT, '', 'ts');

/** What a release runs with: the files of the host image, and the company that its image of development adds. */
const RECORDED = [...IMAGE_FILES.host, `${FIXTURE}*.js`];

/** Builds the sources and reads what a release runs with, with the production part of the lock file. */
export async function buildCode(): Promise<Code> {
  const build = await mkdtemp(path.join(tmpdir(), 'release-'));
  try {
    await compile(path.join(build, 'dist'));
    const code: Record<string, string> = { ...(await productionPackages()) };
    for (const pattern of RECORDED) {
      const from = pattern.startsWith('dist/') ? build : ROOT;
      for await (const file of glob(pattern, { cwd: from }))
        if (!file.endsWith('.map')) code[file] = await readFile(path.join(from, file), 'utf8');
    }
    return code;
  } finally {
    await rm(build, { recursive: true, force: true });
  }
}

const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';

type Lock = { packages: Record<string, { dev?: boolean; devDependencies?: object }> };

/** The manifest and the lock file without what only development needs. */
async function productionPackages(): Promise<Code> {
  const read = async <T>(file: string) => JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as T;
  const { name, version, type, main, dependencies } = await read<Record<string, unknown>>(MANIFEST);
  const lock = await read<Lock>(LOCK);
  const packages = Object.entries(lock.packages).flatMap(([place, { devDependencies: _, ...entry }]) =>
    entry.dev === true ? [] : [[place, entry]],
  );
  return {
    [MANIFEST]: JSON.stringify({ name, version, type, main, dependencies }, null, 2),
    [LOCK]: JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2),
  };
}

/**
 * Writes the application of a release into a folder and gives it its own dependencies: those that are installed here
 * if the production part of the lock file is the same, else an installation of its lock file.
 */
export async function unpackApp(code: Code, folder: string): Promise<App> {
  for (const [file, text] of Object.entries(code)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  if (!Object.keys(code).some((file) => file.startsWith(FIXTURE)))
    await addFixtureCompany(path.join(folder, 'dist'));
  const same = (await productionPackages())[LOCK] === code[LOCK];
  const packages = same ? path.join(ROOT, 'node_modules') : await installed(code);
  await symlink(packages, path.join(folder, 'node_modules'));
  return appIn(folder, 'dist/', 'js');
}

/** Writes the present fixture company where a release looks for it that was recorded without one. */
async function addFixtureCompany(dist: string): Promise<void> {
  for await (const file of glob('infra/local/fixture/**/*.{ts,json}', { cwd: ROOT })) {
    const text = await readFile(path.join(ROOT, file), 'utf8');
    const code = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const built = path.join(dist, file.replace(/\.ts$/, '.js'));
    await mkdir(path.dirname(built), { recursive: true });
    await writeFile(built, code.replaceAll(/((?:from|import) ?\(?'\.[^']+)\.ts'/g, "$1.js'"));
  }
}

/** Installs the dependencies of a release once, and keeps them beside the caches of this checkout. */
async function installed(code: Code): Promise<string> {
  const files = [MANIFEST, LOCK].map((file) => [file, code[file] ?? ''] as const);
  const parent = path.join(ROOT, 'node_modules/.cache/releases');
  const folder = path.join(parent, hash('sha256', JSON.stringify(files)).slice(0, 16));
  const packages = path.join(folder, 'node_modules');
  if (await exists(packages)) return packages;
  await mkdir(parent, { recursive: true });
  const making = await mkdtemp(path.join(parent, 'making-'));
  for (const [file, text] of files) await writeFile(path.join(making, file), text);
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: making,
  });
  // Another process may have made it meanwhile.
  await rename(making, folder).catch(async (error: unknown) => {
    await rm(making, { recursive: true, force: true });
    if (!(await exists(packages))) throw error;
  });
  return packages;
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
