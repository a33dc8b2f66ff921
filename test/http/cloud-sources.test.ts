import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { fixtureBytes } from '../../infra/local/fixture/fixture-content.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { type DriveFake, FOLDER, startDriveFake, userPermission } from '../support/cloud-drive/drive-fake.ts';
import type { TestDatabase } from '../support/database.ts';
import { type BoxFake, startBoxFake } from '../support/file-box/box-fake.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[] };
type Source = { scopeId: string; externalId: string; name: string; family: string; selected: boolean };
type Asset = { assetId: string; name: string; path: string };
type Detail = Asset & {
  location: { family: string; scopeName: string };
  clusters: { kind: string; assets: List<Asset & { scopeName: string }> }[];
};
type Figure = { low: number | null; high: number | null; basis: string | null; missing: string | null };
type Estimate = { items: Figure; bytes: Figure; calls: Figure; sample: { leftOut: number } | null };
type Scan = {
  status: string;
  used: { calls: number; bytesRead: number };
  leftOut: { reason: string; items: number }[];
  stageOutcomes: { stage: string; count: number }[];
  deadLetters: unknown[];
};

const ADMIN = 'admin@nordwind.example';
const OLGA = 'olga@nordwind.example';
const SHARED = '0ACanaryFinance';
/** In each name, address and text of both clouds. */
const CANARY = 'zyxcanary';
const OUTSIDE = `${CANARY}.guest@partner.example`;
const CARDS = ['4111111111111111', '5500005555555559', '4012888888881881', '378282246310005'];
const PEOPLE = `name,card\n${CARDS.map((card, at) => `${CANARY} ${at},${card}`).join('\n')}\n`;
/** The same agreement, as it was and with an amendment. */
const agreement = (contentRevision: number): Buffer =>
  Buffer.from(
    fixtureBytes({
      ...{
        format: 'docx',
        template: 'supplyAgreement',
        contentKey: 'two clouds',
        contentRevision,
        content: null,
      },
    }),
  );

let drive: DriveFake;
let box: BoxFake;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;
let auditor: SignedIn;
let boxFolders: string[];

beforeAll(async () => {
  drive = await startDriveFake();
  for (const person of [ADMIN, OLGA]) drive.act.addPerson(person);
  drive.act.addDrive(SHARED, `${CANARY} drive`, [userPermission(OLGA, 'organizer')]);
  drive.act.addDrive('0AOther', `${CANARY} other drive`, [userPermission(OLGA, 'organizer')]);
  fillDrive();
  box = await startBoxFake();
  boxFolders = fillBox();
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await configure([SHARED, '0AOther'], boxFolders);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  for (const family of ['cloud_drive', 'file_box'])
    expect((await admin.post('/api/sources/connect', { family })).body).toMatchObject({
      scopesRegistered: 2,
      mode: 'live',
    });
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await drive.stop();
  await box.stop();
});

function fillDrive() {
  const { act } = drive;
  const folder = act.add(SHARED, `${CANARY} folder`, '', { mimeType: FOLDER });
  act.add(SHARED, `${CANARY} people.csv`, PEOPLE, { parents: [folder], mimeType: 'text/csv' });
  act.share(folder, userPermission(OUTSIDE, 'reader'));
  act.add(SHARED, `${CANARY} agreement`, agreement(1), { mimeType: 'application/vnd.google-apps.document' });
  for (let n = 0; n < 12; n++)
    act.add(SHARED, `${CANARY} note ${n}.txt`, `${CANARY} note ${n}. `.repeat(n + 1));
  act.add('0AOther', `${CANARY} other.txt`, `${CANARY} other`);
}

