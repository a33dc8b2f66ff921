import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'orval';

const run = promisify(execFile);
const COMPILER = path.resolve(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

/** As strict as this repository, for a browser. */
const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  noEmit: true,
};

/** Makes `client.ts` of a document in a folder, as somebody does who has the document alone. */
export async function clientFrom(document: object, folder: string): Promise<void> {
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document));
  const target = path.join(folder, 'client.ts');
  const output = { target, client: 'fetch', mode: 'single' } as const;
  await generate({ input: { target: path.join(folder, 'openapi.json') }, output }, folder);
}

/** What the compiler says of files in a folder. */
export async function compilerOn(folder: string, ...files: string[]): Promise<string> {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
  return run(process.execPath, [COMPILER, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
