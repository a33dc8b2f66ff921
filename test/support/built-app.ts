import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Migrate from '../../core/db/migrate.ts';
import type * as Pool from '../../core/extractors/pool/extraction-pool.ts';
import type * as Analysis from '../../core/scan/analysis-pool.ts';
import { installCoreModule, loadFunctionApp } from '../../infra/local/functions-host/core-module.ts';

/** Loads a build as the language worker does, and tests what depends on the location of files. */
const build = process.argv[2] ?? '';
const load = (file: string) => import(pathToFileURL(path.join(build, file)).href);

const packages = new Set<string>();
registerHooks({
  load(url, context, next) {
    const inPackages = url.split('/node_modules/').at(-1);
    if (inPackages !== undefined && inPackages !== url)
      packages.add(
        inPackages
          .split('/')
          .slice(0, inPackages.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    return next(url, context);
  },
});
installCoreModule();
let refused: string | undefined;
const { app } = await loadFunctionApp(
  () => undefined,
  () =>
    load('main.js').catch((error: Error) => {
      refused = error.message;
    }),
);
const functions = app.functions.size;
const packagesAtStart = [...packages].sort();
if (refused !== undefined) {
  process.stdout.write(JSON.stringify({ functions, refused }));
  process.exit();
}

const { migrationsFolder, readMigrations } = (await load('core/db/migrate.js')) as typeof Migrate;
const { DEFAULT_EXTRACTION } = (await load('core/extractors/pool/extraction-pool.js')) as typeof Pool;
const { createScanAnalysis } = (await load('core/scan/analysis-pool.js')) as typeof Analysis;
const pool = createScanAnalysis(DEFAULT_EXTRACTION);
const bytes = new TextEncoder().encode('Please pay to IBAN DE89 3704 0044 0532 0130 00');
const ended = await pool.extract(
  { name: 'note.txt', mimeType: null, bytes },
  {
    name: 'note.txt',
    path: 'note.txt',
    contentHash: null,
    excerpts: { max: 0, width: 0 },
    detectors: [],
    homes: [],
    fingerprintKey: null,
    vocabulary: null,
    forOpinion: false,
  },
);
await pool.close();
process.stdout.write(
  JSON.stringify({
    functions,
    packagesAtStart,
    hooks: Object.values(app.hooks).flat().length,
    migrations: (await readMigrations(migrationsFolder())).length,
    state: ended.state,
    signals: 'analysis' in ended ? ended.analysis.features.signals.map((signal) => signal.detectorId) : [],
  }),
);
