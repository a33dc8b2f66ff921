import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPool } from '../core/db/pool.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import type { CloudAct, CloudFakeReady, CloudFakeTask, CloudFamily } from './clouds/fake-process.ts';
import type { CloudServiceTask } from './clouds/service.ts';
import { buildModule } from './support/build.ts';
import { startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { makeTenant, startDatabase } from './support/database.ts';
import { ask, keepOnly, type ScanRow, scansOf, tableOf } from './support/scan-rows.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- clouds [--assets N] [--json]

Scans a shared drive of Google and a folder of Box with N items each, with fakes of both in other processes. Calls keep
no pace. Measures calls and seconds for 1,000 items, and the peak memory of the process that scans.

  --assets N  items of each, in ten folders (default 100000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE);

const FOLDERS = 10;
const PER_FOLDER = Math.ceil(options.assets / FOLDERS);
/** One item in a hundred changes. */
const CHANGED = Math.round(options.assets / 100);
/** Items that are processed after they were listed: the first ones of the first folder. */
const SAMPLE = Math.round(options.assets / 50);
const HEAP_MB = 160;
const DELTA = { kind: 'delta', onlyLists: false } as const;

type Urls = Awaited<ReturnType<typeof startDatabase>>;

async function measure(
  workspace: Workspace,
  urls: Urls,
  module: string,
  family: CloudFamily,
): Promise<ScanRow[]> {
  const tenantId = `bench_${family}` as TenantId;
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await makeTenant(owner, tenantId);
  await owner.close();
  const fakeTask: CloudFakeTask = { family, items: options.assets, itemsPerFolder: PER_FOLDER };
  const fakeModule = new URL('./clouds/fake-process.ts', import.meta.url);
  const fake = await startProcess<CloudFakeReady>(workspace, fakeModule, fakeTask);
  const task: CloudServiceTask = { databaseUrl: urls.url, tenantId, source: fake.ready.source };
  // Without a bound, V8 lets the heap grow as long as the machine has memory.
  const settings = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const service = await startProcess(workspace, pathToFileURL(module), task, settings);

  const act = (asked: CloudAct) => ask(fake.child, asked);
  const scan = scansOf(service.child, fake.child);
  const inventory = { kind: 'inventory', onlyLists: true } as const;
  const rows = [await scan(`${family}: inventory, listing`, options.assets, inventory)];
  await keepOnly(urls.adminUrl, SAMPLE);
  rows.push(await scan(`${family}: inventory, processing`, SAMPLE, DELTA));
  await act({ act: 'edit', folder: 1, count: CHANGED });
  rows.push(await scan(`${family}: delta, changed content`, CHANGED, DELTA));
  await act({ act: 'rename', folder: 0 });
  rows.push(await scan(`${family}: delta, renamed folder`, PER_FOLDER, DELTA));
  return rows;
}

const rows = await inWorkspace(async (workspace) => {
  const built = await mkdtemp(path.join(workspace.folder, 'built-'));
  const module = await buildModule(built, 'bench/clouds/service.ts');
  const urls = await startDatabase(workspace);
  return [
    ...(await measure(workspace, urls, module, 'cloud_drive')),
    ...(await measure(workspace, urls, module, 'file_box')),
  ];
});
console.log(tableOf(rows));
if (options.json) console.log(JSON.stringify({ changed: CHANGED, rows }));
