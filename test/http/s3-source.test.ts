import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { BLOCK } from '../support/s3/s3-answers.ts';
import { type S3Fake, startS3Fake } from '../support/s3/s3-fake.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[] };
type Source = { scopeId: string; name: string; family: string };
type Asset = { assetId: string; name: string; contentState: string; contentReason: string | null };

const PEOPLE = [
  'name,email,card',
  ...['4111111111111111', '5500005555555559', '4012888888881881', '378282246310005', '6011111111111117'].map(
    (card, at) => `Ada Nord ${at},ada${at}@nord.example,${card}`,
  ),
].join('\n');
const toAll = (bucket: string) => ({
  isPublic: true,
  policy: {
    Statement: {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/press/*`,
    },
  },
});

let fake: S3Fake;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  fake = await startS3Fake();
  fake.createBucket('brochures', toAll('brochures'));
  fake.put('brochures', 'press/people.csv', PEOPLE);
  fake.put('brochures', 'internal/people.csv', PEOPLE);
  fake.put('brochures', 'cold.txt', 'cold', { storageClass: 'DEEP_ARCHIVE' });
  fake.createBucket('closed', { ...toAll('closed'), block: BLOCK.all });
  fake.put('closed', 'press/closed.csv', PEOPLE);
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await service.reconfigure({
    SVC_S3_ENABLED: 'true',
    SVC_S3_ENDPOINT: fake.url,
    SVC_S3_REGION: 'eu-central-1',
    SVC_S3_PATH_STYLE: 'true',
    SVC_S3_CREDENTIAL_REF: 'S3',
    S3: `${fake.keys.id}:${fake.keys.secret}`,
    SVC_S3_BUCKETS: 'brochures,closed',
  });
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  const connected = await admin.post('/api/sources/connect', { family: 's3' });
  expect(connected.body).toMatchObject({ scopesRegistered: 2, mode: 'live' });
  const { items } = (await admin.get<List<Source>>('/api/sources')).body;
  for (const { scopeId } of items.filter(({ family }) => family === 's3'))
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await fake.stop();
});

const assets = async (filter: string) =>
  (await governance.get<List<Asset>>(`/api/assets?${filter}`)).body.items;

test('what the policy of a bucket opens is open to anyone, and the rest is not', async () => {
  const open = await assets('exposure=anyone');
  expect(open.map(({ name }) => name)).toEqual(['people.csv']);
  const { body } = await auditor.get<List<{ kind: string; notes: string }>>(
    `/api/findings?assetId=${open[0]?.assetId}&kind=exposure`,
  );
  expect(body.items[0]?.notes).toContain('What it lies in opens it.');
});

test('what is in an archive is inaccessible, with the reason, and was never asked for', async () => {
  const [cold] = (await assets('contentState=inaccessible')).filter(({ name }) => name === 'cold.txt');
  expect(cold).toMatchObject({ contentReason: 'archived' });
  expect(fake.requests.filter(({ key, setting }) => key === 'cold.txt' && setting === '')).toEqual([]);
});

test('readiness and the test of the source say that it is live, without its names', async () => {
  const ready = await admin.get<{ integrations: object }>('/api/ready');
  expect(ready.body.integrations).toMatchObject({ s3Connector: 'live' });
  const { body } = await admin.post<{ ok: boolean; mode: string }>('/api/admin/connector/test', {
    family: 's3',
  });
  expect([body.ok, body.mode]).toEqual([true, 'live']);
  expect(JSON.stringify(body)).not.toContain('brochures');
});

test.each([
  ['list-type', 's3:ListBucket'],
  ['', 's3:GetObject'],
])('a test of the source names the right that is missing (%j)', async (denied, right) => {
  fake.denied.add(denied);
  const { body } = await admin.post<{ ok: boolean; capabilities: { capability: string }[] }>(
    '/api/admin/connector/test',
    { family: 's3' },
  );
  fake.denied.clear();
  expect(body.ok).toBe(false);
  expect(body.capabilities.find(({ capability }) => capability === 'drive')).toEqual({
    capability: 'drive',
    state: 'blocked',
    reason: 'missing_permission',
    missing: [right],
    position: 1,
    right: null,
  });
});

test('a test of the source names the rights to what opens a bucket', async () => {
  const sharing = async () => {
    const { body } = await admin.post<{ ok: boolean; capabilities: { capability: string }[] }>(
      '/api/admin/connector/test',
      { family: 's3' },
    );
    expect(body.ok).toBe(true);
    return body.capabilities.find(({ capability }) => capability === 'sharing');
  };
  expect(await sharing()).toMatchObject({ state: 'ok' });
  for (const setting of ['policyStatus', 'acl']) fake.denied.add(setting);
  expect(await sharing()).toMatchObject({
    state: 'blocked',
    reason: 'missing_permission',
    missing: ['s3:GetBucketPolicyStatus', 's3:GetBucketAcl'],
  });
  fake.denied.clear();
});

test('two stores are one family; what one of them misses is named', async () => {
  const other = await startS3Fake();
  other.createBucket('minutes');
  other.put('minutes', 'board.txt', 'Minutes of the board.');
  const store = (of: S3Fake, credentialRef: string, buckets: string[]) => ({
    endpoint: of.url,
    region: 'eu-central-1',
    pathStyle: true,
    credentialRef,
    buckets,
  });
  const stores = { shop: store(fake, 'SHOP', ['brochures']), board: store(other, 'BOARD', ['minutes']) };
  const env = {
    SVC_S3_ENABLED: 'true',
    SVC_S3_INSTANCES: JSON.stringify(stores),
    SHOP: `${fake.keys.id}:${fake.keys.secret}`,
  };
  await service.reconfigure(env);
  const instances = async () =>
    (await admin.get<List<{ family: string }>>('/api/admin/connectors')).body.items.filter(
      ({ family }) => family === 's3',
    );
  expect((await instances()).slice(0, 2)).toMatchObject([
    { instance: 'shop', mode: 'live', missing: [] },
    { instance: 'board', mode: 'blocked', missing: ['SVC_S3_INSTANCES.board.credentialRef'] },
  ]);
  // The instance that misses something is the first, and the one that refuses the second.
  const { shop, board } = stores;
  await service.reconfigure({ ...env, SVC_S3_INSTANCES: JSON.stringify({ board, shop }) });
  fake.denied.add('list-type');
  const tested = await admin.post<{ ok: boolean; capabilities: object[] }>('/api/admin/connector/test', {
    family: 's3',
  });
  fake.denied.clear();
  expect(tested.body).toMatchObject({
    ok: false,
    capabilities: expect.arrayContaining([
      expect.objectContaining({
        ...{ capability: 'sites', state: 'not_configured', reason: 'setting_missing' },
        missing: ['SVC_S3_INSTANCES.board.credentialRef'],
      }),
      expect.objectContaining({ capability: 'drive', reason: 'missing_permission', position: 2 }),
    ]),
  });
  await service.reconfigure({ ...env, BOARD: `${other.keys.id}:${other.keys.secret}` });
  expect((await admin.post('/api/sources/connect', { family: 's3' })).body).toMatchObject({
    scopesRegistered: 2,
    mode: 'live',
  });
  const { items } = (await admin.get<List<Source>>('/api/sources')).body;
  const minutes = items.find(({ name }) => name === 'minutes');
  expect((await admin.post('/api/scans', { scopeId: minutes?.scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
  expect((await assets('q=board')).map(({ name }) => name)).toEqual(['board.txt']);
  expect(other.offences).toEqual([]);
  await other.stop();
});

test('nothing was asked of the store that S3 does not know, and nothing written', () => {
  expect(fake.offences).toEqual([]);
});
