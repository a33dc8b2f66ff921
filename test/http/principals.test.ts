import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { ROLES } from '../../core/kernel/vocabulary.ts';
import type { Answer, SignedIn } from '../support/client.ts';
import {
  governedPeople,
  type Listed,
  type People,
  PRINCIPALS,
  type Principal,
} from '../support/governed-people.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';

const UNKNOWN = 'pri_of_nobody';

let people: People;
let admin: SignedIn;

beforeAll(async () => {
  people = await governedPeople();
});
afterAll(() => people.close());
beforeEach(async () => {
  admin = await people.enter(PERSONA.platformAdmin);
});

const path = (id: string, what: string) => `${PRINCIPALS}/${id}/${what}`;
const put = (id: string, roles: readonly string[], who = admin) =>
  who.request('PUT', path(id, 'roles'), { body: { roles } });
const list = async (query = '', who = admin) => {
  const { status, body } = await who.get<Listed>(`${PRINCIPALS}${query}`);
  expect(status, query).toBe(200);
  return body;
};
const idsOf = ({ items }: Listed) => items.map(({ principalId }) => principalId);
const find = async (principalId: string): Promise<Principal> =>
  (await list()).items.find((each) => each.principalId === principalId) ?? expect.unreachable(principalId);
const isSignedIn = async (who: SignedIn) => (await who.get('/api/auth/me')).status === 200;
const granted = (role: string) => ({ role, source: 'granted' });
const claimed = (role: string) => ({ role, source: 'claimed' });
/** Everything that is stored about people, to compare. Sign-ins change none of it. */
const stored = async () =>
  JSON.stringify(
    await people.database.inspect(sql`
      select (select jsonb_agg(to_jsonb(p) - 'last_sign_in_at' order by p.principal_id) from principals p) as people,
             (select jsonb_agg(r order by r.principal_id, r.role) from principal_roles r) as roles,
             (select jsonb_agg(c order by c.code_hash) from sign_in_codes c) as codes,
             (select jsonb_agg(o order by o.assignment_id) from owner_assignments o) as owners`),
  );

/** Every way to change a principal, with a body that would be accepted. */
const CHANGES: readonly (readonly [method: string, what: string, body?: object])[] = [
  ['POST', 'invitation'],
  ['PUT', 'roles', { roles: ['auditor'] }],
  ['POST', 'deactivate'],
  ['POST', 'reactivate'],
  ['DELETE', 'sessions'],
];
const REGISTRATION = { displayName: 'New Person', subject: 'new-person' };

describe('who may', () => {
  test('see people: administrators and auditors', async () => {
    for (const persona of [PERSONA.platformAdmin, PERSONA.governanceAdmin, PERSONA.auditor]) {
      const who = await people.enter(persona);
      expect((await who.get(PRINCIPALS)).status, persona).toBe(200);
    }
    for (const persona of [PERSONA.financeOwner, PERSONA.approver]) {
      const who = await people.enter(persona);
      expect((await who.get(PRINCIPALS)).status, persona).toBe(403);
    }
    expect((await people.service.anonymous.get(PRINCIPALS)).status).toBe(401);
  });

  test('change people: platform administrators alone, and a refusal changes nothing', async () => {
    const others = [PERSONA.governanceAdmin, PERSONA.auditor, PERSONA.financeOwner, PERSONA.approver];
    const callers = await Promise.all(others.map((each) => people.enter(each)));
    const before = await stored();
    for (const [method, what, body = {}] of [...CHANGES, ['POST', '', REGISTRATION] as const]) {
      const target = what === '' ? PRINCIPALS : path(PERSONA.legalOwner, what);
      for (const who of callers) {
        const refused = await who.request(method, target, { body });
        expect(refused, `${who.principalId} ${target}`).toMatchObject({
          status: 403,
          body: { error: 'not_permitted' },
        });
      }
      expect((await people.service.anonymous.request(method, target, { body })).status, target).toBe(401);
      const forged = people.service.withCookie(admin.cookie, 'wrong');
      expect((await forged.request(method, target, { body })).body).toEqual({ error: 'csrf_token_invalid' });
    }
    expect(await stored()).toBe(before);
  });

  test("change people of another tenant: nobody, and they don't exist", async () => {
    const before = await stored();
    for (const [method, what, body = {}] of CHANGES) {
      for (const id of [inOther(PERSONA.nobody), UNKNOWN, 'x'.repeat(300), '%20', '..%2f']) {
        const answer = await admin.request(method, path(id, what), { body });
        expect([answer.status, answer.body], `${what} ${id}`).toMatchObject([404, { error: 'not_found' }]);
      }
    }
    expect(await stored()).toBe(before);
    expect(idsOf(await list()).filter((id) => id.startsWith('pri_other_'))).toEqual([]);
    expect((await list('?q=Noor')).items).toHaveLength(1);
  });
});

