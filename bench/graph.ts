import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPool } from '../core/db/pool.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import type { FakeAct, FakeReady, FakeTask } from './graph/fake-process.ts';
import type { ServiceTask } from './graph/service.ts';
import { buildModule } from './support/build.ts';
import { startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { makeTenant, startDatabase } from './support/database.ts';
import { ask, keepOnly, type ScanRow, scansOf, tableOf } from './support/scan-rows.ts';
import type { ScanAsked } from './support/scan-service.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- graph [--assets N] [--json]

Scans a library of N items through the connector of Microsoft 365, with a fake of Microsoft Graph in another process.
Measures calls, bytes and seconds for 1,000 items, and the peak memory of the process that scans.

  --assets N  items of the library, in ten folders (default 100000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE);

const TENANT = 'bench' as TenantId;
const FOLDERS = 10;
/** One item in a hundred changes. */
const CHANGED = Math.round(options.assets / 100);
/** Items that are processed after they were listed: the first ones of the first folder. */
const SAMPLE = Math.round(options.assets / 50);
const PER_FOLDER = Math.ceil(options.assets / FOLDERS);

/** Of the main thread of the process that scans. */
const HEAP_MB = 160;

async function measure(workspace: Workspace): Promise<ScanRow[]> {
  const urls = await startDatabase(workspace);
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await makeTenant(owner, TENANT);
  await owner.close();
  const fakeTask: FakeTask = { items: options.assets, itemsPerFolder: PER_FOLDER };
  const fake = await startProcess<FakeReady>(
    workspace,
    new URL('./graph/fake-process.ts', import.meta.url),
    fakeTask,
  );
  const certificates = path.join(workspace.folder, 'authority.pem');
  await writeFile(certificates, fake.ready.ca);
  const task: ServiceTask = { databaseUrl: urls.url, tenantId: TENANT, fake: fake.ready };
  const built = await mkdtemp(path.join(workspace.folder, 'built-'));
  const module = pathToFileURL(await buildModule(built, 'bench/graph/service.ts'));
  // Without a bound, V8 lets the heap grow as long as the machine has memory.
  const settings = { NODE_EXTRA_CA_CERTS: certificates, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const service = await startProcess(workspace, module, task, settings);

  const act = (asked: FakeAct) => ask(fake.child, asked);
  const scan = scansOf(service.child, fake.child);
  const delta: ScanAsked = { kind: 'delta', onlyLists: false };

  const rows = [await scan('inventory, listing', options.assets, { kind: 'inventory', onlyLists: true })];
  await keepOnly(urls.adminUrl, SAMPLE);
  rows.push(await scan('inventory, processing', SAMPLE, delta));
  await act({ act: 'edit', folder: 1, count: CHANGED });
  rows.push(await scan('delta, changed content', CHANGED, delta));
  await act({ act: 'share', folder: 0, count: CHANGED });
  rows.push(await scan('delta, changed sharing', CHANGED, delta));
  await act({ act: 'rename', folder: 0 });
  rows.push(await scan('delta, renamed folder', PER_FOLDER, delta));
  await act({ act: 'shareFolder', folder: 1 });
  rows.push(await scan('delta, shared folder', PER_FOLDER, delta));
  await act({ act: 'unshareFolder', folder: 1 });
  rows.push(await scan('delta, unshared folder', PER_FOLDER, delta));
  return rows;
}

const rows = await inWorkspace(measure);
console.log(tableOf(rows));
if (options.json) console.log(JSON.stringify({ changed: CHANGED, rows }));
