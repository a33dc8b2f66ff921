import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { Attestation } from '../../core/governance/attestation.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Owner = {
  assignmentId: string;
  principalId: string;
  displayName: string;
  principalStatus: string;
  isOrphaned: boolean;
  domainId: string;
  domainName: string;
  kind: string;
  assignedAt: string;
  attestationDays: number | null;
  attestation: Attestation;
};

const DAY = 24 * 3_600_000;
const OWNERS = '/api/governance/owners';
const SALES_OWNER = 'pri_sofia_marchetti';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.governanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const assign = (body: object, caller = admin) => caller.post<{ assignmentId: string }>(OWNERS, body);
const assigned = async (principalId: string, domainId: string, more: object = {}) => {
  const { status, body } = await assign({ principalId, domainId, ...more });
  const assignmentId = expect.stringMatching(/^own_[0-9a-z]{26}$/);
  expect([status, body]).toEqual([200, { assignmentId, principalId }]);
  return body.assignmentId;
};
const attest = (caller: SignedIn, assignmentId: string) =>
  caller.post<{ attestation: Attestation }>(`${OWNERS}/${assignmentId}/attest`);
const end = (assignmentId: string, caller = admin) =>
  caller.post<{ endedAt: string }>(`${OWNERS}/${assignmentId}/end`);
const changeDays = (assignmentId: string, attestationDays: unknown, caller = admin) =>
  caller.patch<{ assignmentId: string; attestationDays: number | null; attestation: Attestation }>(
    `${OWNERS}/${assignmentId}`,
    { attestationDays },
  );
