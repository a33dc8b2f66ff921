import { execFile } from 'node:child_process';
import { copyFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { renderTable } from '../infra/local/table.ts';
import { readOptions } from './support/command-line.ts';
import { interleaved, median } from './support/rounds.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- cold-start [--json]

Measures the start of the built app under plain Node until all functions are registered, and its memory when idle,
compared with the same app if it loaded the SDKs of sources and adapters at its start.

  --json  end with one JSON object on the last line`;

const options = readOptions(USAGE);
const ROUNDS = options.smoke ? 1 : 7;
const ROOT = path.resolve(import.meta.dirname, '..');
const STARTER = new URL('cold-start/start-app.ts', import.meta.url);
const SDKS = ['@azure/identity', '@azure/storage-queue', '@modelcontextprotocol/server', 'openai'];

type Start = { functions: number; milliseconds: number; cpuMilliseconds: number; memoryMiB: number };

async function buildApp(folder: string): Promise<string> {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', folder], {
    cwd: ROOT,
  });
  await copyFile(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return path.join(folder, 'main.js');
}

async function start(main: string, packages: readonly string[]): Promise<Start> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(STARTER), main, ...packages]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n')));
}

const { ours, bare } = await inWorkspace(async ({ folder }) => {
  const main = await buildApp(path.join(folder, 'app'));
  return interleaved(
    ROUNDS,
    () => start(main, []),
    () => start(main, SDKS),
  );
});

const of = (starts: readonly Start[], figure: keyof Start) =>
  Math.round(median(starts.map((each) => each[figure])));
const FIGURES = ['milliseconds', 'cpuMilliseconds', 'memoryMiB'] as const;
const row = (name: string, starts: readonly Start[]) => [name, ...FIGURES.map((each) => of(starts, each))];
console.log(
  renderTable(
    [`${of(ours, 'functions')} functions registered`, 'ms', 'ms of processor', 'MiB idle'],
    [row('the app', ours), row('with its SDKs at the start', bare)],
  ),
);
if (options.json) {
  const figures = Object.fromEntries(
    FIGURES.map((each) => [each, { ours: of(ours, each), withSdks: of(bare, each) }]),
  );
  console.log(JSON.stringify({ functions: of(ours, 'functions'), ...figures }));
}
