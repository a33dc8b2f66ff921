import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startScan } from '../../core/campaigns/start-scan.ts';
import { loadConfig } from '../../core/config.ts';
import { fixtureBytes } from '../../core/connectors/mock/fixture-content.ts';
import { seedFixture } from '../../core/connectors/mock/seed-fixture.ts';
import { withClient } from '../../core/db/client.ts';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import type { ScopeId } from '../../core/kernel/ids.ts';
import { compose, type Runtime } from '../../core/runtime.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { seedDevelopmentTenant, DEVELOPMENT_TENANT_ID as tenantId } from '../../infra/local/seed.ts';
import { startDatabase } from '../support/database.ts';
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
  /** The statements with the most total time, as a share of the time of all. */
  longest: { share: number; msPerAsset: number; callsPerAsset: number; statement: string }[];
};

const FILE_BYTES = 2_000;
const FOLDERS = 40;
const LONGEST = 12;
const DRAIN_MS = 60_000;
/** The length of a statement in the table. */
const STATEMENT_CHARACTERS = 110;

/** Scans `files` text files of 2 kB twice: first all new, then all unchanged. */
export async function costPerAsset(
  workspace: Workspace,
  files: number,
): Promise<{ first: CostPerAsset; unchanged: CostPerAsset }> {
  const share = path.join(workspace.folder, 'small-files');
  await writeSmallFiles(share, files);
  const urls = await startDatabase(workspace, {
    settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' },
  });
  await withClient(urls.adminUrl, (client) => client.query('create extension pg_stat_statements'));
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await seedDevelopmentTenant(owner, Date.now());
  await owner.close();
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_LOG_LEVEL: 'error',
    SVC_DATABASE_URL: urls.url,
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: `${share}/`,
    SVC_SMB_SHARES: '.',
  });
  const runtime = compose(config, Date.now);
  workspace.atEnd(runtime.close);
  const scopeId = await connect(runtime);
  const scan = async () => {
    await withClient(urls.adminUrl, (client) => client.query('select pg_stat_statements_reset()'));
    const [before, disk] = [await reading(urls), await diskUse(urls.adminUrl)];
    const started = performance.now();
    await inventory(runtime, scopeId);
    const seconds = (performance.now() - started) / 1000;
    const after = await reading(urls);
    const grown = grownBy(disk, await diskUse(urls.adminUrl), files);
    const told = { ...(await longest(urls.adminUrl, files)), disk: grown };
    return costOf(before, after, told, { files, seconds });
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

async function connect(runtime: Runtime): Promise<ScopeId> {
  const signal = AbortSignal.timeout(30_000);
  const { scopes } = await connectorFor(runtime, tenantId, 'smb').listScopes(null, signal);
  return withTx(runtime.db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(tx, 'smb', 'live', scopes, Date.now());
    const [scope] = await tx.query<{ scopeId: ScopeId }>(sql`
      select scope_id as "scopeId" from scopes where tenant_id = ${tenantId} and family = 'smb'`);
    if (scope === undefined) throw new Error('No scope was registered');
    return scope.scopeId;
  });
}

/** Runs an inventory to its last unit. */
async function inventory(runtime: Runtime, scopeId: ScopeId): Promise<void> {
  const { db, worker } = runtime;
  const scan = {
    scopeId,
    kind: 'inventory',
    createdBy: null,
    correlationId: 'bench',
    now: Date.now(),
  } as const;
  const scanned = await withTx(db, { tenantId, mode: 'write' }, (tx) => startScan(runtime, tx, scan));
  if ('refused' in scanned) throw new Error(`No scan: ${scanned.refused.reason}`);
  const campaignId = scanned.started;
  const isOver = () =>
    withTx(db, { tenantId, mode: 'read' }, async (tx) => {
      const rows = await tx.query(sql`
        select from campaigns where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status = 'completed'`);
      return rows.length > 0;
    });
  while (!(await isOver())) await worker.drain(DRAIN_MS, runtime.stopping);
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
  return { processMs: (user + system) / 1000, postgresMs: await postgresMs(pid), walBytes };
}

/** The length of a clock tick in Linux's `/proc`. */
const TICK_MS = 10;

/** The processor time of the server: of its running processes, and of those that have ended. */
async function postgresMs(postmaster: number): Promise<number | null> {
  const numbers = await readdir('/proc').then(
    (names) => names.filter((name) => /^\d+$/.test(name)),
    () => null,
  );
  if (numbers === null) return null;
  let ticks = 0;
  for (const number of numbers) {
    const stat = await readFile(`/proc/${number}/stat`, 'utf8').catch(() => '');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [
      fields[1],
      ...fields.slice(11, 15),
    ];
    if (Number(number) === postmaster) ticks += user + system + endedUser + endedSystem;
    if (parent === postmaster) ticks += user + system;
  }
  return ticks * TICK_MS;
}

type StatementRow = { statement: string; calls: number; ms: number };

/** All statements since the statistics were reset, the slowest first. */
const longest = (adminUrl: string, files: number) =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<StatementRow>(`
      select regexp_replace(query, '\\s+', ' ', 'g') as statement, sum(calls)::float8 as calls,
             sum(total_exec_time + total_plan_time)::float8 as ms
        from pg_stat_statements where toplevel and dbid = (select oid from pg_database where datname = current_database())
       group by 1 order by 3 desc`);
    const total = rows.reduce((sum, { ms }) => sum + ms, 0);
    return {
      statements: rows.reduce((sum, { calls }) => sum + calls, 0) / files,
      longest: rows.slice(0, LONGEST).map(({ statement, calls, ms }) => ({
        share: rounded(ms / total, 3),
        msPerAsset: rounded(ms / files, 3),
        callsPerAsset: rounded(calls / files, 2),
        statement: statement.slice(0, STATEMENT_CHARACTERS),
      })),
    };
  });

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
