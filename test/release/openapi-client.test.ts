import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'orval';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../core/http/openapi.ts';
import { loadFunctions } from '../../docs/load-functions.ts';

const run = promisify(execFile);
const COMPILER = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** As strict as this repository, for a browser. */
const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
};

/** What somebody writes with the generated client: the names that they rely on. */
const USE = `
import { actionsGet, governanceCreateDomain, type Action, type Candidate, type Severity } from './client.ts';

const most: Severity = 'critical';
export const isUrgent = ({ riskSeverity }: Candidate): boolean => riskSeverity === most;

export async function statusOf(id: string): Promise<Action['status'] | null> {
  const { status, data } = await actionsGet(id);
  return status === 200 ? data.status : null;
}

export const draft = (token: string) =>
  governanceCreateDomain({ name: 'Facilities' }, { headers: { 'x-svc-csrf': token } });

// @ts-expect-error no severity is called so
export const wrong: Severity = 'severe';
`;

let folder: string;
const file = (name: string) => path.join(folder, name);
const compile = (...names: string[]) =>
  writeFile(
    file('tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...OPTIONS, allowImportingTsExtensions: true }, files: names }),
  ).then(() =>
    run(process.execPath, [COMPILER, '-p', folder]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    ),
  );

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'openapi-client-'));
  const { endpoints } = await loadFunctions();
  await writeFile(file('openapi.json'), JSON.stringify(openApiDocument(endpoints)));
  await generate(
    {
      input: { target: file('openapi.json') },
      output: { target: file('client.ts'), client: 'fetch', mode: 'single' },
    },
    folder,
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('a client that is generated from the document compiles', async () => {
  expect(await compile('client.ts')).toBe('');
});

test('the client has a function for each operation', async () => {
  const client = await readFile(file('client.ts'), 'utf8');
  const { endpoints } = await loadFunctions();
  for (const { name } of endpoints) {
    const called = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    expect(client.includes(`export const ${called} = async `), name).toBe(true);
  }
});

test('resources and their words are types that a caller can name', async () => {
  await writeFile(file('use.ts'), USE);
  expect(await compile('use.ts')).toBe('');
});
