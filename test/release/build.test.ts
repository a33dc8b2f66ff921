import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeProblem } from '../../core/kernel/needed-node.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { buildService } from '../support/build.ts';

const root = path.resolve(import.meta.dirname, '../..');
let build: Awaited<ReturnType<typeof buildService>>;

beforeAll(async () => {
  build = await buildService();
});
afterAll(() => build.remove());

/** SDKs of sources, adapters and files, which would slow down each cold start. */
const LOADED_WHEN_USED = [
  '@azure/data-tables',
  '@azure/identity',
  '@azure/storage-queue',
  '@embedpdf/pdfium',
  '@modelcontextprotocol/server',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-trace',
  'compromise',
  'libarchive-wasm',
  'libphonenumber-js',
  'openai',
  'postal-mime',
  'tesseract.js-core',
  'unpdf',
  'yauzl',
];

test('package.json names what the build emits', () => {
  const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(main).toBe('dist/main.js');
  expect(readdirSync(build.folder).sort()).toEqual(['core', 'functions', 'infra', 'main.js', 'main.js.map']);
  // The fixture company of development, which the images of the product leave out.
  expect(readdirSync(path.join(build.folder, 'infra', 'local'))).toEqual(['fixture']);
});

function loadedApp(options: readonly string[] = []) {
  const said = execFileSync(
    process.execPath,
    [...options, path.join(root, 'test/support/built-app.ts'), build.folder],
    {
      encoding: 'utf8',
      // The programming model says on stdout what it has set up.
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  return JSON.parse(said.trimEnd().split('\n').at(-1) ?? '');
}

test('the build loads under plain Node, finds its migrations, and its workers start', async () => {
  const { app } = await loadFunctions();
  const migrations = readdirSync(path.join(root, 'migrations'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.sql'),
  );
  const { packagesAtStart, ...loaded } = loadedApp();
  expect(loaded).toEqual({
    functions: app.functions.size,
    hooks: Object.values(app.hooks).flat().length,
    migrations: migrations.length,
    state: 'available',
    signals: ['iban'],
  });
  expect(packagesAtStart).toEqual(expect.arrayContaining(['@azure/functions', 'pg', 'zod']));
  expect(packagesAtStart.filter((each: string) => LOADED_WHEN_USED.includes(each))).toEqual([]);
});

describe('under a Node that is too old', () => {
  const WORDS =
    /^This service needs Node 22\.14 or later, best Node 24\. It was started with Node \d+\.\d+\.\d+\.$/m;
  /** Says to the process that its Node is older than it is. */
  const PRETEND = [
    '--import',
    `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`,
  ];
  /** Commands that run a Node: one that pretends, and those of this machine that are older. */
  const OLD = [
    [process.execPath, ...PRETEND],
    ...(process.env.PATH ?? '').split(path.delimiter).flatMap((folder) => {
      const node = path.join(folder, 'node');
      const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
      return stdout && nodeProblem(stdout.trim().slice(1)) !== null ? [[node]] : [];
    }),
  ];

  test.each(['worker', 'mcp', 'migrate', 'tenant', 'audit-verify', 'audit-resume'])(
    'the command %s says which it needs',
    (name) => {
      for (const [node = '', ...options] of OLD) {
        const file = path.join(build.folder, `core/commands/${name}.js`);
        const { status, stdout, stderr } = spawnSync(node, [...options, file], { encoding: 'utf8' });
        expect([status, stdout]).toEqual([1, '']);
        expect(stderr.trimEnd()).toMatch(new RegExp(`${WORDS.source}`));
      }
    },
  );

  test('the app says so to the worker, with a function, so that the worker reports it', () => {
    expect(loadedApp(PRETEND)).toEqual({ functions: 1, refused: expect.stringMatching(WORDS) });
    for (const [node = '', ...options] of OLD) {
      const { status, stderr } = spawnSync(node, [...options, path.join(build.folder, 'main.js')], {
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/Error: This service needs Node 22\.14 or later/);
    }
  });
});
