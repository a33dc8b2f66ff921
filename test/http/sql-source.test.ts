import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { createPostgresSource, type PostgresSource } from '../support/sql/postgres-source.ts';

type List<T> = { items: T[] };
type Source = { scopeId: string; externalId: string; name: string; family: string };
type Asset = { assetId: string; name: string; kind: string; contentState: string };
type Tested = { ok: boolean; mode: string; capabilities: { capability: string }[] };

let source: PostgresSource;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  source = await createPostgresSource();
  await source.run(
    'create schema shop',
    `grant usage on schema shop to ${source.reader}`,
    'grant usage on schema shop to public',
    'create table shop.people (name text, email text, card text)',
    ...[
      '4111111111111111',
      '5500005555555559',
      '4012888888881881',
      '378282246310005',
      '6011111111111117',
    ].map(
      (card, at) => `insert into shop.people values ('Ada Nord ${at}', 'ada${at}@nord.example', '${card}')`,
    ),
    'create table shop.closed (id int)',
    `grant select on shop.people to ${source.reader}`,
    'grant select on shop.people to public',
  );
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await service.reconfigure({
    SVC_SQL_ENABLED: 'true',
    SVC_SQL_CONNECTION_REF: 'SQL',
    SQL: source.connection,
    SVC_SQL_SCHEMAS: 'shop',
  });
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  const connected = await admin.post('/api/sources/connect', { family: 'sql' });
  expect(connected.body).toMatchObject({ scopesRegistered: 1, mode: 'live' });
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await source.close();
});

const scope = async () => {
  const { items } = (await admin.get<List<Source>>('/api/sources')).body;
  return items.find(({ family }) => family === 'sql') ?? expect.unreachable();
};
const scan = async (kind: 'inventory' | 'delta') => {
  expect((await admin.post('/api/scans', { scopeId: (await scope()).scopeId, kind })).status).toBe(200);
  await service.drain();
};
const tables = async (filter = '') => {
  const { scopeId } = await scope();
  const { body } = await governance.get<List<Asset>>(`/api/assets?scopeId=${scopeId}${filter}`);
  return body.items.toSorted((a, b) => a.name.localeCompare(b.name));
};

test('a scan finds the tables, and what is in those that were granted', async () => {
  await scan('inventory');
  expect(await scope()).toMatchObject({ name: source.database, externalId: source.scopeId });
  expect(
    (await tables()).map(({ name, kind, contentState }) => [name, kind, contentState === 'inaccessible']),
  ).toEqual([
    ['closed', 'table', true],
    ['people', 'table', false],
  ]);
});

test('a table that every login can read is open to the organisation alone', async () => {
  expect((await tables('&exposure=organization')).map(({ name }) => name)).toEqual(['people']);
  expect(await tables('&exposure=anyone')).toEqual([]);
});

test('a delta finds a table that was dropped and one that was made', async () => {
  await source.run('drop table shop.closed', 'create table shop.fresh (id int)');
  await scan('delta');
  expect((await tables()).map(({ name }) => name)).toEqual(['fresh', 'people']);
});

test('readiness and the test of the source say that it is live, without its names', async () => {
  const ready = await admin.get<{ integrations: object }>('/api/ready');
  expect(ready.body.integrations).toMatchObject({ sqlConnector: 'live' });
  const { body } = await admin.post<Tested>('/api/admin/connector/test', { family: 'sql' });
  expect([body.ok, body.mode]).toEqual([true, 'live']);
  expect(JSON.stringify(body)).not.toMatch(new RegExp(`${source.database}|shop|people`));
});

test.each([
  ['login_can_write', 'grant insert on shop.people to', 'revoke insert on shop.people from', 'table'],
  [
    'login_can_write',
    "create function shop.wipe() returns void language sql security definer as 'select'; --",
    'drop function shop.wipe; --',
    'routine',
  ],
  [
    'login_unchecked',
    'revoke select on pg_catalog.pg_roles from public --',
    'grant select on pg_catalog.pg_roles to public --',
    null,
  ],
])('a test of the source names %s (%s)', async (reason, give, take, right) => {
  await source.run(`${give} ${source.reader}`);
  const { body } = await admin.post<Tested>('/api/admin/connector/test', { family: 'sql' });
  await source.run(`${take} ${source.reader}`);
  expect(body.ok).toBe(false);
  expect(body.capabilities.find(({ capability }) => capability === 'drive')).toEqual({
    capability: 'drive',
    state: 'blocked',
    reason,
    missing: [],
    position: 1,
    right,
  });
});

test('a test of the source names the right that no table has', async () => {
  await source.run(
    `revoke select on shop.people from public`,
    `revoke select on shop.people from ${source.reader}`,
  );
  const { body } = await admin.post<Tested>('/api/admin/connector/test', { family: 'sql' });
  await source.run(`grant select on shop.people to ${source.reader}`);
  expect(body.capabilities.find(({ capability }) => capability === 'drive')).toMatchObject({
    reason: 'missing_permission',
    missing: ['SELECT'],
  });
});

test('a database that is deselected is scanned no more, and is selected again', async () => {
  const { scopeId } = await scope();
  const select = (scopeIds: string[] | null) =>
    admin.request<{ selected: number }>('PUT', '/api/admin/connectors/sql/selection', {
      body: { scopeIds, unselected: 'keep' },
    });
  expect((await select([])).body).toMatchObject({ selected: 0 });
  expect((await admin.post('/api/scans', { scopeId, kind: 'delta' })).status).toBe(422);
  expect((await select([scopeId])).body).toMatchObject({ selected: 1 });
  expect((await admin.post('/api/scans', { scopeId, kind: 'delta' })).status).toBe(200);
  await service.drain();
});

test('a connection string that is not there deselects nothing', async () => {
  const { scopeId } = await scope();
  await service.reconfigure({
    SVC_SQL_ENABLED: 'true',
    SVC_SQL_INSTANCES: JSON.stringify({
      gone: { connectionRef: 'NOWHERE', schemas: ['shop'] },
      other: { connectionRef: 'OTHER', schemas: ['public'] },
    }),
    OTHER: 'postgres://a:b@127.0.0.1:1/other?sslmode=disable',
  });
  const all = { scopeIds: null, unselected: 'keep' };
  const { body } = await admin.request<object>('PUT', '/api/admin/connectors/sql/selection', { body: all });
  expect(body).toMatchObject({ selected: 1, notSelected: 0 });
  expect((await scope()).scopeId).toBe(scopeId);
});
