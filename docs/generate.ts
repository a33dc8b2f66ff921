import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { configurationTable } from '../core/config-table.ts';
import { apiReference } from './api-reference.ts';
import { loadFunctions } from './load-functions.ts';
import { withSettingsTable } from './settings-section.ts';

/** Writes what the documents take from the code: the API reference, and the settings in the README. */
const readme = path.resolve(import.meta.dirname, '../README.md');

const { endpoints } = await loadFunctions();
await writeFile(path.join(import.meta.dirname, 'api.md'), apiReference(endpoints));
await writeFile(readme, withSettingsTable(await readFile(readme, 'utf8'), configurationTable()));
