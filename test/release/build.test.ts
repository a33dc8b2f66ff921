import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeProblem } from '../../core/kernel/needed-node.ts';
import { ownFrames } from '../../core/observability/own-frames.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { buildService } from '../support/build.ts';
import { builtSignals } from '../support/built-threads.ts';

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
  '@modelcontextprotocol/server',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-trace',
  'compromise',
  'libphonenumber-js',
  'openai',
  'postal-mime',
  'unpdf',
  'yauzl',
];

/** A package that is imported or required by its name. */
const BARE = /(?:^(?:import|export)\b[^"'\n]*?|\b(?:__require\w*|import)\()["']([@a-z][^"'\n]*)["']/gm;
/** An error that is thrown with a text of its own. */
const THROWN = /throw new Error\(["']([^"']{10,})["']/;

const builtTexts = () =>
  globSync('**/*.js', { cwd: build.folder }).map((file) =>
    readFileSync(path.join(build.folder, file), 'utf8'),
  );

test('package.json names what the build emits', () => {
  const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(main).toBe('dist/main.js');
  const files = readdirSync(build.folder).sort();
  expect(files).toEqual(['chunks', 'core', 'functions', 'infra', 'licences.txt', 'main.js', 'main.js.map']);
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

describe('the build under plain Node', () => {
  let loaded: ReturnType<typeof loadedApp>;
  beforeAll(() => {
    loaded = loadedApp();
  });

  test('declares what the sources declare, and every chunk loads', async () => {
    const { app } = await loadFunctions();
    const { functions, hooks, refused } = loaded;
    expect({ functions, hooks, refused }).toEqual({
      functions: app.functions.size,
      hooks: Object.values(app.hooks).flat().length,
    });
    expect(loaded.packages).toEqual(expect.arrayContaining(['mysql2', 'tedious', ...LOADED_WHEN_USED]));
  });

  test('loads no SDK of sources, adapters and files at its start', () => {
    expect(loaded.packagesAtStart).toEqual(expect.arrayContaining(['@azure/functions', 'pg', 'zod']));
    expect(loaded.packagesAtStart.filter((each: string) => LOADED_WHEN_USED.includes(each))).toEqual([]);
  });

  test('has the licence of each package in it', () => {
    const licences = readFileSync(path.join(build.folder, 'licences.txt'), 'utf8');
    for (const name of loaded.packages) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(licences).toContain('Copyright (c) 2010 - 2021 Brian Carlson');
  });

  test('imports no package but what the worker makes, and what packages ask for in vain', () => {
    const asked = builtTexts().flatMap((text) => [...text.matchAll(BARE)].map(([, name = '']) => name));
    const foreign = new Set(asked.filter((name) => !isBuiltin(name)));
    expect([...foreign].sort()).toEqual(['@azure/functions-core', 'cardinal', 'pg-native']);
  });

  test('threads find identifiers and names with the libraries of detectors', async () => {
    const text = 'Please pay Ms Margaret Thompson, +49 30 901820, to IBAN DE89 3704 0044 0532 0130 00';
    expect(await builtSignals(build.folder, text)).toEqual(['iban', 'person_name', 'phone_number']);
  });
});

test('a frame of the build is logged as the file and line of the source', () => {
  const placesIn = (folder: string, pattern: string) =>
    globSync(pattern, { cwd: folder }).flatMap((file) =>
      readFileSync(path.join(folder, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const message = THROWN.exec(line)?.[1];
          const column = line.indexOf('new Error') + 1;
          return message === undefined ? [] : [{ message, file, line: index + 1, column }];
        }),
    );
  const built = Map.groupBy(placesIn(build.folder, '**/*.js'), ({ message }) => message);
  const sources = Map.groupBy(placesIn(root, '{core,functions}/**/*.ts'), ({ message }) => message);
  const [seen, expected]: [unknown[], unknown[]] = [[], []];
  for (const [message, [source, ...others]] of sources) {
    const [place, ...copies] = built.get(message) ?? [];
    if (source === undefined || place === undefined || others.length + copies.length > 0) continue;
    const url = pathToFileURL(path.join(build.folder, place.file));
    const stack = `Error\n    at work (${url}:${place.line}:${place.column})`;
    seen.push(ownFrames(Object.assign(new Error(''), { stack })));
    expected.push([`${source.file}:${source.line}`]);
  }
  expect(expected.length).toBeGreaterThan(20);
  expect(seen).toEqual(expected);
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
    expect(loadedApp(PRETEND)).toMatchObject({ functions: 1, refused: expect.stringMatching(WORDS) });
    for (const [node = '', ...options] of OLD) {
      const { status, stderr } = spawnSync(node, [...options, path.join(build.folder, 'main.js')], {
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/Error: This service needs Node 22\.14 or later/);
    }
  });
});