describe('the list', () => {
  test('tells of each who they are, their roles and their last sign-in', async () => {
    const before = new Date(people.service.clock.now()).toISOString();
    await people.enter(PERSONA.auditor);
    expect(await find(PERSONA.auditor)).toEqual({
      ...{
        principalId: PERSONA.auditor,
        kind: 'person',
        displayName: 'Marcus Bell',
        title: 'Internal Auditor',
      },
      ...{ department: 'Internal Audit', email: null, status: 'active', identity: 'bound' },
      roles: [granted('auditor')],
      lastSignInAt: expect.any(String),
    });
    const { lastSignInAt } = await find(PERSONA.auditor);
    expect(Date.parse(lastSignInAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before));
    expect(await find('pri_yuki_tanaka')).toMatchObject({ identity: 'directory', lastSignInAt: null });
  });

  test('is in the order of names, and complete', async () => {
    const { items, truncated } = await list();
    const [{ count } = { count: 0 }] = await people.database.inspect<{ count: number }>(
      sql`select count(*)::int as count from principals where tenant_id = ${DEV}`,
    );
    expect([items.length, truncated]).toEqual([count, false]);
    const names = items.map(({ displayName }) => displayName.toLowerCase());
    expect(names).toEqual(names.toSorted());
  });

  test('finds parts of name, title, department and address, in any case', async () => {
    const { principalId } = await people.register({
      displayName: 'Zoë Åström',
      title: 'Chief of Things',
      invite: true,
    });
    await people.database.inspect(
      sql`update principals set email = 'z.astrom@mail.test' where principal_id = ${principalId}`,
    );
    for (const q of ['zoë', 'STRÖM', 'of thing', 'Z.ASTROM@', 'åström chief'])
      expect(idsOf(await list(`?q=${encodeURIComponent(q)}`)), q).toEqual([principalId]);
    expect(idsOf(await list('?q=Internal%20Audit'))).toEqual([PERSONA.auditor]);
    for (const q of ['%', '_', '\\', "'", 'no such person'])
      expect(idsOf(await list(`?q=${encodeURIComponent(q)}`)), q).toEqual([]);
  });

  test('filters by role, source, status and kind, and by all of them', async () => {
    const { person } = await people.signIn({
      sub: 'claims-auditor',
      roles: ['auditors'],
      name: 'Cleo Claim',
    });
    const cleo = person?.principalId ?? '';
    await put(cleo, ['governance_admin']);
    const service = await people.register({ kind: 'service', displayName: 'Sync', subject: 'sync' });
    const left = await people.register({ displayName: 'Left Long Ago', invite: true, roles: ['auditor'] });
    await admin.post(path(left.principalId, 'deactivate'));

    const auditors = idsOf(await list('?role=auditor'));
    expect(auditors).toEqual(expect.arrayContaining([PERSONA.auditor, cleo, left.principalId]));
    expect(auditors).not.toContain(PERSONA.governanceAdmin);
    expect(idsOf(await list('?source=claimed'))).toEqual([cleo]);
    expect(idsOf(await list('?role=auditor&source=claimed'))).toEqual([cleo]);
    // Each has one of the two, but not as one role.
    expect(idsOf(await list('?role=governance_admin&source=claimed'))).toEqual([]);
    expect(idsOf(await list('?status=disabled'))).toEqual([left.principalId]);
    expect(idsOf(await list('?role=auditor&status=active'))).not.toContain(left.principalId);
    expect(idsOf(await list('?kind=service'))).toEqual([service.principalId]);
    expect(idsOf(await list('?q=cleo&role=auditor&source=claimed&status=active&kind=person'))).toEqual([
      cleo,
    ]);
    for (const query of ['?role=king', '?source=x', '?status=gone', '?kind=robot', '?q=', '?x=1', '?q=a&q=b'])
      expect((await admin.get(`${PRINCIPALS}${query}`)).status, query).toBe(400);
  });

  test('filters by domain for those who may read the taxonomy, and counts', async () => {
    const governance = await people.enter(PERSONA.governanceAdmin);
    const owners = await list('?domainId=dom_finance', governance);
    expect(idsOf(owners)).toContain(PERSONA.financeOwner);
    expect(idsOf(owners)).not.toContain(PERSONA.peopleOwner);
    expect(owners).toMatchObject({ total: owners.items.length, totalIsExact: true });
    expect(idsOf(await list('?domainId=dom_nowhere', governance))).toEqual([]);
    // A platform administrator may not read whose the domains are.
    expect(await list('?domainId=dom_finance')).toMatchObject({ items: [], total: 0 });
  });

  test('sorts by name and by the last sign-in, from either end', async () => {
    const byName = idsOf(await list());
    expect(idsOf(await list('?sort=-name'))).toEqual(byName.toReversed());
    const signedIn = (await list('?sort=-lastSignIn')).items.map(({ lastSignInAt }) => lastSignInAt ?? '');
    expect(signedIn).toEqual(signedIn.toSorted().toReversed());
    const first = (await list('?sort=lastSignIn')).items.map(({ lastSignInAt }) => lastSignInAt ?? '');
    expect(first).toEqual(first.toSorted());
  });

  test('is exported as a table without formulas, by the same filters', async () => {
    const evil = await people.register({
      displayName: '=HYPERLINK("//x")',
      invite: true,
      roles: ['auditor'],
    });
    const { text } = await admin.get('/api/exports/principals?format=csv&role=auditor');
    expect(text).toContain(`"${evil.principalId}","person","'=HYPERLINK(""//x"")"`);
    expect(text.trim().split('\r\n')).toHaveLength((await list('?role=auditor')).items.length + 1);
    const { text: all } = await admin.get('/api/exports/principals?format=ndjson');
    const rows = all
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.pop()).toEqual({ end: true, count: rows.length });
    expect(rows).toEqual((await list()).items);
    const owner = await people.enter(PERSONA.financeOwner);
    expect((await owner.get('/api/exports/principals?format=csv')).status).toBe(403);
  });

  test('stops at 500 and says so', async () => {
    await people.database.inspect(sql`
      insert into principals (tenant_id, principal_id, display_name)
      select ${DEV}, 'pri_many_' || n, 'Many ' || n from generate_series(1, 500) n`);
    const { items, truncated } = await list();
    expect([items.length, truncated]).toEqual([500, true]);
    expect(await list('?q=many%20')).toMatchObject({ truncated: false });
    await people.database.inspect(sql`delete from principals where principal_id like 'pri\\_many\\_%'`);
  });
});