const ownersOf = async (caller: SignedIn, query = '') => {
  const { status, body } = await caller.get<{ items: Owner[]; truncated: boolean }>(`${OWNERS}${query}`);
  expect([status, body.truncated]).toEqual([200, false]);
  return body.items;
};
const audited = async (assignmentId: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and category = 'governance'
         and record like ${`%${assignmentId}%`} order by seq`)
  ).map(({ record }) => {
    const { type, principalId, target, details } = JSON.parse(record).event;
    return { type, principalId, target, details };
  });

describe('assigning', () => {
  test('gives the domain from the next request on, and its end takes it away', async () => {
    await storeScanned(database.db, DEV, [{ assetId: 'ast_invoice', said: [invoices()] }]);
    const legal = await service.signInAs(PERSONA.legalOwner);
    const sees = async () => [
      (await legal.get('/api/assets/ast_invoice')).status,
      (await legal.get<{ ownedDomains: string[] }>('/api/auth/me')).body.ownedDomains,
    ];
    expect(await sees()).toEqual([404, ['dom_legal']]);
    const assignmentId = await assigned(PERSONA.legalOwner, 'dom_finance', { kind: 'delegate' });
    expect(await sees()).toEqual([200, ['dom_finance', 'dom_legal']]);

    const first = await end(assignmentId);
    expect([first.status, first.body]).toEqual([200, { assignmentId, endedAt: expect.any(String) }]);
    expect(await sees()).toEqual([404, ['dom_legal']]);
    expect((await end(assignmentId)).body).toEqual(first.body);
    expect((await attest(legal, assignmentId)).status).toBe(404);
    expect((await ownersOf(admin)).map((owner) => owner.assignmentId)).not.toContain(assignmentId);

    const target = { kind: 'owner_assignment', id: assignmentId };
    const of = { principalId: PERSONA.legalOwner, domainId: 'dom_finance' };
    const by = { principalId: PERSONA.governanceAdmin, target };
    expect(await audited(assignmentId)).toEqual([
      { type: 'owner_assigned', ...by, details: { ...of, kind: 'delegate', attestationDays: null } },
      { type: 'owner_assignment_ended', ...by, details: of },
    ]);
    // What ended stays as history: the same again is a new assignment.
    expect(await assigned(PERSONA.legalOwner, 'dom_finance', { kind: 'delegate' })).not.toBe(assignmentId);
  });

  test('is refused with what is to be done', async () => {
    await database.inspect(
      sql`update principals set status = 'disabled' where principal_id = ${SALES_OWNER}`,
    );
    const issuesOf = async (body: object) => {
      const answer = await admin.post<{ issues: { path: string; message: string }[] }>(OWNERS, body);
      expect([answer.status, answer.body]).toMatchObject([400, { error: 'validation_failed' }]);
      return answer.body.issues;
    };
    const domainId = 'dom_finance';
    expect(await issuesOf({ principalId: 'pri_unknown', domainId: 'dom_unknown' })).toMatchObject([
      { path: 'principalId', message: 'No such person.' },
      { path: 'domainId', message: 'No such domain.' },
    ]);
    expect(await issuesOf({ principalId: inOther(PERSONA.financeOwner), domainId })).toMatchObject([
      { path: 'principalId', message: 'No such person.' },
    ]);
    const [disabled] = await issuesOf({ principalId: SALES_OWNER, domainId });
    expect(disabled).toMatchObject({ path: 'principalId', message: expect.stringContaining('disabled') });
    await database.inspect(sql`update principals set status = 'active' where principal_id = ${SALES_OWNER}`);
    for (const [path, value] of Object.entries({
      attestationDays: [0, 731, 1.5, '30', null],
      kind: ['boss', null],
      domainId: ['', 7, 'x'.repeat(65)],
      principalId: [[], 'x'.repeat(65)],
      role: ['domain_owner'],
    }))
      for (const each of value)
        expect(
          await issuesOf({ principalId: PERSONA.legalOwner, domainId, kind: 'steward', [path]: each }),
          `${path}: ${each}`,
        ).not.toEqual([]);
  });

  test('takes a period of 1 to 730 days, and is of an owner where no kind is said', async () => {
    for (const attestationDays of [1, 730]) {
      const assignmentId = await assigned(PERSONA.legalOwner, 'dom_finance', { attestationDays });
      expect((await ownersOf(admin)).find((owner) => owner.assignmentId === assignmentId)).toMatchObject({
        ...{ kind: 'owner', attestationDays },
      });
      await end(assignmentId);
    }
    for (const attestationDays of [0, 731]) {
      const of = { principalId: PERSONA.legalOwner, domainId: 'dom_finance', attestationDays };
      expect((await assign(of)).status, `${attestationDays}`).toBe(400);
    }
  });

  test('may be of a draft, by each kind once, and of many at once is one', async () => {
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, created_at, updated_at)
      values (${DEV}, 'dom_draft', 'Draft', now(), now())`);
    const of = { principalId: PERSONA.legalOwner, domainId: 'dom_draft' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => assign(of)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: 'conflict',
      message:
        'This person is already owner of the domain. PATCH /api/governance/owners/{id} changes the period.',
    });
    await assigned(of.principalId, of.domainId, { kind: 'steward' });
    expect((await ownersOf(admin, '?domainId=dom_draft')).map(({ kind }) => kind)).toEqual([
      'owner',
      'steward',
    ]);
  });

  test('is for the governance administrator alone, and so are changing and ending', async () => {
    for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor, PERSONA.nobody]) {
      const caller = await service.signInAs(persona);
      const answers = [
        await assign({ principalId: PERSONA.financeOwner, domainId: 'dom_legal' }, caller),
        await end('own_seed_0', caller),
        await changeDays('own_seed_0', 30, caller),
        await caller.get('/api/governance/owner-suggestions?domainId=dom_legal'),
      ];
      expect(
        answers.map(({ status }) => status),
        persona,
      ).toEqual([403, 403, 403, 403]);
    }
  });
});

