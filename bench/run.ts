import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { smokeAll } from './support/smoke.ts';

const fileOf = (bench: string) => path.join(import.meta.dirname, `${bench}.ts`);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  process.argv.splice(1, process.argv.length, fileOf(name), ...args);
  await import(pathToFileURL(fileOf(name)).href);
} else if (name === 'all' && args.join() === '--smoke') {
  process.exitCode = (await smokeAll(names.map((name) => ({ name, file: fileOf(name) })))) ? 0 : 1;
} else {
  console.error(`npm run bench -- NAME [ARGS] [--json]

${names.map((known) => `  ${known}`).join('\n')}

npm run bench -- NAME --help lists the arguments of a benchmark. docs/benchmarks.md describes what each measures.
npm run bench -- all --smoke runs each short one once with little data, and all with NIGHTLY=1, to check that they work. It measures nothing.`);
  process.exitCode = 1;
}
