import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createSmbConnector } from '../../core/connectors/smb/smb-connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { textAnalysis } from '../support/text-analysis.ts';

const live = new AbortController().signal;

let database: TestDatabase;
let root: string;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now = Date.UTC(2026, 10, 27);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'share-'));
  tenantId = `share-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  const connector = createSmbConnector({ root, shares: ['.'] });
  const [scope] = (await connector.listScopes(null, live)).scopes;
  await database.inspect(
    sql`update scopes set external_id = ${scope?.externalId ?? ''} where tenant_id = ${tenantId}`,
  );
});
afterEach(() => rm(root, { recursive: true }));

/** Returns what the process counted. */
async function scan(kind: 'inventory' | 'delta'): Promise<Record<string, number>> {
  const log = createLogger({ level: 'error', clock: () => now, destination: { write: () => undefined } });
  const common = { db: database.db, clock: () => now, log, metrics: createMetrics(), doorbell: null };
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    analysis: textAnalysis,
    provider: mockAiProvider,
    connectorFor: () => createSmbConnector({ root, shares: ['.'] }),
  });
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta:0', payload: {} };
  const createdBy = 'somebody' as PrincipalId;
  await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    startCampaign(tx, { scopeId, kind, createdBy, correlationId: 'cor_1', first }, now),
  );
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 2 });
  await worker.drain(Number.POSITIVE_INFINITY, live);
  now += 60_000;
  return common.metrics.snapshot().counters;
}
const assets = async (): Promise<Record<string, string>> => {
  const rows = await database.inspect<{ path: string; id: string }>(sql`
    select path, asset_id as id from assets where tenant_id = ${tenantId} and status = 'active' order by path`);
  return Object.fromEntries(rows.map(({ path, id }) => [path, id]));
};
const write = (path: string, text: string) => writeFile(join(root, path), text);
const move = (from: string, to: string) => rename(join(root, from), join(root, to));

test.each(['delta', 'inventory'] as const)(
  'a rename by case alone keeps its asset in the next %s',
  async (kind) => {
    await mkdir(join(root, 'Docs'));
    await write('Docs/Notes.txt', 'notes');
    await write('Report.txt', 'report');
    await write('other.txt', 'other');
    await scan('inventory');
    const before = await assets();
    await move('Report.txt', 'report.TXT');
    await move('Docs', 'dOCS');
    await scan(kind);
    const ids = {
      'dOCS/Notes.txt': before['Docs/Notes.txt'],
      'other.txt': before['other.txt'],
      'report.TXT': before['Report.txt'],
    };
    expect(await assets()).toEqual(ids);
    await move('report.TXT', 'Report.txt');
    await move('dOCS', 'Docs');
    await scan(kind);
    expect(await assets()).toEqual(before);
  },
);

test('two files that differ in case alone are two assets, also when one of them is new', async () => {
  await write('twin.txt', 'the same');
  await scan('inventory');
  const before = await assets();
  await write('TWIN.txt', 'the same');
  const at = new Date('2026-01-01');
  for (const path of ['twin.txt', 'TWIN.txt']) await utimes(join(root, path), at, at);
  await scan('delta');
  const both = await assets();
  expect(both['twin.txt']).toBe(before['twin.txt']);
  expect(Object.keys(both)).toEqual(['TWIN.txt', 'twin.txt'].sort());
  await rm(join(root, 'twin.txt'));
  await scan('delta');
  expect(await assets()).toEqual({ 'TWIN.txt': both['TWIN.txt'] });
});

test('a rename with another content, or another name, is another asset', async () => {
  await write('Report.txt', 'report');
  await write('Plan.txt', 'plan');
  await scan('inventory');
  const before = Object.values(await assets());
  await rm(join(root, 'Report.txt'));
  await write('report.txt', 'another report');
  await move('Plan.txt', 'Plans.txt');
  await scan('delta');
  const after = await assets();
  expect(Object.keys(after).sort()).toEqual(['Plans.txt', 'report.txt']);
  expect(before.filter((id) => Object.values(after).includes(id))).toEqual([]);
});

test.each(['inventory', 'delta'] as const)(
  'a folder whose path is too long is counted in an %s',
  async (kind) => {
    await write('plain.txt', 'plain');
    await scan('inventory');
    const long = Array.from({ length: 6 }, () => 'x'.repeat(200)).join('/');
    await mkdir(join(root, long), { recursive: true });
    await write(`${long}/inner.txt`, 'inner');
    expect(await scan(kind)).toMatchObject({ 'items_left_out:path_bound': 1 });
    expect(Object.keys(await assets())).toEqual(['plain.txt', long].sort());
  },
);
