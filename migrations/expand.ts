import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expandIncludes, notExpanded } from '../core/db/includes.ts';

const USAGE = `npm run migration:expand -- NNNN_what.sql

Puts the files of migrations/functions/ that a migration includes into it. Run it again after each change of one of them,
until the migration is released.`;

const [name] = process.argv.slice(2);
if (name === undefined || !/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) {
  console.error(USAGE);
  process.exit(2);
}
const read = async (file: string) =>
  (await readFile(path.join(import.meta.dirname, file), 'utf8')).replaceAll('\r\n', '\n');
const expanded = await expandIncludes(await read(name), read);
for (const include of notExpanded(expanded)) {
  console.error(`Not included: "${include}". Write "--! include functions/<room>.sql" alone on its line.`);
  process.exitCode = 1;
}
await writeFile(path.join(import.meta.dirname, name), expanded);