describe('the list', () => {
  test('has who owns what, and whether it was attested', async () => {
    const owners = await ownersOf(admin);
    expect(owners.find(({ assignmentId }) => assignmentId === 'own_seed_0')).toMatchObject({
      ...{ principalId: PERSONA.financeOwner, displayName: 'Amara Okafor', principalStatus: 'active' },
      isOrphaned: false,
      ...{ domainId: 'dom_finance', domainName: 'Finance', kind: 'owner', attestationDays: 180 },
      attestation: { state: 'current', attestedAt: null },
    });
    const names = owners.map(({ domainName }) => domainName);
    expect(names).toEqual([...names].sort());
    expect(await ownersOf(await service.signInAs(PERSONA.auditor))).toEqual(owners);
  });

  test('is of owned domains for an owner; of a foreign or unknown one it is empty', async () => {
    const people = await service.signInAs(PERSONA.peopleOwner);
    const domains = (await ownersOf(people)).map(({ domainId }) => domainId);
    expect(new Set(domains)).toEqual(new Set(['dom_human_resources', 'dom_health_and_safety']));
    for (const query of ['?domainId=dom_finance', '?domainId=dom_unknown'])
      expect(await ownersOf(people, query)).toEqual([]);
    expect(await ownersOf(people, '?domainId=dom_human_resources')).toHaveLength(1);
    expect(await ownersOf(admin, '?domainId=dom_unknown')).toEqual([]);
    expect((await people.get(`${OWNERS}?domain=x`)).status).toBe(400);
  });

  test('names domains that have nobody left, and no foreign ones', async () => {
    const withoutOwner = async (caller: SignedIn, query = '') => {
      type Answer = { withoutOwner: object[] };
      return (await caller.get<Answer>(`${OWNERS}${query}`)).body.withoutOwner;
    };
    const lonely = {
      ...{ domainId: 'dom_customers', domainName: 'Customers and Sales' },
      ...{ waitingQuestions: 0, waitingSince: null },
    };
    const set = (status: string) =>
      database.inspect(sql`update principals set status = ${status} where principal_id = ${SALES_OWNER}`);
    const isStepDone = async () => {
      type Progress = { steps: { step: string; state: string }[] };
      const { steps } = (await admin.get<Progress>('/api/onboarding/progress')).body;
      return steps.find(({ step }) => step === 'owners_assigned')?.state === 'done';
    };
    expect([await withoutOwner(admin), await isStepDone()]).toEqual([[], true]);
    await set('disabled');
    expect([await withoutOwner(admin), await isStepDone()]).toEqual([[lonely], false]);
    await set('active');
    const sales = await service.signInAs(SALES_OWNER);
    const owned = async () => [
      (await sales.get<{ ownedDomains: string[] }>('/api/auth/me')).body.ownedDomains,
      (await sales.get<{ domains: { domainId: string }[] }>('/api/home')).body.domains.map(
        (each) => each.domainId,
      ),
    ];
    expect(await owned()).toEqual([['dom_customers'], ['dom_customers']]);
    await database.inspect(sql`delete from principal_roles where principal_id = ${SALES_OWNER}`);
    expect([await withoutOwner(admin), await owned()]).toEqual([[lonely], [[], []]]);
    await database.inspect(sql`
      insert into principal_roles (tenant_id, principal_id, role) values (${DEV}, ${SALES_OWNER}, 'domain_owner')`);
    const last = (await ownersOf(admin, '?domainId=dom_customers')).map(({ assignmentId }) => assignmentId);
    for (const assignmentId of last) expect((await end(assignmentId)).status).toBe(200);
    expect(await withoutOwner(admin)).toEqual([lonely]);
    expect(await withoutOwner(admin, '?domainId=dom_finance')).toEqual([]);
    const legal = await service.signInAs(PERSONA.legalOwner);
    expect(await withoutOwner(legal, '?domainId=dom_customers')).toEqual([]);
    await assigned(SALES_OWNER, 'dom_customers', { kind: 'steward' });
    expect(await withoutOwner(await service.signInAs(SALES_OWNER))).toEqual([lonely]);
    expect(await isStepDone()).toBe(false);
    await assigned(SALES_OWNER, 'dom_customers');
    expect(await withoutOwner(admin)).toEqual([]);
  });

  test('keeps to the tenant', async () => {
    const there = await service.signInAs(inOther(PERSONA.governanceAdmin));
    expect((await end('own_seed_0', there)).status).toBe(200);
    expect((await ownersOf(admin)).map(({ assignmentId }) => assignmentId)).toContain('own_seed_0');
  });
});

