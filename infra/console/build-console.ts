import { chmod, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip as gzipped } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Manifest, type Plugin } from 'vite';
import { generateClient } from '../../client/generate.ts';
import { VIEW_PAGES } from '../../core/http/console-files.ts';
import { overBudget, type Weights, weightsOf } from './budget.ts';
import { viewPages } from './view-pages.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Below this size a compressed form saves nothing. */
const MIN_BYTES = 512;
const COMPRESSIBLE = /\.(?:html|js|css|svg|txt)$/;

/** Small parts of many views. They are one file, because each file is a request. */
const PARTS = /[\\/]web[\\/]design[\\/](?:bars|bytes|chip|decimals|failure|notice|severity|time)\.tsx?$/;

/**
 * Builds the console into a folder: the page, files with hashed names, and each of them compressed. Throws if a view is
 * heavier than its budget.
 */
export async function buildConsole(outDir: string): Promise<Weights> {
  await generateClient();
  await mkdir(path.dirname(outDir), { recursive: true });
  // Complete or not there: a start that reads the folder meanwhile sees the former one.
  const folder = await mkdtemp(`${outDir}-`);
  try {
    await build({
      configFile: false,
      root: path.join(root, 'web'),
      logLevel: 'warn',
      plugins: [react(), compiledAtOnce()],
      build: {
        outDir: folder,
        emptyOutDir: false,
        manifest: 'manifest.json',
        target: 'es2022',
        // The policy of the page allows neither scripts in the page nor files in addresses.
        modulePreload: { polyfill: false },
        assetsDir: 'static',
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                { name: 'entry', tags: ['$initial'] },
                { name: 'parts', test: PARTS },
              ],
            },
          },
        },
      },
    });
    const manifestFile = path.join(folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest;
    await rm(manifestFile);
    await writeViewPages(folder, manifest);
    const sizes = await compressAll(folder);
    const weights = weightsOf(manifest, sizes);
    const problems = overBudget(weights);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    // A temporary folder is for its maker alone; the service may run as somebody else.
    await chmod(folder, 0o755);
    await replace(outDir, folder);
    return weights;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Nearly all functions of a script run when it is loaded. With this first line a browser compiles them beside the page
 * while the script arrives, and not on the page's own time when each is first called.
 */
const compiledAtOnce = (): Plugin => ({
  name: 'compiled-at-once',
  generateBundle: {
    // Vite writes a line of its own first.
    order: 'post',
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      }
    },
  },
});

async function writeViewPages(folder: string, manifest: Manifest): Promise<void> {
  const page = await readFile(path.join(folder, 'index.html'), 'utf8');
  await mkdir(path.join(folder, VIEW_PAGES));
  for (const [name, text] of viewPages(page, manifest)) {
    await writeFile(path.join(folder, VIEW_PAGES, `${name}.html`), text);
  }
}

/** Writes the compressed forms beside each file. Returns the size of each as gzip. */
async function compressAll(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const name of glob('**/*', { cwd: folder })) {
    if (!COMPRESSIBLE.test(name)) continue;
    const file = path.join(folder, name);
    const body = await readFile(file);
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(body),
      promisify(gzipped)(body, { level: 9 }),
    ]);
    sizes.set(name.split(path.sep).join('/'), gz.length);
    if (body.length < MIN_BYTES) continue;
    await writeFile(`${file}.br`, br);
    await writeFile(`${file}.gz`, gz);
  }
  return sizes;
}

/** Two builds may end at the same time: the last one stays. */
async function replace(outDir: string, folder: string): Promise<void> {
  for (;;) {
    await rm(outDir, { recursive: true, force: true });
    const error = await rename(folder, outDir).then(
      () => null,
      (thrown: NodeJS.ErrnoException) => thrown,
    );
    if (error === null) return;
    if (error.code !== 'ENOTEMPTY') throw error;
  }
}
