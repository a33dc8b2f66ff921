import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ConnectorError } from '../../core/connectors/connector.ts';
import type { Directory } from '../../core/connectors/directory.ts';
import { sql } from '../../core/db/sql.ts';
import { fixtureDirectory } from '../../infra/local/fixture/fixture-directory.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { payroll } from '../support/review.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Listed = {
  directoryId: string;
  principalId: string | null;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
  managerName: string | null;
};
type List<T> = { items: T[]; truncated: boolean };
type Refusal = { error: string; message: string; issues: { path: string; message: string }[] };

const PEOPLE = '/api/governance/directory/people';
const GROUPS = '/api/governance/directory/groups';
const OWNERS = '/api/governance/owners';
const SUGGESTIONS = '/api/governance/owner-suggestions?domainId=dom_human_resources';
const SALES_OWNER = 'pri_sofia_marchetti';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.governanceAdmin);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.reconfigure({});
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const searched = async (q: string, caller = admin) => {
  const { status, body } = await caller.get<List<Listed>>(`${PEOPLE}?q=${encodeURIComponent(q)}`);
  expect(status, q).toBe(200);
  return body;
};
const assign = (body: object, caller = admin) =>
  caller.post<{ assignmentId: string; principalId: string }>(OWNERS, { kind: 'steward', ...body });
const issuesOf = async (body: object, caller = admin) => {
  const answer = await caller.post<Refusal>(OWNERS, body);
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_failed']);
  return answer.body.issues;
};
const rowsOf = (directoryId: string) =>
  database.inspect<{ principal_id: string; roles: string[] }>(sql`
    select p.*, array(select r.role || ' ' || r.source || ' ' || coalesce(r.granted_by, '-') from principal_roles r
                       where r.principal_id = p.principal_id) as roles
      from principals p where p.tenant_id = ${DEV} and p.directory_id = ${directoryId}`);