describe('a registration by subject', () => {
  test('lets the person in at their first sign-in, with the roles that they were given', async () => {
    const { principalId, invitation } = await people.register({
      ...{ displayName: ' Ada Lovelace ', title: 'Analyst', department: 'Engines' },
      ...{ subject: 'ada-of-the-list', issuer: people.provider.issuer, roles: ['auditor', 'auditor'] },
    });
    expect(invitation).toBeNull();
    expect(await find(principalId)).toMatchObject({
      ...{ displayName: 'Ada Lovelace', title: 'Analyst', department: 'Engines', kind: 'person' },
      ...{ identity: 'bound', roles: [granted('auditor')], lastSignInAt: null },
    });
    const { person } = await people.signIn({ sub: 'ada-of-the-list' });
    expect(person?.principalId).toBe(principalId);
    expect((await person?.get('/api/audit'))?.status).toBe(200);
    expect(await people.auditOf(principalId)).toMatchObject([
      ['principal_registered', PERSONA.platformAdmin, { source: 'subject', kind: 'person' }],
      ['role_granted', PERSONA.platformAdmin, { role: 'auditor', source: 'granted' }],
      ['idp_login', principalId, {}],
    ]);
  });

  test('takes an identity once, also of two registrations at once', async () => {
    const body = { displayName: 'Twice', subject: 'twice' };
    const both = await Promise.all([admin.post(PRINCIPALS, body), admin.post(PRINCIPALS, body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await admin.post(PRINCIPALS, { ...body, displayName: 'Other' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    });
    expect((await list('?q=twice')).items).toHaveLength(1);
    // Who has signed in has an identity, too.
    expect((await admin.post(PRINCIPALS, { ...body, subject: PERSONA.platformAdmin })).status).toBe(409);
  });

  test('leaves a person whom the directory names to be one person', async () => {
    const subject = 'pri_sofia_marchetti';
    const answer = await admin.post(PRINCIPALS, { displayName: 'Sofia again', subject });
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
    const { person } = await people.signIn({ sub: subject });
    const me = await person?.get<{ ownedDomains: string[] }>('/api/auth/me');
    expect(me?.body).toMatchObject({ principalId: subject, ownedDomains: ['dom_customers'] });
  });

  test("names the tenant's issuer or none", async () => {
    for (const issuer of ['https://other.test', `${people.provider.issuer}/`, 'ada', 7])
      expect((await admin.post(PRINCIPALS, { ...REGISTRATION, issuer })).status, `${issuer}`).toBe(400);
    await people.database.inspect(sql`
      insert into tenants (tenant_id, name, idp_issuer, created_at)
      values ('third', 'Third', 'https://third.test', now())`);
    const third = { ...REGISTRATION, issuer: 'https://third.test' };
    expect(await admin.post(PRINCIPALS, third)).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'issuer' }] },
    });
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['no name', { subject: 'a' }],
    ['an empty name', { displayName: ' ', subject: 'a' }],
    ['a name that is too long', { displayName: 'x'.repeat(201), subject: 'a' }],
    ['neither subject nor invitation', { displayName: 'A' }],
    ['both', { displayName: 'A', subject: 'a', invite: true }],
    ['an empty subject', { displayName: 'A', subject: '' }],
    ['a subject that is too long', { displayName: 'A', subject: 'x'.repeat(256) }],
    ['a subject that no token has', { displayName: 'A', subject: 'a\n' }],
    ['an issuer for an invitation', { displayName: 'A', invite: true, issuer: 'https://a.test' }],
    ['an invited application', { displayName: 'A', invite: true, kind: 'service' }],
    ['an unknown role', { displayName: 'A', subject: 'a', roles: ['king'] }],
    ['an unknown kind', { displayName: 'A', subject: 'a', kind: 'robot' }],
    ['an unknown field', { displayName: 'A', subject: 'a', status: 'active' }],
    ['an id of its own', { displayName: 'A', subject: 'a', principalId: 'pri_a' }],
    ['a tenant', { displayName: 'A', subject: 'a', tenantId: OTHER }],
  ])('with %s is not valid', async (_, body) => {
    const before = await stored();
    expect(await admin.post(PRINCIPALS, body)).toMatchObject({
      status: 400,
      body: { error: 'validation_failed' },
    });
    expect(await stored()).toBe(before);
  });
});

