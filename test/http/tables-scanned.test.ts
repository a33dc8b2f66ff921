import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../core/config/config.ts';
import type { Connector, SourceItem } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { DEFAULT_EXTRACTION } from '../../core/extractors/pool/extraction-pool.ts';
import type { PrincipalId, ScopeId } from '../../core/kernel/ids.ts';
import { TABLE_SAMPLE_TYPE, type TableSample } from '../../core/kernel/table-sample.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { sweepRetention } from '../../core/retention/sweep.ts';
import { createScanAnalysis } from '../../core/scan/analysis-pool.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { bytesOf, customers, tableOf } from '../support/table-samples.ts';

type List<T> = { items: T[] };
type Row = { assetId: string; name: string; kind: string; contentState: string; table: object | null };
type Detail = Row & {
  signals: { detectorId: string; sure: number; byChance: number | null; columns: object | null }[];
};

const ROWS = customers(60);
const NAMES = ['id', 'name', 'konto_verbindung_iban', 'email'];
const SECRET_COMMENT = 'Zibeline comment';

const TABLES: Readonly<Record<string, TableSample>> = {
  customers: tableOf([{ name: 'id', type: 'bigint', key: 'primary' }, ...NAMES.slice(1)], ROWS, {
    table: 'customers',
    comment: SECRET_COMMENT,
    estimatedRows: 2_000_000,
  }),
  vault: tableOf([{ name: 'iban', masked: true }, 'note'], [['XXXX', 'hello']], { table: 'vault' }),
  empty: tableOf(['iban', 'password'], [], { table: 'empty' }),
};

/** Tables that the database no longer has. */
const dropped = new Set<string>();

const itemOf = (name: string): SourceItem => ({
  externalId: name,
  name,
  path: `public/${name}`,
  kind: 'table',
  sizeBytes: 8_192,
  mimeType: TABLE_SAMPLE_TYPE,
  sourceUrl: null,
  sourceVersion: 'v1',
  contentVersion: 'v1',
  createdAt: null,
  modifiedAt: null,
  modifiedBy: null,
});

const databaseSource: Connector = {
  family: 'sql',
  mode: 'live',
  delta: 'comparison',
  listScopes: async () => ({ scopes: [], nextPageToken: null }),
  listLabels: async () => [],
  listItems: async () => ({
    items: Object.keys(TABLES)
      .filter((name) => !dropped.has(name))
      .map(itemOf),
    nextPageToken: null,
    deltaCursor: null,
  }),
  getItem: async (_, name) => itemOf(name),
  getPermissions: async () => ({
    grants: [
      { principal: 'public', principalKind: 'organization', external: false, role: 'read', inherited: false },
    ],
    complete: true,
  }),
  getLabel: async () => ({ state: 'unknown' }),
  readContent: async (_, name) => ({ state: 'available', bytes: bytesOf(TABLES[name]) }),
};

let database: TestDatabase;
let service: TestService;
let governance: SignedIn;
let auditor: SignedIn;
const logs: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 1 });
  service = await startService(database);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  await scanTables();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

async function scanTables(): Promise<void> {
  const clock = Date.now;
  const { db } = database;
  const analysis = createScanAnalysis({ ...DEFAULT_EXTRACTION, size: 1 });
  const log = createLogger({ level: 'debug', clock, destination: { write: (line) => logs.push(line) } });
  const common = { db, clock, log, metrics: createMetrics(), doorbell: null };
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    analysis,
    provider: mockAiProvider,
    connectorFor: () => databaseSource,
  });
  const scope = { externalId: 'crm', name: 'crm', kind: 'database' };
  const first = {
    kind: 'inventory_page' as const,
    logicalKey: 'page:0',
    payload: { page: 0, pageToken: null },
  };
  await withTx(db, { tenantId: DEV, mode: 'write' }, async (tx) => {
    await registerScopes(tx, 'sql', 'live', [scope], clock());
    const [row] = await tx.query<{ scopeId: ScopeId }>(
      sql`select scope_id as "scopeId" from scopes where tenant_id = ${DEV} and external_id = 'crm'`,
    );
    const createdBy = PERSONA.platformAdmin as PrincipalId;
    if (row === undefined) throw new Error('the scope is not registered');
    const campaign = { scopeId: row.scopeId, kind: 'inventory' as const, createdBy };
    await startCampaign(tx, { ...campaign, correlationId: 'cor_1', first }, clock());
  });
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 2 });
  await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
  await analysis.close();
}

const featuresOf = (name: string) =>
  database.inspect(sql`
    select from asset_features f join assets a using (tenant_id, asset_id)
     where a.tenant_id = ${DEV} and a.external_id = ${name}`);

const listed = async (query: string) => (await governance.get<List<Row>>(`/api/assets?${query}`)).body.items;
async function detailOf(name: string): Promise<Detail> {
  const asset = (await listed('fileFormat=table')).find((each) => each.name === name);
  return (await governance.get<Detail>(`/api/assets/${asset?.assetId}`)).body;
}

