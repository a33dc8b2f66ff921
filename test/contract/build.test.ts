import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildService } from '../support/build.ts';

const root = path.resolve(import.meta.dirname, '../..');
let build: Awaited<ReturnType<typeof buildService>>;

beforeAll(async () => {
  build = await buildService();
});
afterAll(() => build.remove());

test('package.json names what the build emits', () => {
  const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(main).toBe('dist/functions/**/*.js');
  expect(readdirSync(build.folder).sort()).toEqual(['core', 'functions']);
});

test('the build loads under plain Node, finds its migrations, and its workers start', () => {
  const said = execFileSync(process.execPath, [path.join(root, 'test/support/built-app.ts'), build.folder], {
    encoding: 'utf8',
    // Without a host the programming model says so for each function, and on stdout what it has set up.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const sources = (folder: string, extension: string) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith(extension),
    ).length;
  expect(JSON.parse(said.trimEnd().split('\n').at(-1) ?? '')).toEqual({
    functions: sources('functions', '.ts'),
    migrations: readdirSync(path.join(root, 'migrations')).filter((file) => file.endsWith('.sql')).length,
    state: 'available',
    signals: ['iban'],
  });
});