describe('roles', () => {
  test('are exactly those that were set, and count from the next request', async () => {
    const { principalId } = await people.register({ subject: 'role-taker', roles: ['auditor'] });
    const { person } = await people.signIn({ sub: 'role-taker' });
    const rolesNow = async () => (await person?.get<{ roles: string[] }>('/api/auth/me'))?.body.roles;
    expect(await rolesNow()).toEqual(['auditor']);
    const steps = [['governance_admin', 'auditor'], ['remediation_approver'], [], [...ROLES], []];
    for (const roles of steps) {
      expect((await put(principalId, roles)).status).toBe(200);
      expect(await rolesNow()).toEqual(roles.toSorted());
    }
    expect((await put(principalId, ['auditor', 'auditor'])).status).toBe(200);
    expect((await find(principalId)).roles).toEqual([granted('auditor')]);
    const changes = (await people.auditOf(principalId)).filter(([type]) => type.startsWith('role_'));
    expect(changes.slice(1, 4)).toEqual([
      ['role_granted', PERSONA.platformAdmin, { role: 'governance_admin', source: 'granted' }],
      ['role_granted', PERSONA.platformAdmin, { role: 'remediation_approver', source: 'granted' }],
      ['role_revoked', PERSONA.platformAdmin, { role: 'auditor', source: 'granted' }],
    ]);
    expect(changes).toHaveLength(1 + 1 + 3 + 1 + ROLES.length * 2 + 1);
  });

  test('that are the same already change nothing and are not audited', async () => {
    const { principalId } = await people.register({ subject: 'same-roles', roles: ['auditor'] });
    const before = [await stored(), await people.auditOf(principalId)];
    expect((await put(principalId, ['auditor'])).status).toBe(200);
    expect([await stored(), await people.auditOf(principalId)]).toEqual(before);
  });

  test('that the provider claims stay as it claims them', async () => {
    const { person } = await people.signIn({ sub: 'claimer', roles: ['auditors'] });
    const id = person?.principalId ?? '';
    expect((await put(id, [])).status).toBe(200);
    expect((await find(id)).roles).toEqual([claimed('auditor')]);
    expect((await put(id, ['auditor', 'governance_admin'])).status).toBe(200);
    expect((await find(id)).roles).toEqual([
      claimed('auditor'),
      granted('auditor'),
      granted('governance_admin'),
    ]);
    // The provider takes its own back, and no other.
    await people.signIn({ sub: 'claimer' });
    expect((await find(id)).roles).toEqual([granted('auditor'), granted('governance_admin')]);
  });

  test('are not changed by their holder, in any way', async () => {
    await put(PERSONA.secondGovernanceAdmin, ['platform_admin']);
    const second = await people.enter(PERSONA.secondGovernanceAdmin);
    const before = await stored();
    for (const roles of [[], ['platform_admin'], [...ROLES]])
      expect(await put(second.principalId, roles, second)).toMatchObject({
        status: 409,
        body: { error: 'conflict', message: expect.stringContaining('their own roles') },
      });
    expect((await second.post(path(second.principalId, 'deactivate'))).status).toBe(409);
    expect((await second.post(path(second.principalId, 'invitation'))).status).toBe(409);
    expect(await stored()).toBe(before);
    await put(PERSONA.secondGovernanceAdmin, ['governance_admin']);
  });

  test.each([
    ...[{}, { roles: 'auditor' }, { roles: ['king'] }, { roles: [null] }, { roles: [], source: 'claimed' }],
    { roles: ROLES.flatMap((role) => [role, role]) },
  ])('%j is not valid', async (body) => {
    const { status } = await admin.request('PUT', path(PERSONA.legalOwner, 'roles'), { body });
    expect(status).toBe(400);
  });
});

