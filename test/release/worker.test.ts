import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const root = path.resolve(import.meta.dirname, '../..');
const FILES = 150;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let share: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  share = await mkdtemp(path.join(tmpdir(), 'worker-share-'));
  await mkdir(path.join(share, 'finance'));
  for (let n = 0; n < FILES; n++) {
    const text = `Invoice ${n}\n${'Please transfer the amount due to IBAN DE89370400440532013000. '.repeat(20)}`;
    await writeFile(path.join(share, 'finance', `Invoice ${n}.txt`), text);
  }
  database = await createSeededDatabase({ max: 10, itemsPerScope: 3 });
  // Nothing in this process drains: it answers requests only.
  service = await startService(database, shareSettings());
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  await admin.post('/api/sources/connect', { family: 'smb' });
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await service.close();
  await database.drop();
  await rm(share, { recursive: true, force: true });
});

const shareSettings = () => ({
  SVC_SMB_ENABLED: 'true',
  SVC_SMB_ROOT: share,
  SVC_SMB_SHARES: 'finance',
});

/** `npm run worker` without npm. */
function startWorker(settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [path.join(root, 'core/commands/worker.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SVC_ENV: 'development',
      SVC_DATABASE_URL: database.url,
      SVC_WORKER_TICK_MS: '50',
      SVC_EXTRACT_WORKERS: '1',
      ...shareSettings(),
      ...settings,
    },
  });
  running.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    said.out += data;
  });
  child.stderr.on('data', (data) => {
    said.err += data;
  });
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, said, ended };
}

type Source = { scopeId: string; family: string };
type Scan = { campaignId: string; status: string; workUnits: Record<string, number> };

async function startScans(family: string): Promise<void> {
  const { body } = await admin.get<{ items: Source[] }>('/api/sources');
  for (const { scopeId } of body.items.filter((source) => source.family === family)) {
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

const scans = async () => (await admin.get<{ items: Scan[] }>('/api/scans')).body.items;
const allCompleted = async () => (await scans()).every(({ status }) => status === 'completed');
const scanners = () => database.inspect<{ host: string }>(sql`select host from scanners`);
const attempts = () =>
  database.inspect<{ status: string; attempt: number; count: number }>(sql`
    select status, attempt, count(*)::int as count from work_units group by 1, 2 order by 1, 2`);

test('a standalone worker does the inventory of a whole tenant, without a queue', async () => {
  const worker = startWorker({ SVC_SCANNER_ID: 'standalone' });
  await until(async () => (await scanners()).length === 1);
  await startScans('m365');
  await until(allCompleted);
  const found = await scans();
  expect(found.length).toBeGreaterThan(1);
  for (const { workUnits } of found) expect(workUnits).toMatchObject({ pending: 0, leased: 0, dead: 0 });
  // Its counters stay its own.
  const { body } = await admin.get<{ counters: Record<string, number> }>('/api/ops/metrics');
  expect(Object.keys(body.counters).filter((name) => name.startsWith('work_'))).toEqual([]);
  expect(found.reduce((sum, { workUnits }) => sum + (workUnits.completed ?? 0), 0)).toBeGreaterThan(20);

  worker.child.kill('SIGTERM');
  expect(await worker.ended).toBe(0);
  expect(await scanners()).toEqual([]);
  const events = worker.said.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toEqual(['worker_started']);
  expect(worker.said.err).toBe('');
});

test.runIf(NIGHTLY)(
  'a worker that is ended in mid-campaign hands back, and another one goes on',
  async () => {
    await database.inspect(sql`truncate work_units, campaigns cascade`);
    const first = startWorker({ SVC_WORKER_CONCURRENCY: '1' });
    await startScans('smb');
    const [campaign] = await scans();
    const completed = async () => (await scans())[0]?.workUnits.completed ?? 0;
    await until(async () => (await completed()) >= 10);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await completed()).toBeLessThan(FILES);
    expect(await scanners()).toEqual([]);
    const cut = await attempts();
    expect(cut.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 1],
      ['pending', 0],
    ]);

    const second = startWorker();
    await until(allCompleted);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
    expect((await scans()).map(({ campaignId }) => campaignId)).toEqual([campaign?.campaignId]);
    const units = await attempts();
    expect(units.map(({ status, attempt }) => [status, attempt])).toEqual([['completed', 1]]);
    expect(units[0]?.count).toBeGreaterThan(FILES);
  },
);

describe('a worker that cannot start says why in one line', () => {
  const refused = async (settings: Record<string, string>) => {
    const { said, ended } = startWorker(settings);
    expect(await ended).toBe(1);
    expect(said.out).toBe('');
    return said.err;
  };

  test('when there is no database', async () => {
    expect(await refused({ SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/none' })).toBe(
      'The database cannot be reached (ECONNREFUSED): see SVC_DATABASE_URL.\n',
    );
    const other = new URL(database.url);
    other.pathname = '/not_there';
    expect(await refused({ SVC_DATABASE_URL: other.href })).toContain('(3D000)');
  });

  test('when nobody has migrated it, or not for this release', async () => {
    const unmigrated = 'The database lacks migrations of this release: run npm run migrate first.\n';
    const cluster = inject('cluster');
    await ensureDatabase(cluster.adminUrl, { name: 'unmigrated', owner: cluster.owner.name });
    const url = urlOf(cluster.adminUrl, { database: 'unmigrated', login: cluster.runtime });
    expect(await refused({ SVC_DATABASE_URL: url })).toBe(unmigrated);
    const older = await createTestDatabase({ max: 1 });
    await older.inspect(sql`delete from schema_migrations where name like '0101%'`);
    expect(await refused({ SVC_DATABASE_URL: older.url })).toBe(unmigrated);
    await older.drop();
  });

  test('when its id would not do', async () => {
    expect(await refused({ SVC_SCANNER_ID: 'one:two' })).toContain('SVC_SCANNER_ID');
  });
});

test('a process that is asked twice ends at once; one Ctrl-C counts once', async () => {
  const script = `
    import { stopRequested } from ${JSON.stringify(path.join(root, 'core/commands/stop-request.ts'))};
    const stop = stopRequested(2);
    setInterval(() => undefined, 1_000);
    console.log('ready');
    await stop;
    console.log('asked');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  await once(child.stdout, 'data');
  await sleep(600);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(1);
  running.delete(child);
});