describe('attesting', () => {
  test('is for the assignee alone: of another person’s assignment nobody learns', async () => {
    const finance = await service.signInAs(PERSONA.financeOwner);
    const refused = await Promise.all([
      attest(finance, 'own_unknown'),
      attest(finance, 'own_seed_1'),
      attest(await service.signInAs(PERSONA.peopleOwner), 'own_seed_0'),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    expect((await attest(admin, 'own_seed_0')).status).toBe(403);
    expect(await audited('own_seed_0')).toEqual([]);
  });

  test('counts the period again, once in a minute', async () => {
    const assignmentId = await assigned(PERSONA.financeOwner, 'dom_product', { attestationDays: 30 });
    const state = async () =>
      (await ownersOf(admin, '?domainId=dom_product')).find((owner) => owner.assignmentId === assignmentId)
        ?.attestation.state;
    expect(await state()).toBe('current');
    service.clock.advance(17 * DAY);
    admin = await service.signInAs(PERSONA.governanceAdmin);
    expect(await state()).toBe('due');
    service.clock.advance(14 * DAY);
    admin = await service.signInAs(PERSONA.governanceAdmin);
    expect(await state()).toBe('overdue');

    // Overdue or not, the domain stays with its owner.
    const finance = await service.signInAs(PERSONA.financeOwner);
    expect((await ownersOf(finance, '?domainId=dom_product')).length).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 4 }, () => attest(finance, assignmentId)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { state: attested, dueAt, attestedAt } = answers[0]?.body.attestation ?? {};
    expect(attested).toBe('current');
    expect(Date.parse(dueAt ?? '') - Date.parse(attestedAt ?? '')).toBe(30 * DAY);
    expect(await state()).toBe('current');
    expect((await audited(assignmentId)).map(({ type }) => type)).toEqual([
      'owner_assigned',
      'owner_attested',
    ]);
  });

  test('and ending at once leave no attestation after the end', async () => {
    const owner = await service.signInAs(PERSONA.financeOwner);
    for (let round = 0; round < 5; round++) {
      const assignmentId = await assigned(PERSONA.financeOwner, 'dom_legal', { attestationDays: 30 });
      const [attested, ended] = await Promise.all([attest(owner, assignmentId), end(assignmentId)]);
      expect(ended.status).toBe(200);
      expect([200, 404]).toContain(attested.status);
      const types = (await audited(assignmentId)).map(({ type }) => type);
      expect(types).toEqual([
        'owner_assigned',
        ...(attested.status === 200 ? ['owner_attested'] : []),
        'owner_assignment_ended',
      ]);
    }
  });
});

describe('changing the period', () => {
  test('moves the date at once, and the trail tells from what to what', async () => {
    admin = await service.signInAs(PERSONA.governanceAdmin);
    const assignmentId = await assigned(PERSONA.peopleOwner, 'dom_product', { kind: 'steward' });
    const listed = async () =>
      (await ownersOf(admin, '?domainId=dom_product')).find((owner) => owner.assignmentId === assignmentId);
    const assignedAt = Date.parse((await listed())?.assignedAt ?? '');
    const changed = await changeDays(assignmentId, 90);
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...{ assignmentId, attestationDays: 90 },
        attestation: {
          state: 'current',
          dueAt: new Date(assignedAt + 90 * DAY).toISOString(),
          attestedAt: null,
        },
      },
    ]);
    expect(await listed()).toMatchObject(changed.body);
    // The same again is nothing new.
    expect((await changeDays(assignmentId, 90)).text).toBe(changed.text);

    service.clock.advance(20 * DAY);
    admin = await service.signInAs(PERSONA.governanceAdmin);
    expect((await changeDays(assignmentId, 10)).body.attestation.state).toBe('overdue');
    expect((await changeDays(assignmentId, 30)).body.attestation.state).toBe('due');
    const people = await service.signInAs(PERSONA.peopleOwner);
    const { attestedAt } = (await attest(people, assignmentId)).body.attestation;
    expect((await changeDays(assignmentId, 730)).body.attestation).toEqual({
      ...{ state: 'current', attestedAt },
      dueAt: new Date(Date.parse(attestedAt ?? '') + 730 * DAY).toISOString(),
    });
    expect((await changeDays(assignmentId, null)).body).toEqual({
      ...{ assignmentId, attestationDays: null },
      attestation: { state: 'not_required', dueAt: null, attestedAt },
    });
    expect(await listed()).toMatchObject({ attestationDays: null });

    const of = { principalId: PERSONA.peopleOwner, domainId: 'dom_product' };
    const [, first, ...others] = await audited(assignmentId);
    expect(first).toEqual({
      ...{ type: 'owner_attestation_changed', principalId: PERSONA.governanceAdmin },
      target: { kind: 'owner_assignment', id: assignmentId },
      details: { ...of, from: null, to: 90 },
    });
    expect(others.map(({ type, details }) => [type, details.from, details.to])).toEqual([
      ['owner_attestation_changed', 90, 10],
      ['owner_attestation_changed', 10, 30],
      ['owner_attested', undefined, undefined],
      ['owner_attestation_changed', 30, 730],
      ['owner_attestation_changed', 730, null],
    ]);
  });

  test('takes 1 to 730 days or none, and nothing else', async () => {
    const before = await ownersOf(admin);
    for (const odd of [0, 731, 1.5, '30', undefined])
      expect((await changeDays('own_seed_0', odd)).status, `${odd}`).toBe(400);
    expect((await admin.patch(`${OWNERS}/own_seed_0`, { attestationDays: 30, kind: 'owner' })).status).toBe(
      400,
    );
    expect(await ownersOf(admin)).toEqual(before);
  });

  test('needs an assignment of the tenant that has not ended', async () => {
    const assignmentId = await assigned(PERSONA.financeOwner, 'dom_legal', { kind: 'steward' });
    const there = await service.signInAs(inOther(PERSONA.governanceAdmin));
    expect((await changeDays(assignmentId, 30, there)).status).toBe(404);
    await end(assignmentId);
    expect((await changeDays(assignmentId, 30)).status).toBe(404);
    expect((await changeDays('own_unknown', 30)).status).toBe(404);
    expect((await audited(assignmentId)).map(({ type }) => type)).toEqual([
      'owner_assigned',
      'owner_assignment_ended',
    ]);
  });
});