describe('a deactivation', () => {
  const OWNER = PERSONA.legalOwner;
  type Owners = {
    items: { principalId: string; isOrphaned: boolean; principalStatus: string }[];
    withoutOwner: { domainId: string }[];
  };
  const ownership = async () => {
    const { body } = await (await people.enter(PERSONA.governanceAdmin)).get<Owners>(
      '/api/governance/owners',
    );
    const { isOrphaned, principalStatus } =
      body.items.find(({ principalId }) => principalId === OWNER) ?? expect.unreachable();
    const isWithout = body.withoutOwner.some(({ domainId }) => domainId === 'dom_legal');
    return { isOrphaned, principalStatus, isWithout };
  };
  const assignments = async () =>
    JSON.stringify(
      await people.database.inspect(sql`select * from owner_assignments where principal_id = ${OWNER}`),
    );

  test('ends all sessions at once, and governance sees the domains as orphaned', async () => {
    const owners = [await people.enter(OWNER), await people.enter(OWNER)];
    const [bystander, kept] = [await people.enter(PERSONA.financeOwner), await assignments()];
    const { roles } = await find(OWNER);
    expect(await ownership()).toEqual({ isOrphaned: false, principalStatus: 'active', isWithout: false });
    expect((await admin.post(path(OWNER, 'deactivate'))).body).toEqual({ ok: true });
    for (const owner of owners) expect((await owner.get('/api/auth/me')).status).toBe(401);
    expect(await isSignedIn(bystander)).toBe(true);
    expect(await ownership()).toEqual({ isOrphaned: true, principalStatus: 'disabled', isWithout: true });
    // Nothing is deleted.
    expect(await assignments()).toBe(kept);
    expect(await find(OWNER)).toMatchObject({ status: 'disabled', identity: 'bound', roles });
    const { status, body, person } = await people.signIn({ sub: OWNER, roles: ['auditors'] });
    expect([status, person]).toEqual([403, null]);
    expect(body).toContain('Your access has been deactivated');
    await people.signIn({ sub: OWNER });
  });

  test('that is repeated stays as it is', async () => {
    const before = [await stored(), await people.auditOf(OWNER)];
    expect((await admin.post(path(OWNER, 'deactivate'))).status).toBe(200);
    expect([await stored(), await people.auditOf(OWNER)]).toEqual(before);
  });

  test('is taken back with roles and domains, and without the sessions of before', async () => {
    const others = await people.sessionsOf(OWNER);
    expect((await admin.post(path(OWNER, 'reactivate'))).body).toEqual({ ok: true });
    expect(await people.sessionsOf(OWNER)).toEqual(others);
    expect(others.every(({ revoked }) => revoked)).toBe(true);
    const owner = await people.enter(OWNER);
    expect((await owner.get('/api/auth/me')).body).toMatchObject({
      roles: ['domain_owner'],
      ownedDomains: ['dom_legal'],
    });
    expect(await ownership()).toEqual({ isOrphaned: false, principalStatus: 'active', isWithout: false });
    const before = await people.auditOf(OWNER);
    expect((await admin.post(path(OWNER, 'reactivate'))).status).toBe(200);
    expect(await people.auditOf(OWNER)).toEqual(before);
    expect(await isSignedIn(owner)).toBe(true);
  });

  test('is audited with who did it, as is its end', async () => {
    const events = (await people.auditOf(OWNER)).filter(([type]) => type.startsWith('principal_'));
    expect(events).toEqual([
      ['principal_deactivated', PERSONA.platformAdmin, {}],
      ['principal_reactivated', PERSONA.platformAdmin, {}],
    ]);
  });

  test.each([
    { first: 'sign-in', status: 302 },
    { first: 'deactivation', status: 403 },
  ])('that meets a sign-in leaves no session, with the $first first', async ({ first, status }) => {
    const subject = `meets-${first}`;
    const { principalId } = await people.register({ subject, roles: ['auditor'] });
    const calls = [() => admin.post(path(principalId, 'deactivate')), () => people.signIn({ sub: subject })];
    if (first === 'sign-in') calls.reverse();
    const answers = await withClient(people.database.adminUrl, async (locker) => {
      await locker.query('begin');
      await locker.query('select from principals where principal_id = $1 for update', [principalId]);
      const running: Promise<Answer>[] = [];
      for (const call of calls) {
        running.push(call());
        await expect.poll(() => lockWaits(people.database)).toBe(running.length);
      }
      await locker.query('commit');
      return Promise.all(running);
    });
    if (first === 'sign-in') answers.reverse();
    expect(answers).toMatchObject([{ status: 200 }, { status }]);
    await admin.post(path(principalId, 'reactivate'));
    const sessions = await people.sessionsOf(principalId);
    expect(sessions.map(({ revoked }) => revoked)).toEqual(status === 302 ? [true] : []);
    const cookie = answers[1]?.cookies.find((each) => each.startsWith('svc_session='))?.split(';')[0];
    expect((await people.service.withCookie(cookie ?? '', '').get('/api/auth/me')).status).toBe(401);
  });
});

