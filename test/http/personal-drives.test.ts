import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { cloudOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { DOCUMENTED_PERMISSIONS } from '../support/graph/permissions.ts';
import type { Person } from '../support/graph/state.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[] };
type Source = {
  scopeId: string;
  family: string;
  name: string;
  coverageState: string;
  inaccessible: { reason: string } | null;
};
type Asset = { name: string; contentState: string };
type Connected = { scopesRegistered: number; notListed: List<{ name: string; reason: string }> };

const READER = guidOf('application/reader');
const SECRET = 'the secret of the reader';
const PAYSLIP = 'Payslip of May. Net pay to IBAN DE89 3704 0044 0532 0130 00, tax number 123/456/78901.';

const person = (name: string): Person => ({
  ...{ id: guidOf(name), displayName: name, mail: `${name.toLowerCase()}@contoso.example`, guest: false },
  ...{ userPrincipalName: `${name.toLowerCase()}@contoso.example` },
  ...{ jobTitle: null, department: null, managerId: null },
});
const [ada, ben, cleo, dora] = ['Ada', 'Ben', 'Cleo', 'Dora'].map(person) as [Person, Person, Person, Person];
const oneDriveOf = ({ id, displayName }: Person) => ({
  ...{ name: displayName, path: `personal/${displayName}`, libraries: ['OneDrive'], personal: true },
  ownerId: id,
});

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let admin: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  fake = await startGraphFake({
    tenants: [
      {
        name: 'Contoso',
        apps: [{ clientId: READER, secret: SECRET, permissions: [...DOCUMENTED_PERMISSIONS] }],
        // Dora never opened hers.
        people: [ada, ben, cleo, dora],
        sites: [{ name: 'Finance', libraries: ['Documents'] }, ...[ada, ben, cleo].map(oneDriveOf)],
      },
    ],
  });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

const select = (...drives: string[]) =>
  service.reconfigure(
    {
      SVC_DRIVE_ENABLED: 'true',
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: READER,
      SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
      READER_SECRET: SECRET,
      SVC_DRIVE_IDS: drives.join(','),
    },
    { graph: cloudOf(fake) },
  );
const connect = () => admin.post<Connected>('/api/sources/connect', { family: 'drive' });
const drives = async () =>
  (await admin.get<List<Source>>('/api/sources')).body.items.filter(({ family }) => family === 'drive');
async function scan(kind: 'inventory' | 'delta'): Promise<void> {
  for (const { scopeId } of await drives())
    expect((await admin.post('/api/scans', { scopeId, kind })).status).toBe(200);
  await service.drain();
}
const filesOf = async (query: string) =>
  (await governance.get<List<Asset>>(`/api/assets?${query}`)).body.items.map(({ name }) => name).toSorted();

test('without a selection nothing is connected, and the settings are named', async () => {
  await select();
  const { status, body } = await connect();
  expect([status, body]).toMatchObject([
    422,
    { error: 'blocked_capability', message: expect.stringContaining('SVC_DRIVE_IDS') },
  ]);
});

test('the named drives are scopes; what is no drive of a person is refused by name', async () => {
  const benDrive = fake.library('Ben', 'OneDrive');
  await select(
    ada.userPrincipalName,
    benDrive.id,
    dora.id,
    'nobody@contoso.example',
    fake.library('Finance').id,
  );
  const { status, body } = await connect();
  expect(status).toBe(200);
  expect(body).toMatchObject({ scopesRegistered: 2, mode: 'live' });
  const ready = await admin.get<{ integrations: object }>('/api/ready');
  expect(ready.body.integrations).toMatchObject({ driveConnector: 'live' });
  expect((await drives()).map(({ name }) => name)).toEqual(['Ada / OneDrive', 'Ben / OneDrive']);
  expect(body.notListed.items.map(({ name, reason }) => [name, reason]).toSorted()).toEqual(
    [
      [dora.id, 'not_found'],
      ['nobody@contoso.example', 'not_found'],
      [fake.library('Finance').id, 'not_found'],
    ].toSorted(),
  );
  // Nobody has selected Cleo.
  expect(fake.calls.filter(({ path }) => path.includes(cleo.id) || path.includes('getAllSites'))).toEqual([]);
});

test('a drive is read as a library is: files, content, shares with people outside', async () => {
  const library = fake.library('Ada', 'OneDrive');
  const payslip = library.add('Private/Payslip May.txt', PAYSLIP);
  library.add('Draft.txt', 'A draft of nothing in particular.');
  library.addShortcut('Shared with me', { driveId: fake.library('Finance').id, itemId: 'x' });
  await scan('inventory');
  expect(await filesOf('sort=name')).toEqual(expect.arrayContaining(['Draft.txt', 'Payslip May.txt']));
  expect(await filesOf('exposure=external')).toEqual([]);
  library.share(payslip, { to: 'invited', email: 'friend@elsewhere.example', role: 'read' });
  await scan('delta');
  expect(await filesOf('exposure=external')).toEqual(['Payslip May.txt']);
});

test('a drive whose owner has left stays, with the reason, and does not look empty', async () => {
  const library = fake.library('Ada', 'OneDrive');
  library.drive.refusal = 'locked';
  await scan('delta');
  const [adas] = await drives();
  expect(adas).toMatchObject({ name: 'Ada / OneDrive', inaccessible: { reason: 'locked' } });
  expect(await filesOf('sort=name')).toEqual(expect.arrayContaining(['Draft.txt', 'Payslip May.txt']));
  library.drive.refusal = null;
});
