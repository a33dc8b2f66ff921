import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BlobAccount, startBlobAccount } from '../support/blob-account.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[] };
type Source = {
  scopeId: string;
  name: string;
  coverageState: string;
  inaccessible: { reason: string } | null;
};
type Asset = { assetId: string; name: string; contentState: string; contentReason: string | null };

let account: BlobAccount;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  account = await startBlobAccount();
  await account.createContainer('brochures', 'container');
  await account.put('brochures', 'press/people.csv', peopleWithCards());
  await account.put('brochures', 'cold.txt', 'cold');
  await account.setTier('brochures', 'cold.txt', 'Archive');
  await account.createContainer('closed');
  await account.put('closed', 'people.csv', peopleWithCards());
  await account.setTags('closed', 'people.csv', { case: '42' });
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await service.reconfigure({
    SVC_BLOB_ENABLED: 'true',
    SVC_BLOB_ACCOUNT_URL: account.url,
    SVC_BLOB_CREDENTIAL_REF: 'BLOB',
    BLOB: account.connectionString,
    SVC_BLOB_CONTAINERS: 'brochures,closed',
  });
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  const connected = await admin.post('/api/sources/connect', { family: 'blob' });
  expect(connected.body).toMatchObject({ scopesRegistered: 2, mode: 'live' });
  await scanAll();
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await account.stop();
});

function peopleWithCards(): string {
  const cards = [
    '4111111111111111',
    '5500005555555559',
    '4012888888881881',
    '378282246310005',
    '6011111111111117',
  ];
  return ['name,email,card', ...cards.map((card, at) => `Ada Nord ${at},ada${at}@nord.example,${card}`)].join(
    '\n',
  );
}

const sources = async () =>
  (await admin.get<List<Source & { family: string }>>('/api/sources')).body.items.filter(
    ({ family }) => family === 'blob',
  );
async function scanAll(): Promise<void> {
  for (const { scopeId } of await sources())
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
}
const assets = async (filter: string) =>
  (await governance.get<List<Asset>>(`/api/assets?${filter}`)).body.items;

test('the blobs of a public container are open to anyone, and those beside it are not', async () => {
  const open = await assets('exposure=anyone');
  expect(open.map(({ name }) => name).toSorted()).toEqual(['cold.txt', 'people.csv']);
  const [closed] = (await sources()).filter(({ name }) => name === 'closed');
  expect(await assets(`exposure=anyone&scopeId=${closed?.scopeId}`)).toEqual([]);
  expect(await assets(`scopeId=${closed?.scopeId}`)).toHaveLength(1);
});

test('what lies in an archive tier is inaccessible, with the reason', async () => {
  const [cold] = (await assets('contentState=inaccessible')).filter(({ name }) => name === 'cold.txt');
  expect(cold).toMatchObject({ contentState: 'inaccessible', contentReason: 'archived' });
});

test('an asset shows its tags, and that nothing is known to retain it', async () => {
  const [closed] = (await sources()).filter(({ name }) => name === 'closed');
  const [asset] = await assets(`scopeId=${closed?.scopeId}`);
  const { body } = await governance.get(`/api/assets/${asset?.assetId}`);
  expect(body).toMatchObject({ tags: [{ name: 'case', value: '42' }], retention: null });
});

test('a container that is gone keeps its assets, and its coverage is stale', async () => {
  await account.deleteContainer('closed');
  await scanAll();
  const [closed] = (await sources()).filter(({ name }) => name === 'closed');
  expect(closed).toMatchObject({ coverageState: 'stale', inaccessible: { reason: 'not_found' } });
  expect(await assets(`scopeId=${closed?.scopeId}`)).toHaveLength(1);
});

test('a test of the source says what of it can be read', async () => {
  const { body } = await admin.post<{ ok: boolean; mode: string }>('/api/admin/connector/test', {
    family: 'blob',
  });
  expect([body.ok, body.mode]).toEqual([true, 'live']);
  expect(JSON.stringify(body)).not.toContain('brochures');
});

test('another secret in the file of a reference takes effect without a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  const file = join(folder, 'credential');
  await writeFile(file, 'of another store');
  await service.reconfigure({
    SVC_BLOB_ENABLED: 'true',
    SVC_BLOB_INSTANCES: JSON.stringify({
      shop: { accountUrl: account.url, credentialRef: 'SHOP', containers: ['brochures'] },
    }),
    SHOP_FILE: file,
  });
  const isRead = async () =>
    (await admin.post<{ ok: boolean }>('/api/admin/connector/test', { family: 'blob' })).body.ok;
  expect(await isRead()).toBe(false);
  await writeFile(file, account.connectionString);
  expect(await isRead()).toBe(true);
  // The scopes of the settings without a name are those of the instance: it is the same account.
  const [scope] = (await sources()).filter(({ name }) => name === 'brochures');
  expect((await admin.post('/api/scans', { scopeId: scope?.scopeId, kind: 'delta' })).status).toBe(200);
  await service.drain();
  await rm(folder, { recursive: true });
});