test('the log and the audit trail bear no name, subject or code', async () => {
  const canary = { displayName: 'Canary Person', title: 'Canary Title', department: 'Canary Department' };
  const { principalId, invitation } = await people.register({ ...canary, invite: true, roles: ['auditor'] });
  const again = await admin.post<{ code: string }>(path(principalId, 'invitation'));
  await people.signIn({ sub: 'canary-wrong' }, { code: invitation?.code ?? '' });
  await people.signIn({ sub: 'canary-subject', name: 'Canary Name' }, { code: again.body.code });
  await people.register({ ...canary, subject: 'canary-other' });
  await admin.post(PRINCIPALS, { ...canary, subject: 'canary-other' });
  await admin.post(PRINCIPALS, { displayName: 'Canary', roles: ['Canary'], Canary: 'Canary' });
  await admin.get(`${PRINCIPALS}?q=canary`);
  await admin.post(path('canary', 'deactivate'));
  await put(principalId, []);
  await admin.post(path(principalId, 'deactivate'));
  const rows = await people.database.inspect(sql`
    select record as text from audit_events union all select to_jsonb(c)::text from not_found_counts c
    union all select to_jsonb(c)::text from sign_in_codes c`);
  const everything = `${people.service.logs.join('\n')}\n${JSON.stringify(rows)}`;
  expect(everything).not.toMatch(/canary/i);
  const codes = [invitation?.code, again.body.code];
  for (const code of codes) {
    expect(code).toMatch(/^[\w-]{27}$/);
    expect(everything).not.toContain(code);
  }
  expect(everything).toContain(principalId);
});
