import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { ADMIN } from '../support/cloud-drive/connect.ts';
import { READS_DIRECTORY, startDriveFake } from '../support/cloud-drive/drive-fake.ts';
import type { TestDatabase } from '../support/database.ts';
import { startBoxFake } from '../support/file-box/box-fake.ts';
import { cloudOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import type { Group, Person } from '../support/graph/state.ts';
import { payroll } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Suggestion = {
  principalId: string | null;
  directoryId: string | null;
  displayName: string;
  reasons: { kind: string; text: string; count: number }[];
};
type Suggestions = { items: Suggestion[]; note: string | null };

const SUGGESTIONS = '/api/governance/owner-suggestions?domainId=dom_human_resources';
const READER = guidOf('application/reader');
const READS = ['User.Read.All', 'GroupMember.Read.All'];
const SECRET = 'the secret of the reader';

const person = (name: string, managerName: string | null): Person => ({
  ...{ id: guidOf(name), displayName: name, mail: `${name.split(' ')[0]?.toLowerCase()}@contoso.example` },
  ...{ userPrincipalName: `${name.split(' ')[0]?.toLowerCase()}@contoso.example`, guest: false },
  ...{ jobTitle: 'Clerk', department: 'Sales' },
  managerId: managerName === null ? null : guidOf(managerName),
});
const group = (displayName: string, owner: string): Group => ({
  ...{ id: guidOf(displayName), displayName, memberIds: [], groupIds: [] },
  ownerIds: [guidOf(owner)],
});

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.governanceAdmin);
  fake = await startGraphFake({
    tenants: [
      {
        name: 'Contoso',
        apps: [{ clientId: READER, secret: SECRET, permissions: READS }],
        sites: [],
        people: [
          person('Ada Clerk', 'Bea Chief'),
          person('Bea Chief', null),
          person('Cy Groupowner', null),
          person('Dee Everyone', null),
          person('Eli Teamowner', null),
        ],
        groups: [
          group('Payroll Team', 'Cy Groupowner'),
          group('All Employees', 'Dee Everyone'),
          group('Wages', 'Eli Teamowner'),
        ],
      },
    ],
  });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
  const assets = Array.from({ length: 4 }, (_, at) => ({ assetId: `ast_pay_${at}`, said: [payroll()] }));
  await storeScanned(database.db, DEV, assets);
  const grant = (principal: string, role: string) => ({
    ...{ principal, principalKind: 'group', external: false, role, inherited: true },
  });
  const grants = [
    grant('Payroll Team', 'write'),
    grant('All Employees', 'write'),
    grant('Payroll Readers', 'read'),
    // The source names the group as the directory does not.
    { ...grant('Wages Members', 'write'), groupId: guidOf('Wages') },
  ];
  await database.inspect(sql`
    update assets set modified_by = 'ada@contoso.example' where asset_id in ('ast_pay_0', 'ast_pay_1')`);
  await database.inspect(sql`
    update assets set grants = ${sql.json(grants)}::jsonb where asset_id in ('ast_pay_1', 'ast_pay_2', 'ast_pay_3')`);
  await connect(READS);
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

type Others = { settings: Record<string, string>; clouds: Parameters<TestService['reconfigure']>[1] };
const NO_OTHERS: Others = { settings: {}, clouds: {} };

/** Connects with a new token, which has these permissions. */
async function connect(permissions: string[], others: Others = NO_OTHERS): Promise<void> {
  fake.app(READER).permissions = permissions;
  await service.reconfigure(
    {
      SVC_CONNECTOR_MODE: 'graph',
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: READER,
      SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
      READER_SECRET: SECRET,
      SVC_GRAPH_SITES: 'all',
      ...others.settings,
    },
    { graph: cloudOf(fake), ...others.clouds },
  );
}

const suggested = async (): Promise<{ note: string | null; reasons: Record<string, string[]> }> => {
  const { status, body } = await admin.get<Suggestions>(SUGGESTIONS);
  expect(status).toBe(200);
  const reasons = body.items.map(
    ({ displayName, reasons }) =>
      [displayName, reasons.map(({ kind, count }) => `${kind} ${count}`)] as const,
  );
  return { note: body.note, reasons: Object.fromEntries(reasons) };
};

test('owners of groups that may write, and managers of those who changed assets', async () => {
  fake.clearCalls();
  const { note, reasons } = await suggested();
  expect(note).toBeNull();
  expect(reasons).toMatchObject({
    'Ada Clerk': ['modified 2'],
    'Cy Groupowner': ['group 3'],
    'Eli Teamowner': ['group 3'],
    'Bea Chief': ['manager 1'],
  });
  // The group of all employees says nothing of who owns a domain.
  expect(Object.keys(reasons)).not.toContain('Dee Everyone');
  expect(fake.callsOf('group_owners')).toHaveLength(2);
  const { body } = await admin.get<Suggestions>(SUGGESTIONS);
  expect(body.items.find(({ displayName }) => displayName === 'Cy Groupowner')).toMatchObject({
    ...{ principalId: null, directoryId: guidOf('Cy Groupowner') },
    reasons: [
      {
        text: 'Owns groups that own or may write to 0 of 0 confirmed and 3 of 4 inferred assets: Payroll Team.',
      },
    ],
  });
});

