import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expandIncludes } from '../core/db/includes.ts';

const USAGE = `npm run migration:expand -- NNNN_what.sql

Puts the files of migrations/functions/ that a migration includes into it. Run it again after each change of one of them,
until the migration is released.`;

const [name] = process.argv.slice(2);
if (name === undefined || !/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) {
  console.error(USAGE);
  process.exit(2);
}
const read = (file: string) => readFile(path.join(import.meta.dirname, file), 'utf8');
await writeFile(path.join(import.meta.dirname, name), await expandIncludes(await read(name), read));
