import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== path.basename(import.meta.filename))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  const file = path.join(import.meta.dirname, `${name}.ts`);
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
} else {
  console.error(`npm run bench -- NAME [ARGS] [--json]

${names.map((known) => `  ${known}`).join('\n')}

npm run bench -- NAME --help tells the arguments of one. docs/benchmarks.md tells what they measure.`);
  process.exitCode = 1;
}