test('whom Google and Box list counts by the address, and has no id of theirs', async () => {
  const [drive, box] = await Promise.all([startDriveFake(), startBoxFake()]);
  const account = (id: string, email: string, fullName: string) => ({ id, email, fullName });
  drive.act.addPerson(ADMIN);
  drive.directory.accounts.push(
    { ...account('1001', 'gus@nordwind.example', 'Gus Google'), title: 'Payroll Lead', department: 'HR' },
    { ...account('1002', 'bea@contoso.example', 'Bea Elsewhere'), title: '', department: '' },
  );
  const finance = { id: 'g1', email: 'finance@nordwind.example', name: 'Finance' };
  drive.directory.groups.push({ ...finance, members: { 'bea@contoso.example': 'OWNER' } });
  box.scopes.add('manage_groups');
  box.world.addGroup('500', 'Board', ['101', '102'], false, ['101']);
  await database.inspect(
    sql`update assets set modified_by = 'gus@nordwind.example' where asset_id = 'ast_pay_2'`,
  );
  const grant = { principalKind: 'group', external: false, role: 'write', inherited: true };
  const grants = [
    { ...grant, principal: 'finance@nordwind.example' },
    { ...grant, principal: 'Board', groupId: '500' },
  ];
  await database.inspect(sql`
    update assets set grants = ${sql.json(grants)}::jsonb where asset_id = 'ast_pay_0'`);
  const others: Others = {
    settings: {
      ...{ SVC_CLOUD_DRIVE_ENABLED: 'true', SVC_CLOUD_DRIVE_CREDENTIALS_REF: 'KEY', KEY: drive.key },
      ...{ SVC_CLOUD_DRIVE_ADMIN: ADMIN, SVC_CLOUD_DRIVE_IDS: '0AShared' },
      ...{ SVC_FILE_BOX_ENABLED: 'true', SVC_FILE_BOX_CLIENT_ID: box.authority.clientId },
      ...{ SVC_FILE_BOX_CLIENT_SECRET_REF: 'BOX_SECRET', BOX_SECRET: box.authority.clientSecret },
      ...{ SVC_FILE_BOX_ENTERPRISE_ID: box.world.enterprise.id, SVC_FILE_BOX_FOLDERS: '1' },
    },
    clouds: { cloudDrive: drive.cloud, fileBox: box.cloud },
  };
  await connect(READS, others);

  // Nobody delegated the directory of Google: that is no error, and Box answers.
  const before = await suggested();
  expect(before.note).toBeNull();
  expect(before.reasons).toMatchObject({ 'Ada Ames': ['group 1'], 'gus@nordwind.example': ['modified 1'] });

  // Either scope of Google is of use without the other.
  const [people = '', groups = ''] = READS_DIRECTORY;
  drive.delegated.add(people);
  expect(await suggested()).toMatchObject({ note: null, reasons: { 'Gus Google': ['modified 1'] } });

  drive.delegated.add(groups);
  const { body } = await admin.get<Suggestions>(SUGGESTIONS);
  const named = (name: string) => body.items.find(({ displayName }) => displayName === name);
  expect(named('Gus Google')).toMatchObject({ principalId: null, directoryId: null });
  expect(named('Ada Ames')).toMatchObject({ principalId: null, directoryId: null });
  // Entra has the address, so the owner of the group at Google is the person of Entra.
  expect(named('Bea Chief')).toMatchObject({ directoryId: guidOf('Bea Chief') });
  expect(named('Bea Chief')?.reasons.map(({ kind }) => kind)).toContain('group');
  expect(named('Bea Elsewhere')).toBeUndefined();

  // Without a directory the sources answer, and what was not asked is said.
  await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph', ...others.settings }, others.clouds);
  const without = await suggested();
  expect(without.note).toMatch(/owners of groups, managers\. .*SVC_GRAPH_CLIENT_SECRET_REF/);
  expect(box.offences).toEqual([]);
  await Promise.all([drive.stop(), box.stop()]);
});

test('without the permission for groups the others are suggested, and it is said', async () => {
  await connect(['User.Read.All']);
  const { note, reasons } = await suggested();
  expect(note).toMatch(/^Not looked up: owners of groups\. .*graph_group(?:s|_owners)_403.*permission\.$/);
  expect(reasons).toMatchObject({ 'Ada Clerk': ['modified 2'], 'Bea Chief': ['manager 1'] });
  expect(Object.keys(reasons)).not.toContain('Cy Groupowner');
});

test('a source that asks to wait delays no suggestions, and the note says so', async () => {
  await connect(READS);
  const long = { kind: 'throttle', retryAfter: 120 } as const;
  fake.fail({ on: 'user_manager', fault: long, times: 9 });
  const began = performance.now();
  const { note, reasons } = await suggested();
  expect(performance.now() - began).toBeLessThan(8_000);
  expect(note).toMatch(/^Not looked up: managers\. .*Try again\.$/);
  expect(reasons).toMatchObject({ 'Ada Clerk': ['modified 2'], 'Cy Groupowner': ['group 3'] });
  expect(Object.keys(reasons)).not.toContain('Bea Chief');
});