test('a table is one asset, and the list says how much of it was read', async () => {
  const tables = await listed('fileFormat=table');
  expect(tables.map(({ name }) => name).sort()).toEqual(['customers', 'empty', 'vault']);
  expect(tables.find(({ name }) => name === 'customers')).toMatchObject({
    kind: 'table',
    contentState: 'partial',
    contentReason: 'sampled',
    table: { kind: 'table', rows: 60, estimatedRows: 2_000_000, columns: 4, allRowsVisible: true },
  });
  expect(tables.find(({ name }) => name === 'vault')).toMatchObject({
    contentState: 'partial',
    contentReason: 'partly_visible',
    unreadParts: 1,
    table: { maskedColumns: 1 },
  });
});

test('the detail names the column of each kind, with the share that passes', async () => {
  const { signals, table } = await detailOf('customers');
  expect(table).toMatchObject({ rows: 60, estimatedRows: 2_000_000 });
  expect(signals.find(({ detectorId }) => detectorId === 'iban')).toMatchObject({
    sure: 60,
    byChance: 0.0001,
    columns: {
      items: [{ column: 'konto_verbindung_iban', saidBy: 'name', passing: 60, values: 60 }],
      truncated: false,
    },
  });
});

test('excerpts name the column and show no value', async () => {
  const [kept] = await database.inspect<{
    excerpts: { detectorId: string; text: string; column: string }[];
  }>(sql`
    select f.excerpts from asset_features f join assets a using (tenant_id, asset_id)
     where a.tenant_id = ${DEV} and a.external_id = 'customers'`);
  expect(kept?.excerpts.map(({ detectorId, column }) => [detectorId, column])).toContainEqual([
    'iban',
    'konto_verbindung_iban',
  ]);
  for (const { text } of kept?.excerpts ?? []) {
    for (const row of ROWS) for (const value of row.slice(1)) expect(text).not.toContain(value);
  }
});

test('a finding names the table and the column', async () => {
  const { items } = (
    await auditor.get<List<{ assetName: string; kind: string; notes: string }>>('/api/findings')
  ).body;
  const finding = items.find(({ assetName, kind }) => assetName === 'customers' && kind === 'exposure');
  expect(finding?.notes).toContain('(60, in column "konto_verbindung_iban")');
  expect(items.filter(({ assetName }) => assetName === 'empty' || assetName === 'vault')).toEqual([]);
});

test('an export has the rows that were read, and the columns of findings', async () => {
  const assets = await auditor.get('/api/exports/assets?format=csv');
  const [head = '', ...lines] = assets.text.split(/\r?\n/);
  const cells = lines.find((line) => line.includes('customers'))?.split(',') ?? [];
  const cellOf = (column: string) => cells[head.split(',').findIndex((name) => name.includes(column))];
  expect([cellOf('rowsRead'), cellOf('rowsEstimated')]).toEqual(['60', '2000000']);
  expect((await auditor.get('/api/exports/findings?format=csv')).text).toContain('konto_verbindung_iban');
});

test('the analyst knows tables', async () => {
  const owner = await service.signInAs(PERSONA.financeOwner);
  const { body } = await owner.post<{ answer: Answer }>('/api/analyst/query', {
    question: 'tables that everyone can open',
  });
  expect(body.answer.plan).toMatchObject({ subject: 'assets' });
  expect(JSON.stringify(body.answer.plan)).toContain('"table"');
});

test('no value and no comment of a table is stored or logged', async () => {
  const canaries = [SECRET_COMMENT, ...ROWS.slice(0, 20).flatMap((row) => row.slice(1))];
  const tables = await database.inspect<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public'`,
  );
  expect(tables.length).toBeGreaterThan(50);
  for (const { name } of tables) {
    const [row] = await database.inspect<{ text: string | null }>(
      sql`select string_agg(t::text, ' ') as text from ${sql.ident(name)} t`,
    );
    for (const canary of canaries) expect(row?.text ?? '').not.toContain(canary);
  }
  const said = logs.join('\n');
  expect(said).toContain('unit_settled');
  for (const canary of [...canaries, 'konto_verbindung_iban']) expect(said).not.toContain(canary);
});

test('a table that was dropped is listed no longer; its signals go after their days', async () => {
  dropped.add('customers');
  await scanTables();
  expect((await listed('fileFormat=table')).map(({ name }) => name).sort()).toEqual(['empty', 'vault']);
  const findings = (await auditor.get<List<{ assetName: string }>>('/api/findings')).body.items;
  expect(findings.filter(({ assetName }) => assetName === 'customers')).toEqual([]);
  expect(await featuresOf('customers')).toHaveLength(1);
  const config = loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url });
  const later = Date.now() + (config.SVC_RETENTION_REMOVED_ASSET_DAYS + 1) * 24 * 3_600_000;
  await sweepRetention(
    { db: database.db, config, clock: () => later },
    { signal: new AbortController().signal, budgetMs: 60_000 },
  );
  expect(await featuresOf('customers')).toEqual([]);
  expect(await featuresOf('vault')).toHaveLength(1);
});