function fillBox(): string[] {
  const { world, authority } = box;
  return [`${CANARY} contracts`, `${CANARY} other folder`].map((name, at) => {
    const top = world.addFolder(name);
    world.invite('folder', top, { role: 'viewer', userId: authority.accountId });
    const file = (of: string, folder: string, content: string | Buffer) =>
      world.addFile(`${CANARY} ${of}`, folder, content, { unready: 0 });
    if (at === 1) {
      file('else.txt', top, `${CANARY} else`);
      return top;
    }
    const folder = world.addFolder(`${CANARY} folder`, top);
    file('people.csv', folder, PEOPLE);
    world.invite('folder', folder, { role: 'viewer', inviteEmail: OUTSIDE, status: 'pending' });
    file('agreement.docx', top, agreement(2));
    for (let n = 0; n < 12; n++) file(`memo ${n}.txt`, top, `${CANARY} memo ${n}. `.repeat(n + 1));
    return top;
  });
}

const configure = (drives: readonly string[], folders: readonly string[]) =>
  service.reconfigure(
    {
      ...{ SVC_CLOUD_DRIVE_ENABLED: 'true', SVC_CLOUD_DRIVE_CREDENTIALS_REF: 'KEY', KEY: drive.key },
      ...{ SVC_CLOUD_DRIVE_ADMIN: ADMIN, SVC_CLOUD_DRIVE_IDS: drives.join(',') },
      ...{ SVC_FILE_BOX_ENABLED: 'true', SVC_FILE_BOX_CLIENT_ID: box.authority.clientId },
      ...{ SVC_FILE_BOX_CLIENT_SECRET_REF: 'SECRET', SECRET: box.authority.clientSecret },
      ...{ SVC_FILE_BOX_ENTERPRISE_ID: box.world.enterprise.id, SVC_FILE_BOX_EVENTS: 'true' },
      SVC_FILE_BOX_FOLDERS: folders.join(','),
    },
    { cloudDrive: drive.cloud, fileBox: box.cloud },
  );

const sources = async (family: string) =>
  (await admin.get<List<Source>>('/api/sources')).body.items.filter((source) => source.family === family);
const scopeOf = async (family: string, name: string): Promise<Source> =>
  (await sources(family)).find((source) => source.name === `${CANARY} ${name}`) ?? expect.unreachable(name);
const scopeIdOf = (family: string) =>
  scopeOf(family, family === 'cloud_drive' ? 'drive' : 'contracts').then(({ scopeId }) => scopeId);
const scan = async (scopeId: string, kind = 'inventory', only?: object): Promise<Scan> => {
  const body = { scopeId, kind, ...(only && { only }) };
  const started = await admin.post<{ campaignId: string }>('/api/scans', body);
  expect(started.status).toBe(200);
  await service.drain();
  return (await admin.get<Scan>(`/api/scans/${started.body.campaignId}`)).body;
};
const observed = ({ stageOutcomes }: Scan) =>
  stageOutcomes.reduce((sum, { stage, count }) => sum + (stage === 'observe' ? count : 0), 0);
const assetsNamed = async (name: string) =>
  (await governance.get<List<Asset>>(`/api/assets?q=${encodeURIComponent(`"${name}"`)}`)).body.items;
const detailOf = async ({ assetId }: Asset) => (await auditor.get<Detail>(`/api/assets/${assetId}`)).body;

const FAMILIES = ['cloud_drive', 'file_box'] as const;

/** Within a factor of two; of a few calls, three more or less. */
function expectNear({ low, high, missing }: Figure, took: number, little: number): void {
  expect(missing).toBeNull();
  for (const bound of [low, high]) {
    expect(bound).toBeGreaterThanOrEqual(took / 2 - little);
    expect(bound).toBeLessThanOrEqual(took * 2 + little);
  }
}

