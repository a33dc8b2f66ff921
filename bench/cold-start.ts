import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildApp } from '../infra/app/build-app.ts';
import { renderTable } from '../infra/local/table.ts';
import { asPackage, compileEach } from './support/build.ts';
import { readOptions } from './support/command-line.ts';
import { interleaved, median } from './support/rounds.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- cold-start [--json]

Measures the start of the built app under plain Node until all functions are registered, and its memory when idle,
compared with the same app before it is bundled: each source a file, and the packages in node_modules.

  --json  end with one JSON object on the last line`;

const options = readOptions(USAGE);
const ROUNDS = options.smoke ? 1 : 7;
const STARTER = new URL('cold-start/start-app.ts', import.meta.url);

type Start = { functions: number; milliseconds: number; cpuMilliseconds: number; memoryMiB: number };

async function start(app: string): Promise<Start> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(STARTER),
    path.join(app, 'main.js'),
  ]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n')));
}

const { ours, bare } = await inWorkspace(async ({ folder }) => {
  const [built, unbundled] = [path.join(folder, 'built'), path.join(folder, 'unbundled')];
  await mkdir(unbundled);
  await buildApp(built);
  await asPackage(built);
  await compileEach(unbundled, ['main.ts', 'functions/**/*.ts']);
  return interleaved(
    ROUNDS,
    () => start(built),
    () => start(unbundled),
  );
});

const of = (starts: readonly Start[], figure: keyof Start) =>
  Math.round(median(starts.map((each) => each[figure])));
const FIGURES = ['milliseconds', 'cpuMilliseconds', 'memoryMiB'] as const;
const row = (name: string, starts: readonly Start[]) => [name, ...FIGURES.map((each) => of(starts, each))];
console.log(
  renderTable(
    [`${of(ours, 'functions')} functions registered`, 'ms', 'ms of processor', 'MiB idle'],
    [row('the app', ours), row('unbundled', bare)],
  ),
);
if (options.json) {
  const figures = Object.fromEntries(
    FIGURES.map((each) => [each, { ours: of(ours, each), unbundled: of(bare, each) }]),
  );
  console.log(JSON.stringify({ functions: of(ours, 'functions'), ...figures }));
}
