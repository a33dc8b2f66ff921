import { parseArgs } from 'node:util';
import { consoleFolder } from '../../core/http/console-files.ts';
import { inKb } from './budget.ts';
import { buildConsole } from './build-console.ts';
import { isStale } from './ensure-console.ts';

/*
 * node infra/console/build.ts [--if-stale]
 * Builds the console into dist/web, where the service finds it.
 */
const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false } } });
// The libraries of the console have a second, slower form for development.
process.env.NODE_ENV = 'production';
const folder = consoleFolder();
if (!values['if-stale'] || (await isStale(folder))) {
  const { entry, views } = await buildConsole(folder);
  console.log(`The console as gzip: ${inKb(entry)} to start`);
  for (const [name, size] of views) console.log(`  ${name.padEnd(32)} ${inKb(size)}`);
}