describe.each(FAMILIES)('%s', (family) => {
  test('a narrowed scan and a whole one take what was estimated', async () => {
    const scopeId = await scopeIdOf(family);
    for (const only of [{ folders: [`${CANARY} folder`] }, undefined]) {
      const body = { scopeId, kind: 'inventory', ...(only && { only }) };
      const { body: estimated } = await admin.post<Estimate>('/api/scans/estimate', body);
      const took = await scan(scopeId, 'inventory', only);
      expect(took).toMatchObject({ status: 'completed', deadLetters: [] });
      expect(observed(took)).toBe(only === undefined ? 14 : 1);
      expect(estimated.sample?.leftOut).toBe(only === undefined ? 0 : 13);
      expectNear(estimated.items, observed(took), 0);
      expectNear(estimated.calls, took.used.calls, 3);
    }
  });

  test('what people outside may open through a folder is a finding, with its asset', async () => {
    const [people] = (await assetsNamed('people.csv')).filter(({ path }) => path.includes('folder/'));
    expect(people).toBeDefined();
    const { body } = await auditor.get<List<{ kind: string; assetId: string }>>(
      '/api/findings?kind=exposure',
    );
    const families = await Promise.all(
      body.items.map(async (finding) => (await detailOf({ ...finding, name: '', path: '' })).location.family),
    );
    expect(families).toContain(family);
  });

  test('a question in English finds its assets, and nothing of the other', async () => {
    const question = family === 'cloud_drive' ? 'files in Google Drive' : 'files in Box';
    const { status, body } = await governance.post<{
      answer: { result: { count: number; rows: { assetId: string }[] } | null };
    }>('/api/analyst/query', { question });
    expect([question, status]).toEqual([question, 200]);
    expect(body.answer.result?.count).toBe(14);
    const [row] = body.answer.result?.rows ?? [];
    expect((await detailOf({ assetId: row?.assetId ?? '', name: '', path: '' })).location.family).toBe(
      family,
    );
  });

  test('exports have its assets', async () => {
    const { scopeId, name } = await scopeOf(family, family === 'cloud_drive' ? 'drive' : 'contracts');
    const { status, text } = await governance.get<string>(
      `/api/exports/assets?format=ndjson&scopeId=${scopeId}`,
    );
    expect(status).toBe(200);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.filter((line) => line.includes(name))).toHaveLength(14);
  });

  test('a schedule holds of the family, and is listed for its scopes', async () => {
    const scopeId = await scopeIdOf(family);
    const { status } = await admin.request('PUT', '/api/admin/schedules', {
      body: { family, revision: 0, inventory: { cron: '0 3 * * sun' }, delta: { cron: '*/10 * * * *' } },
    });
    expect(status).toBe(200);
    const { body } = await admin.get<List<{ family: string | null }>>(
      `/api/admin/schedules?scopeId=${scopeId}`,
    );
    expect(body.items.map((each) => each.family)).toEqual([family]);
  });
});

test('a document in two clouds is one near-copy pair, and stays two assets', async () => {
  const pair = await assetsNamed('agreement');
  const details = await Promise.all(pair.map(detailOf));
  expect(details.map(({ location }) => location.family).toSorted()).toEqual(['cloud_drive', 'file_box']);
  for (const [at, { clusters }] of details.entries()) {
    const other = details[1 - at];
    const near = clusters.find(({ kind }) => kind === 'near_duplicate');
    expect(near?.assets.items).toMatchObject([
      { assetId: other?.assetId, scopeName: other?.location.scopeName },
    ]);
  }
  // The same bytes are a copy, in both directions, and not one asset.
  const copies = await Promise.all((await assetsNamed('people.csv')).map(detailOf));
  expect(copies).toHaveLength(2);
  for (const { clusters } of copies) expect(clusters.map(({ kind }) => kind)).toContain('identical_bytes');
});