const auditedOf = async (id: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and record like ${`%${id}%`} order by seq`)
  ).map(({ record }) => {
    const { category, type, principalId, target, details } = JSON.parse(record).event;
    return { category, type, principalId, target, details };
  });
const failing = (call: keyof Directory) =>
  vi.spyOn(fixtureDirectory, call).mockRejectedValue(new ConnectorError('transient', 'source_throttled'));

describe('the search', () => {
  test('tells of everybody who they are, and who of them is known', async () => {
    expect(await searched('noor')).toEqual({
      truncated: false,
      items: [
        {
          ...{ directoryId: PERSONA.nobody, principalId: PERSONA.nobody, displayName: 'Noor Haddad' },
          ...{ title: 'Office Assistant', department: 'Facilities', managerName: 'Paula Garcia' },
          email: 'noor.haddad@nordwind.example',
        },
      ],
    });
    expect((await searched('hoffmann executive')).items).toMatchObject([
      { directoryId: 'dir_greta_hoffmann', principalId: null, managerName: null },
    ]);
    expect(await searched('nobody of that name')).toEqual({ items: [], truncated: false });
  });

  test('stops at 50 people and says so', async () => {
    const { items, truncated } = await searched('nordwind');
    expect([items.length, truncated]).toEqual([50, true]);
    const names = items.map(({ displayName }) => displayName);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
  });

  test('knows nobody of another tenant', async () => {
    const there = await service.signInAs(inOther(PERSONA.governanceAdmin));
    expect((await searched('noor', there)).items).toMatchObject([{ principalId: null }]);
  });

  test('takes 2 to 200 characters', async () => {
    for (const path of [PEOPLE, GROUPS]) {
      for (const q of ['', '?q=', '?q=a', '?q=%20a%20', `?q=${'a'.repeat(201)}`, '?q=ab&q=cd', '?q=ab&x=1'])
        expect((await admin.get(`${path}${q}`)).status, `${path}${q}`).toBe(400);
      expect((await admin.get(`${path}?q=${'a'.repeat(200)}`)).status).toBe(200);
    }
  });

  test('finds groups, and lists their people and those of groups inside', async () => {
    const found = await admin.get<List<{ groupId: string; displayName: string }>>(`${GROUPS}?q=finance`);
    expect(found.body).toEqual({
      truncated: false,
      items: ['Members', 'Owners', 'Visitors'].map((kind) => ({
        ...{ groupId: `grp_finance_${kind.toLowerCase()}`, displayName: `Finance ${kind}` },
      })),
    });
    const peopleOf = (groupId: string) => admin.get<List<Listed>>(`${GROUPS}/${groupId}/people`);
    const owners = (await peopleOf('grp_finance_owners')).body.items;
    expect(owners).toMatchObject([{ principalId: PERSONA.financeOwner, managerName: 'Greta Hoffmann' }]);
    const members = (await peopleOf('grp_finance_members')).body;
    expect(members.items).toContainEqual(owners[0]);
    const everybody = (await peopleOf('grp_all_employees')).body;
    expect([everybody.items.length, everybody.truncated]).toEqual([50, true]);
    for (const unknown of ['grp_nobody', 'x'.repeat(256)]) expect((await peopleOf(unknown)).status).toBe(404);
  });

  test('is for the governance administrator alone', async () => {
    for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor, PERSONA.nobody]) {
      const caller = await service.signInAs(persona);
      for (const path of [`${PEOPLE}?q=noor`, `${GROUPS}?q=finance`, `${GROUPS}/grp_finance_owners/people`])
        expect((await caller.get(path)).status, `${persona} ${path}`).toBe(403);
    }
  });

  test('is refused where no directory is connected, or it does not answer', async () => {
    const paths = [`${PEOPLE}?q=noor`, `${GROUPS}?q=finance`, `${GROUPS}/grp_finance_owners/people`];
    const refusals = async () =>
      Promise.all(
        paths.map(async (path) => {
          const { status, body } = await admin.get<Refusal>(path);
          return [status, body.error, body.message] as const;
        }),
      );
    for (const call of ['searchPeople', 'searchGroups', 'membersOf'] as const) failing(call);
    for (const refusal of await refusals())
      expect(refusal).toEqual([422, 'blocked_capability', expect.stringContaining('(source_throttled)')]);
    await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
    for (const refusal of await refusals())
      expect(refusal).toEqual([422, 'blocked_capability', expect.stringContaining('SVC_GRAPH_TENANT_ID')]);
  });
});

describe('assigning', () => {
  test('registers somebody of the directory, with the role, in the trail', async () => {
    const directoryId = 'dir_greta_hoffmann';
    const { status, body } = await assign({ directoryId, domainId: 'dom_legal' });
    expect(status).toBe(200);
    const { principalId, assignmentId } = body;
    expect(principalId).toMatch(/^pri_[0-9a-z]{26}$/);
    expect(await rowsOf(directoryId)).toMatchObject([
      {
        ...{ principal_id: principalId, display_name: 'Greta Hoffmann', title: 'Chief Executive Officer' },
        ...{ department: 'Executive Board', email: 'greta.hoffmann@nordwind.example', kind: 'person' },
        ...{ status: 'active', idp_subject: null, created_at: expect.any(Date) },
        roles: [`domain_owner granted ${PERSONA.governanceAdmin}`],
      },
    ]);
    const by = { principalId: PERSONA.governanceAdmin };
    const target = { kind: 'principal', id: principalId };
    expect(await auditedOf(principalId)).toEqual([
      { ...by, category: 'config', type: 'principal_registered', target, details: { source: 'directory' } },
      {
        ...by,
        category: 'config',
        type: 'role_granted',
        target,
        details: { role: 'domain_owner', source: 'granted' },
      },
      {
        ...{ ...by, category: 'governance', type: 'owner_assigned' },
        target: { kind: 'owner_assignment', id: assignmentId },
        details: { principalId, domainId: 'dom_legal', kind: 'steward', attestationDays: null },
      },
    ]);
    expect((await searched('greta hoffmann')).items).toMatchObject([{ directoryId, principalId }]);
    // Known now, by either id: nothing is registered or granted again.
    const again = await assign({ directoryId, domainId: 'dom_product' });
    expect([again.status, again.body.principalId]).toEqual([200, principalId]);
    expect((await assign({ principalId, domainId: 'dom_finance' })).status).toBe(200);
    expect((await auditedOf(principalId)).map(({ type }) => type).slice(3)).toEqual([
      'owner_assigned',
      'owner_assigned',
    ]);
  });

  test('the same person several times at once registers them once', async () => {
    const directoryId = 'dir_nadia_petersen';
    const domains = ['dom_legal', 'dom_product', 'dom_finance', 'dom_customers', 'dom_human_resources'];
    const answers = await Promise.all(domains.map((domainId) => assign({ directoryId, domainId })));
    expect(answers.map(({ status }) => status)).toEqual(domains.map(() => 200));
    const [row, ...others] = await rowsOf(directoryId);
    expect([others, row?.roles.length]).toEqual([[], 1]);
    expect(new Set(answers.map(({ body }) => body.principalId))).toEqual(new Set([row?.principal_id]));
    const types = (await auditedOf(row?.principal_id ?? '')).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      ...domains.map(() => 'owner_assigned'),
      ...['principal_registered', 'role_granted'],
    ]);
  });

  test('gives a known person the role, who owns from the next request on', async () => {
    const noor = await service.signInAs(PERSONA.nobody);
    const me = async () => (await noor.get<{ roles: string[]; ownedDomains: string[] }>('/api/auth/me')).body;
    expect(await me()).toMatchObject({ roles: [], ownedDomains: [] });
    expect((await assign({ principalId: PERSONA.nobody, domainId: 'dom_finance' })).status).toBe(200);
    expect(await me()).toMatchObject({ roles: ['domain_owner'], ownedDomains: ['dom_finance'] });
    expect((await auditedOf(PERSONA.nobody)).filter(({ type }) => type === 'role_granted')).toEqual([
      {
        ...{ category: 'config', type: 'role_granted', principalId: PERSONA.governanceAdmin },
        ...{
          target: { kind: 'principal', id: PERSONA.nobody },
          details: { role: 'domain_owner', source: 'granted' },
        },
      },
    ]);
  });

  test('oneself needs the role from somebody else', async () => {
    const self = PERSONA.governanceAdmin;
    for (const [path, body] of [
      ['principalId', { principalId: self }],
      ['directoryId', { directoryId: self }],
    ] as const)
      expect(await issuesOf({ ...body, domainId: 'dom_legal' })).toEqual([
        { path, message: expect.stringContaining('Another governance admin') },
      ]);
    const second = await service.signInAs(PERSONA.secondGovernanceAdmin);
    expect((await assign({ principalId: self, domainId: 'dom_legal' }, second)).status).toBe(200);
    expect((await assign({ principalId: self, domainId: 'dom_product' })).status).toBe(200);
  });

  test('is refused without effect for a service, nobody, two ids or none', async () => {
    await database.inspect(sql`
      insert into principals (tenant_id, principal_id, directory_id, display_name, kind)
      values (${DEV}, 'pri_robot', 'app-1', 'Robot', 'service')`);
    const people = () => database.inspect(sql`select from principals where tenant_id = ${DEV}`);
    const before = (await people()).length;
    const domainId = 'dom_finance';
    for (const key of [{ principalId: 'pri_robot' }, { directoryId: 'app-1' }])
      expect(await issuesOf({ ...key, domainId })).toEqual([
        { path: Object.keys(key)[0], message: expect.stringContaining('service principal') },
      ]);
    expect(await issuesOf({ directoryId: 'dir_nobody', domainId })).toEqual([
      { path: 'directoryId', message: 'No such person.' },
    ]);
    const caller = await fixtureDirectory.person(PERSONA.governanceAdmin, new AbortController().signal);
    vi.spyOn(fixtureDirectory, 'person').mockResolvedValueOnce(caller);
    expect(await issuesOf({ directoryId: caller?.email, domainId })).toEqual([
      { path: 'directoryId', message: 'No such person.' },
    ]);
    const both = { principalId: PERSONA.financeOwner, directoryId: PERSONA.financeOwner };
    for (const key of [{}, both])
      expect(await issuesOf({ ...key, domainId })).toEqual([
        { path: 'principalId', message: expect.stringContaining('one of the two') },
      ]);
    for (const directoryId of ['', 'x'.repeat(256), 7, null])
      expect(await issuesOf({ directoryId, domainId })).not.toEqual([]);
    expect(await issuesOf({ directoryId: 'dir_anna_fischer', domainId: 'dom_unknown' })).toEqual([
      { path: 'domainId', message: 'No such domain.' },
    ]);
    expect((await people()).length).toBe(before);
  });

  test('asks the directory only for whom the service does not know', async () => {
    await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
    const domainId = 'dom_information_security';
    expect((await assign({ directoryId: PERSONA.legalOwner, domainId })).status).toBe(200);
    const refused = await admin.post<Refusal>(OWNERS, { directoryId: 'dir_anna_fischer', domainId });
    expect([refused.status, refused.body.error]).toEqual([422, 'blocked_capability']);
    expect(await rowsOf('dir_anna_fischer')).toEqual([]);
  });
});

describe('the list of owners', () => {
  test('says who cannot act any more, and each person once', async () => {
    const orphaned = async () => {
      const { body } = await admin.get<List<{ principalId: string; isOrphaned: boolean }>>(
        `${OWNERS}?domainId=dom_customers`,
      );
      return body.items
        .filter(({ principalId }) => principalId === SALES_OWNER)
        .map(({ isOrphaned }) => isOrphaned);
    };
    const as = sql`where tenant_id = ${DEV} and principal_id = ${SALES_OWNER}`;
    expect(await orphaned()).toEqual([false]);
    await database.inspect(sql`update principals set status = 'disabled' ${as}`);
    expect(await orphaned()).toEqual([true]);
    await database.inspect(sql`update principals set status = 'active' ${as}`);
    await database.inspect(sql`
      insert into principal_roles (tenant_id, principal_id, role, source)
      values (${DEV}, ${SALES_OWNER}, 'domain_owner', 'claimed')`);
    expect(await orphaned()).toEqual([false]);
    await database.inspect(sql`delete from principal_roles ${as} and source = 'granted'`);
    expect(await orphaned()).toEqual([false]);
    await database.inspect(sql`delete from principal_roles ${as}`);
    expect(await orphaned()).toEqual([true]);
    await database.inspect(sql`
      insert into principal_roles (tenant_id, principal_id, role) values (${DEV}, ${SALES_OWNER}, 'domain_owner')`);
  });
});

describe('suggestions', () => {
  type Suggestion = {
    principalId: string | null;
    directoryId: string | null;
    displayName: string;
    holdsRole: boolean;
    currentKinds: string[];
    reasons: { kind: string; text: string; count: number }[];
  };
  const suggested = async () => {
    const { status, body } = await admin.get<List<Suggestion> & { note: string | null }>(SUGGESTIONS);
    expect(status).toBe(200);
    return body;
  };
  const named = async (name: string) =>
    (await suggested()).items.find(({ displayName }) => displayName === name);
  /** Of human resources, by what the fixture makes of the name. */
  const STAFF = 'Farid Keller';
  const ADDRESS = 'farid.keller@nordwind.example';

  beforeAll(async () => {
    await storeScanned(
      database.db,
      DEV,
      Array.from({ length: 4 }, (_, at) => ({ assetId: `ast_pay_${at}`, said: [payroll()] })),
    );
    await database.inspect(sql`
      update assets set modified_by = ${ADDRESS} where asset_id in ('ast_pay_0', 'ast_pay_1', 'ast_pay_2')`);
    await database.inspect(sql`
      update assets set modified_by = 'fixture@nordwind.example' where asset_id = 'ast_pay_3'`);
  });

  test('offer somebody of the directory, and the same person once assigned', async () => {
    const [person] = await fixtureDirectory.peopleBehind([STAFF], new AbortController().signal);
    expect(await named(STAFF)).toMatchObject({
      ...{ principalId: null, directoryId: 'dir_farid_keller', holdsRole: false, currentKinds: [] },
      reasons: [
        { kind: 'modified', count: 3, text: expect.stringContaining('taken for this person by mail') },
        { kind: 'profile' },
      ],
    });
    expect(person?.department).toBe('Human Resources');
    const { items, note } = await suggested();
    expect(note).toBeNull();
    expect(items.filter(({ directoryId }) => directoryId === null)).toMatchObject([
      { principalId: null, displayName: 'fixture@nordwind.example' },
    ]);
    const { body } = await assign({ directoryId: 'dir_farid_keller', domainId: 'dom_human_resources' });
    expect(await named(STAFF)).toMatchObject({
      ...{ principalId: body.principalId, directoryId: 'dir_farid_keller', holdsRole: true },
      ...{ currentKinds: ['steward'], reasons: [{ kind: 'modified', count: 3 }, { kind: 'profile' }] },
    });
  });

  test('recognise whom only the directory knows by that address', async () => {
    await database.inspect(sql`
      update principals set display_name = 'F. K. Smith', email = null where directory_id = 'dir_farid_keller'`);
    expect(await named('F. K. Smith')).toMatchObject({
      ...{ directoryId: 'dir_farid_keller', reasons: [{ kind: 'modified', count: 3 }, { kind: 'profile' }] },
    });
    // However many others there are who come before.
    const crowd = sql`select ${DEV}, 'pri_00' || n as id from generate_series(1, 5000) n`;
    await database.inspect(
      sql`insert into principals (tenant_id, principal_id, display_name) select *, id from (${crowd}) c`,
    );
    await database.inspect(
      sql`insert into principal_roles (tenant_id, principal_id, role) select *, 'domain_owner' from (${crowd}) c`,
    );
    expect(await named('F. K. Smith')).toMatchObject({ principalId: expect.stringMatching(/^pri_/) });
    for (const table of ['principal_roles', 'principals'])
      await database.inspect(sql`delete from ${sql.ident(table)} where principal_id like 'pri_00%'`);
    await database.inspect(sql`
      update principals set status = 'disabled' where directory_id = 'dir_farid_keller'`);
    const { items } = await suggested();
    expect(items.map(({ displayName }) => displayName)).not.toContain('F. K. Smith');
    expect(items.map(({ displayName }) => displayName)).not.toContain(ADDRESS);
  });

  test('leave out service principals', async () => {
    await database.inspect(sql`
      insert into principals (tenant_id, principal_id, display_name, kind, department)
      values (${DEV}, 'pri_importer', 'fixture', 'service', 'Human Resources')`);
    await database.inspect(sql`update assets set modified_by = 'fixture' where asset_id = 'ast_pay_3'`);
    expect(await named('fixture')).toBeUndefined();
    await database.inspect(sql`
      update assets set modified_by = 'fixture@nordwind.example' where asset_id = 'ast_pay_3'`);
  });

  test('are made without a directory too, and say so', async () => {
    const lookedUp = await suggested();
    failing('peopleBehind');
    const unanswered = await suggested();
    expect(unanswered.note).toContain('(source_throttled)');
    await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
    const without = await suggested();
    expect(without.note).toContain('SVC_GRAPH_TENANT_ID');
    const own = (items: Suggestion[]) =>
      items
        .filter(({ displayName }) => displayName !== ADDRESS)
        .map(({ displayName, reasons }) => ({
          displayName,
          reasons: reasons.filter(({ kind }) => kind !== 'manager'),
        }))
        .filter(({ reasons }) => reasons.length > 0);
    for (const { items } of [unanswered, without]) {
      expect(new Set(own(items))).toEqual(new Set(own(lookedUp.items)));
      const stranger = items.find(({ displayName }) => displayName === ADDRESS);
      expect(stranger).toMatchObject({ principalId: null, directoryId: null });
    }
  });
});
