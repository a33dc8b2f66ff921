import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withClient } from '../../core/db/client.ts';
import { createPool } from '../../core/db/pool.ts';
import { fixtureBytes } from '../../infra/local/fixture/fixture-content.ts';
import { seedFixture } from '../../infra/local/fixture/seed-fixture.ts';
import { seedDevelopmentTenant, DEVELOPMENT_TENANT_ID as tenantId } from '../../infra/local/seed.ts';
import { startDatabase } from '../support/database.ts';
import { composeForShare, connectShare, inventory } from '../support/inventory.ts';
import { serverMs } from '../support/processor-time.ts';
import {
  COUNTED,
  countStatements,
  forgetStatements,
  type LongestStatement,
  statementsOf,
} from '../support/statements.ts';
import type { Workspace } from '../support/workspace.ts';
import { diskUse, grownBy } from './disk-per-asset.ts';

/** The cost of scanning one asset, in processor time of this process and of all Postgres processes. */
export type CostPerAsset = {
  assets: number;
  assetsPerSecond: number;
  processMs: number;
  /** Null if the system has no `/proc`. */
  postgresMs: number | null;
  statements: number;
  walBytes: number;
  /** Growth of the database, of each table with its indexes, and of `all`. */
  disk: { table: string; bytes: number }[];
  longest: LongestStatement[];
};

const FILE_BYTES = 2_000;
const FOLDERS = 40;

/** Scans `files` text files of 2 kB twice: first all new, then all unchanged. */
export async function costPerAsset(
  workspace: Workspace,
  files: number,
): Promise<{ first: CostPerAsset; unchanged: CostPerAsset }> {
  const share = path.join(workspace.folder, 'small-files');
  await writeSmallFiles(share, files);
  const urls = await startDatabase(workspace, { settings: COUNTED });
  await countStatements(urls.adminUrl);
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await seedDevelopmentTenant(owner, Date.now());
  await owner.close();
  const runtime = await composeForShare(workspace, urls.url, share);
  const scopeId = await connectShare(runtime, tenantId);
  const scan = async () => {
    await forgetStatements(urls.adminUrl);
    const [before, disk] = [await reading(urls), await diskUse(urls.adminUrl)];
    const started = performance.now();
    await inventory(runtime, tenantId, scopeId);
    const seconds = (performance.now() - started) / 1000;
    const after = await reading(urls);
    const grown = grownBy(disk, await diskUse(urls.adminUrl), files);
    const spent = { ...(await statementsOf(urls.adminUrl, files)), disk: grown };
    return costOf(before, after, spent, { files, seconds });
  };
  return { first: await scan(), unchanged: await scan() };
}

/** Writes distinct texts of the fixture's kinds. */
async function writeSmallFiles(share: string, files: number): Promise<void> {
  const texts = seedFixture('bench-small')
    .items.filter(({ format }) => format === 'txt')
    .map((item) => Buffer.from(fixtureBytes(item)).toString());
  for (let folder = 0; folder < FOLDERS; folder++) {
    await mkdir(path.join(share, `folder-${folder}`), { recursive: true });
  }
  for (let file = 0; file < files; file++) {
    const text = `Note ${file}\n\n${texts[file % texts.length]}`.repeat(4).slice(0, FILE_BYTES);
    await writeFile(path.join(share, `folder-${file % FOLDERS}`, `note-${file}.txt`), text);
  }
}

type Urls = { adminUrl: string; pid: number };
type Reading = { processMs: number; postgresMs: number | null; walBytes: number };

/** The time spent so far. */
async function reading({ adminUrl, pid }: Urls): Promise<Reading> {
  const walBytes = await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    return rows[0]?.bytes ?? 0;
  });
  const { user, system } = process.cpuUsage();
  return { processMs: (user + system) / 1000, postgresMs: await serverMs(pid), walBytes };
}

function costOf(
  before: Reading,
  after: Reading,
  { statements, longest, disk }: Pick<CostPerAsset, 'statements' | 'longest' | 'disk'>,
  { files, seconds }: { files: number; seconds: number },
): CostPerAsset {
  const each = (spent: number) => rounded(spent / files, 2);
  return {
    assets: files,
    assetsPerSecond: rounded(files / seconds, 1),
    processMs: each(after.processMs - before.processMs),
    postgresMs:
      after.postgresMs === null || before.postgresMs === null
        ? null
        : each(after.postgresMs - before.postgresMs),
    statements: rounded(statements, 1),
    walBytes: Math.round((after.walBytes - before.walBytes) / files),
    disk,
    longest,
  };
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
