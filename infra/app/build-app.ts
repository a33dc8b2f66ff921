import { glob, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Plugin, type RolldownOutput, rolldown } from 'rolldown';

/*
 * node infra/app/build-app.ts
 * Builds the service into dist/: the sources and their packages, in few files that share chunks. Types are not checked
 * here. docs/adr/0036-the-app-is-bundled.md has the reasons.
 */

const root = path.resolve(import.meta.dirname, '../..');

/** What no import leads to, or what the images can lack. Each is a file of the build, at the place of its source. */
const ENTRIES = [
  'main.ts',
  'core/commands/*.ts',
  // Started as threads.
  'core/extractors/pool/extraction-worker.ts',
  'core/scan/analyse.ts',
  // Loaded at once where they are first needed.
  'core/{detectors,extractors}/libraries/*.ts',
  'infra/local/fixture/fixture-company.ts',
];

/** What a package says of its licence. */
const LICENCE = /^(?:licen[cs]e|notice|copying)/i;

/** Builds the service into a folder, which is emptied first. Throws at what the bundler warns of. */
export async function buildApp(folder: string): Promise<void> {
  const kinds = await functionKinds();
  const input = Object.fromEntries([
    ...(await matching(ENTRIES)).map((file) => [file.replace(/\.ts$/, ''), path.join(root, file)]),
    ...[...kinds.keys()].map((kind) => [kind, kind]),
  ]);
  await rm(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    // The language worker makes it.
    external: ['@azure/functions-core'],
    plugins: [allOfKind(kinds), inTheirPlaces],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const built = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    intro: ({ fileName }) =>
      `const BUILD = /* @__PURE__ */ new URL('./${'../'.repeat(depth(fileName))}', import.meta.url);`,
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) =>
      path.relative(root, path.resolve(path.dirname(map), source)).replaceAll(path.sep, '/'),
  });
  await bundle.close();
  await writeFile(path.join(folder, 'licences.txt'), await licences(built));
}

const depth = (fileName: string) => fileName.split('/').length - 1;

async function matching(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: root })) files.push(file.replaceAll(path.sep, '/'));
  return files.sort();
}

/** The files of functions by what becomes one file: `functions/http`, `functions/timers` and so on. */
async function functionKinds(): Promise<ReadonlyMap<string, string[]>> {
  const files = await matching(['functions/**/*.ts']);
  return Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/').replace(/\.ts$/, ''));
}

/** Lets an entry import all functions of a kind, as `main.ts` does file by file. */
const allOfKind = (kinds: ReadonlyMap<string, readonly string[]>): Plugin => ({
  name: 'all-of-kind',
  resolveId: (id) => (kinds.has(id) ? `\0${id}` : null),
  load: (id) =>
    kinds
      .get(id.slice(1))
      ?.map((file) => `import ${JSON.stringify(path.join(root, file))};`)
      .join('\n'),
});

/** A module of ours that asks where it is gets the place that it has among the sources, below the folder of the build. */
const inTheirPlaces: Plugin = {
  name: 'in-their-places',
  transform(code, id) {
    const file = path.relative(root, id).replaceAll(path.sep, '/');
    if (!/^(?:core|functions|infra)\/.*\.ts$/.test(file) || !code.includes('import.meta.url')) return null;
    const place = `new URL('${file.replace(/ts$/, 'js')}', BUILD).href`;
    // No line moves, so the maps stay true.
    return { code: code.replaceAll('import.meta.url', place), map: null };
  },
};

/** What the packages ask to hand on with their code. */
async function licences({ output }: RolldownOutput): Promise<string> {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const files = (await readdir(folder)).filter((file) => LICENCE.test(file));
    const said = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
    return [`${name} ${version} (${license})`, ...said.map((text) => text.trim())].join('\n\n');
  });
  return `${(await Promise.all(texts)).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

if (import.meta.main) await buildApp(path.join(root, 'dist'));