describe('suggestions', () => {
  type Suggestion = {
    principalId: string | null;
    directoryId: string | null;
    displayName: string;
    score: number;
    holdsRole: boolean;
    currentKinds: string[];
    reasons: { kind: string; text: string; count: number }[];
  };
  const suggestionsFor = (domainId: string) =>
    admin.get<{ items: Suggestion[]; truncated: boolean; note: string | null }>(
      `/api/governance/owner-suggestions?domainId=${domainId}`,
    );

  beforeAll(async () => {
    admin = await service.signInAs(PERSONA.governanceAdmin);
    const mine = Array.from({ length: 4 }, (_, at) => ({ assetId: `ast_pay_${at}`, said: [payroll()] }));
    await storeScanned(database.db, DEV, [...mine, { assetId: 'ast_gone', said: [payroll()] }]);
    const people = await service.signInAs(PERSONA.peopleOwner);
    const { body } = await people.get<{ items: { candidateId: string; assetId: string }[] }>(
      '/api/review/queue',
    );
    const asked = body.items.find(({ assetId }) => assetId === 'ast_pay_0');
    expect(
      (await people.post(`/api/review/candidates/${asked?.candidateId}/decision`, { decision: 'mine' }))
        .status,
    ).toBe(200);
    await database.inspect(sql`
      update assets set modified_by = 'noor.haddad@nordwind.example' where asset_id like 'ast_pay_%'`);
    await database.inspect(sql`
      update assets set modified_by = 'gone@nordwind.example', status = 'deleted' where asset_id = 'ast_gone'`);
    const grant = (principal: string, more: object = {}) => ({
      ...{ principal, principalKind: 'user', external: false, role: 'write', inherited: false },
      ...more,
    });
    const grants = [
      grant('Sofia Marchetti'),
      grant('Sofia Marchetti', { role: 'owner' }),
      grant('Clerk, A.'),
      grant('reader@nordwind.example', { role: 'read' }),
      grant('guest@partner.example', { external: true }),
      grant('HR Members', { principalKind: 'group' }),
    ];
    await database.inspect(sql`
      update assets set grants = ${sql.json(grants)}::jsonb where asset_id in ('ast_pay_1', 'ast_pay_2')`);
    // One of so many says nothing.
    const crowd = Array.from({ length: 101 }, (_, at) => grant(`crowd ${at}`));
    await database.inspect(
      sql`update assets set grants = ${sql.json(crowd)}::jsonb where asset_id = 'ast_pay_3'`,
    );
  });

  test('rank the people by the evidence for them, then whom only the source knows', async () => {
    const { status, body } = await suggestionsFor('dom_human_resources');
    expect([status, body.truncated, body.note]).toEqual([200, false, null]);
    const reasonsOf = (name: string) =>
      body.items
        .find(({ displayName }) => displayName === name)
        ?.reasons.map(({ kind, count }) => `${kind} ${count}`);
    expect(body.items[0]).toMatchObject({
      ...{ principalId: PERSONA.peopleOwner, displayName: 'Lena Vogel', holdsRole: true },
      currentKinds: ['owner'],
    });
    expect(reasonsOf('Lena Vogel')).toEqual(['decided 1', expect.stringMatching(/^profile [1-9]/)]);
    expect(reasonsOf('Noor Haddad')).toEqual(['modified 4']);
    expect(body.items.find(({ displayName }) => displayName === 'Noor Haddad')).toMatchObject({
      ...{ principalId: PERSONA.nobody, holdsRole: false, currentKinds: [] },
      reasons: [
        {
          text: 'Changed last 1 of 1 confirmed and 3 of 3 inferred assets; taken for this person by account name.',
        },
      ],
    });
    expect(reasonsOf('Sofia Marchetti')).toContain('access 2');
    expect(reasonsOf('Paula Garcia')).toEqual(['manager 1']);
    const strangers = body.items.filter(
      ({ principalId, directoryId }) => (principalId ?? directoryId) === null,
    );
    expect(strangers).toMatchObject([
      { displayName: 'Clerk, A.', holdsRole: false, reasons: [{ kind: 'access', count: 2 }] },
    ]);
    expect((await suggestionsFor('dom_human_resources')).body).toEqual(body);
  });

  test('of a domain without assets go by titles and departments', async () => {
    const { body } = await suggestionsFor('dom_information_security');
    expect(body.items[0]).toMatchObject({
      displayName: 'Yuki Tanaka',
      reasons: [{ kind: 'profile' }],
    });
    expect(body.items.every(({ principalId }) => principalId !== null)).toBe(true);
  });

  test('name nobody for whom nothing speaks, and say so where that is everybody', async () => {
    const of = async (name: string) => {
      const { id } = (await admin.post<{ id: string }>('/api/governance/domains', { name })).body;
      return (await suggestionsFor(id)).body;
    };
    expect(await of('Zeppelin Hangars')).toEqual({
      ...{ items: [], truncated: false },
      note: expect.stringContaining('Nothing speaks for anybody'),
    });
    const some = await of('Payroll Hangars');
    for (const { score, reasons } of [...some.items, ...(await suggestionsFor('dom_finance')).body.items]) {
      expect(score).toBeGreaterThan(0);
      expect(reasons).not.toEqual([]);
    }
    const people = await database.inspect(sql`select from principals where tenant_id = ${DEV}`);
    expect(some.items.length).toBeLessThan(people.length);
  });

  test('need a domain that there is', async () => {
    expect((await suggestionsFor('dom_unknown')).status).toBe(404);
    expect((await admin.get('/api/governance/owner-suggestions')).status).toBe(400);
  });
});