test('a delta takes the rename of a folder and the trash of both', async () => {
  const [inDrive] = [...drive.files.values()].filter(({ name }) => name === `${CANARY} note 3.txt`);
  const inBox = [...box.world.items.values()].find(({ name }) => name === `${CANARY} memo 3.txt`);
  const driveFolder = [...drive.files.values()].find(({ mimeType }) => mimeType === FOLDER);
  const boxFolder = [...box.world.items.values()].find(({ name }) => name === `${CANARY} folder`);
  drive.act.trash(inDrive?.id ?? '');
  drive.act.rename(driveFolder?.id ?? '', `${CANARY} renamed`);
  box.world.remove('file', inBox?.id ?? '');
  box.world.rename('folder', boxFolder?.id ?? '', `${CANARY} renamed`);
  for (const family of FAMILIES) {
    const took = await scan(await scopeIdOf(family), 'delta');
    expect(took).toMatchObject({ status: 'completed', deadLetters: [] });
    // The renamed folder costs nothing for what is in it.
    expect(took.used.calls).toBeLessThan(8);
  }
  expect(await assetsNamed('note 3')).toEqual([]);
  expect(await assetsNamed('memo 3')).toEqual([]);
  const paths = (await assetsNamed('people.csv')).map(({ path }) => path);
  expect(paths).toEqual(Array(2).fill(`${CANARY} renamed/${CANARY} people.csv`));
});

test('a drive and a folder that are no longer selected are kept, or end', async () => {
  const [other, otherFolder] = [
    await scopeOf('cloud_drive', 'other drive'),
    await scopeOf('file_box', 'other folder'),
  ];
  for (const { scopeId } of [other, otherFolder]) await scan(scopeId);
  await configure([SHARED], boxFolders.slice(0, 1));
  for (const [family, name] of [
    ['cloud_drive', 'other.txt'],
    ['file_box', 'else.txt'],
  ] as const) {
    await admin.post('/api/sources/connect', { family });
    expect((await sources(family)).filter(({ selected }) => selected)).toHaveLength(1);
    expect(await assetsNamed(name)).toHaveLength(1);
    const path = `/api/admin/connectors/${family}/selection`;
    const body = { scopeIds: null, unselected: 'end' };
    expect((await admin.request('PUT', path, { body })).body).toMatchObject({
      selected: 1,
      ended: { scopes: 1, assets: 1 },
    });
    expect(await assetsNamed(name)).toEqual([]);
  }
});

test('nothing of the clouds is in logs, audit, metrics, errors or the bundle', async () => {
  drive.fail(/\/files$/, 403, 'domainPolicy', 99);
  box.scopes.clear();
  for (const family of FAMILIES) {
    await admin.post('/api/scans', { scopeId: await scopeIdOf(family), kind: 'inventory' });
    await service.drain();
    const tested = await admin.post<{ ok: boolean }>('/api/admin/connector/test', { family });
    expect(tested.body.ok).toBe(false);
    expect(tested.text).not.toContain(CANARY);
  }
  const rows = await database.inspect<{ text: string }>(sql`
    select record as text from audit_events where tenant_id = ${DEV}
    union all select to_jsonb(d)::text from dead_letters d`);
  const emitted: Record<string, string> = {
    logs: service.logs.join('\n'),
    metrics: JSON.stringify(service.runtime().metrics.snapshot()),
    operations: (await admin.get('/api/ops/overview')).text,
    support: (await admin.get('/api/support/diagnostics/preview')).text,
    telemetry: (await admin.get('/api/controlplane/telemetry-preview')).text,
    stored: rows.map(({ text }) => text).join('\n'),
  };
  expect(emitted.stored).toContain('scan_completed');
  expect(emitted.stored).toContain('scan_estimated');
  expect(service.logs.length).toBeGreaterThan(40);
  const { hostname, port } = new URL(drive.url);
  const planted = [
    ...[CANARY, 'nordwind', 'partner.example', SHARED, 'ya29.', box.authority.clientSecret],
    ...[`${hostname}:${port}`, new URL(box.cloud.apiOrigin).host, ...CARDS],
  ];
  for (const [place, text] of Object.entries(emitted))
    for (const word of planted)
      expect([place, word, text.toLowerCase().includes(word.toLowerCase())]).toEqual([place, word, false]);
  expect(box.offences).toEqual([]);
});
