import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../core/auth/session.sql.ts';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import type { SignedIn } from '../support/client.ts';
import { governedPeople, type Listed, type People, PRINCIPALS } from '../support/governed-people.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { scriptedSignIn } from '../support/scripted-sign-in.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';

const HOUR = 3_600_000;

let people: People;
let admin: SignedIn;

beforeAll(async () => {
  people = await governedPeople();
});
afterAll(() => people.close());
beforeEach(async () => {
  admin = await people.enter(PERSONA.platformAdmin);
});

let count = 0;
const newSubject = () => `invited-${++count}`;
type Invitation = { code: string; expiresAt: string };

async function invite(roles: readonly string[] = ['auditor']) {
  const { principalId, invitation } = await people.register({ displayName: 'Invited', invite: true, roles });
  return { principalId, ...(invitation ?? expect.unreachable('no invitation')) };
}
const inviteAgain = (principalId: string) =>
  admin.post<Invitation>(`${PRINCIPALS}/${principalId}/invitation`);
const identityOf = async (principalId: string) => {
  const { body } = await admin.get<Listed>(PRINCIPALS);
  return body.items.find((each) => each.principalId === principalId)?.identity;
};
const use = (code: string, sub = newSubject()) => people.signIn({ sub }, { code });

async function expectRefused(answer: Awaited<ReturnType<typeof use>>, status: number, title: string) {
  expect({ status: answer.status, person: answer.person }).toEqual({ status, person: null });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.body).toContain(`<h1>${title}</h1>`);
}
const expectInvalid = async (answer: Awaited<ReturnType<typeof use>>) =>
  expectRefused(answer, 403, 'This code is not valid any more');

describe('an invitation', () => {
  test('binds whoever signs in with it to the person, with their roles', async () => {
    const { principalId, code, expiresAt } = await invite();
    expect(await identityOf(principalId)).toBe('invited');
    const inHours = (Date.parse(expiresAt) - people.service.clock.now()) / HOUR;
    expect(Math.abs(inHours - 72)).toBeLessThan(0.1);
    const subject = newSubject();
    const { status, person } = await use(code, subject);
    expect([status, person?.principalId]).toEqual([302, principalId]);
    expect((await person?.get('/api/auth/me'))?.body).toMatchObject({ roles: ['auditor'] });
    expect(await identityOf(principalId)).toBe('bound');
    // From then on they sign in without it.
    expect((await people.signIn({ sub: subject })).person?.principalId).toBe(principalId);
    expect((await people.auditOf(principalId)).map(([type, actor]) => [type, actor])).toEqual([
      ['principal_registered', PERSONA.platformAdmin],
      ['role_granted', PERSONA.platformAdmin],
      ['principal_invited', PERSONA.platformAdmin],
      ['identity_bound', principalId],
      ['idp_login', principalId],
      ['idp_login', principalId],
    ]);
  });

  test('shows the name that the provider has for them', async () => {
    const { principalId, code } = await invite();
    await people.signIn({ sub: newSubject(), name: 'Grace Hopper', email: 'grace@mail.test' }, { code });
    const { body } = await admin.get<Listed>(`${PRINCIPALS}?q=grace@mail.test`);
    expect(body.items).toMatchObject([{ principalId, displayName: 'Grace Hopper' }]);
  });

  test('counts once, for anybody', async () => {
    const { principalId, code } = await invite();
    const subject = newSubject();
    await use(code, subject);
    await expectInvalid(await use(code, 'second-user'));
    await expectInvalid(await use(code, subject));
    const rows = await people.database.inspect(sql`
      select idp_subject as subject from principals
       where principal_id = ${principalId} or idp_subject = 'second-user'`);
    expect(rows).toEqual([{ subject }]);
  });

  test('counts once of two sign-ins at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { principalId, code } = await invite();
      const both = await Promise.all([use(code), use(code)]);
      expect(both.map(({ status }) => status).sort()).toEqual([302, 403]);
      const entered = both.flatMap(({ person }) => (person === null ? [] : [person.principalId]));
      expect(entered).toEqual([principalId]);
    }
  });

  test('holds for 72 hours, and not a minute longer', async () => {
    const [first, second] = [await invite(), await invite()];
    people.service.clock.advance(72 * HOUR - 60_000);
    expect((await use(first.code)).person?.principalId).toBe(first.principalId);
    people.service.clock.advance(60_000);
    await expectInvalid(await use(second.code));
    admin = await people.enter(PERSONA.platformAdmin);
    expect(await identityOf(second.principalId)).toBe('none');
    const again = await inviteAgain(second.principalId);
    expect((await use(again.body.code)).person?.principalId).toBe(second.principalId);
  });

  test('ends when another one is made', async () => {
    const { principalId, code } = await invite();
    const again = await inviteAgain(principalId);
    expect(again.status).toBe(200);
    expect(again.body.code).not.toBe(code);
    await expectInvalid(await use(code));
    expect((await use(again.body.code)).person?.principalId).toBe(principalId);
    const types = (await people.auditOf(principalId)).map(([type]) => type);
    expect(types.filter((type) => type === 'principal_invited')).toHaveLength(2);
  });

  test('is one of several that are made at the same moment', async () => {
    const { principalId } = await invite();
    const made = await Promise.all(Array.from({ length: 5 }, () => inviteAgain(principalId)));
    const open = await people.database.inspect(sql`
      select from sign_in_codes where principal_id = ${principalId} and used_at is null`);
    expect(open).toHaveLength(1);
    const answers = [];
    for (const { body } of made) answers.push((await use(body.code)).status);
    expect(answers.sort()).toEqual([302, 403, 403, 403, 403]);
  });

  test('tells who is known already so, and stays for the person who is meant', async () => {
    const { principalId, code } = await invite();
    const known = newSubject();
    await use((await invite()).code, known);
    await expectRefused(await use(code, known), 409, 'You are known here already');
    expect(await identityOf(principalId)).toBe('invited');
    expect((await use(code)).person?.principalId).toBe(principalId);
  });

  test('does not part a person whom the directory named from their domains', async () => {
    const { code } = await invite();
    await expectRefused(await use(code, PERSONA.financeOwner), 409, 'You are known here already');
    expect(await identityOf(PERSONA.financeOwner)).toBe('directory');
    const { person } = await people.signIn({ sub: PERSONA.financeOwner });
    expect((await person?.get('/api/auth/me'))?.body).toMatchObject({
      principalId: PERSONA.financeOwner,
      ownedDomains: ['dom_finance'],
    });
  });

  test('of another tenant is not valid', async () => {
    const { principalId, code } = await invite();
    const provider = await startScriptedProvider(people.service.clock.now);
    try {
      await people.database.inspect(
        sql`update tenants set idp_issuer = ${provider.issuer} where tenant_id = ${OTHER}`,
      );
      await people.configure({ SVC_IDP_ISSUER: provider.issuer });
      const signIn = scriptedSignIn(people.service, provider);
      await expectInvalid(await signIn({ sub: 'stranger' }, { code }));
      await expectInvalid(await signIn({ sub: inOther(PERSONA.auditor) }, { code }));
      const { person } = await signIn({ sub: inOther(PERSONA.auditor) });
      expect((await person?.get('/api/auth/me'))?.body).toMatchObject({ tenantId: OTHER });
    } finally {
      await people.configure();
      await provider.close();
    }
    expect(await identityOf(principalId)).toBe('invited');
  });

  test('lets nobody in who is deactivated, or has no role', async () => {
    const left = await invite();
    await admin.post(`${PRINCIPALS}/${left.principalId}/deactivate`);
    await expectRefused(await use(left.code), 403, 'Your access has been deactivated');
    const { principalId, code } = await invite([]);
    const subject = newSubject();
    await expectRefused(await use(code, subject), 403, 'You have no access to this service');
    const roles = { body: { roles: ['auditor'] } };
    await admin.request('PUT', `${PRINCIPALS}/${principalId}/roles`, roles);
    expect((await people.signIn({ sub: subject })).person?.principalId).toBe(principalId);
  });

  test('is refused for who is bound, and for an application', async () => {
    const bound = await people.register({ subject: newSubject() });
    const service = await people.register({ kind: 'service', subject: newSubject() });
    for (const { principalId } of [bound, service])
      expect(await inviteAgain(principalId)).toMatchObject({ status: 409, body: { error: 'conflict' } });
  });

  test('may be for a person whom the directory named, and keeps their domains', async () => {
    const again = await inviteAgain('pri_agnes_lindqvist');
    const { person } = await use(again.body.code);
    expect((await person?.get('/api/auth/me'))?.body).toMatchObject({
      principalId: 'pri_agnes_lindqvist',
      ownedDomains: ['dom_health_and_safety'],
    });
  });
});

test('a code that nobody made is not valid, and makes nobody known', async () => {
  const sub = newSubject();
  for (const code of ['x', 'A'.repeat(27), 'A'.repeat(128), "' or true --"])
    await expectInvalid(
      await people.signIn({ sub, roles: ['auditors'] }, { code: encodeURIComponent(code) }),
    );
  expect((await people.service.anonymous.get(`/api/auth/idp/login?code=${'A'.repeat(129)}`)).status).toBe(
    400,
  );
  const rows = await people.database.inspect(sql`select from principals where idp_subject = ${sub}`);
  expect(rows).toEqual([]);
});

test('a setup code makes one administrator, of two sign-ins at the same moment', async () => {
  const code = 'setup-code-of-the-test';
  const at = new Date(people.service.clock.now());
  await people.database.inspect(sql`
    insert into sign_in_codes (code_hash, tenant_id, created_at, expires_at)
    values (${sha256(code)}, ${DEV}, ${at}, ${new Date(at.getTime() + HOUR)})`);
  const answers = await withClient(people.database.adminUrl, async (locker) => {
    await locker.query('begin');
    await locker.query('select from sign_in_codes where code_hash = $1 for update', [sha256(code)]);
    const both = [use(code), use(code)];
    await expect.poll(() => lockWaits(people.database)).toBe(2);
    await locker.query('commit');
    return Promise.all(both);
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([302, 403]);
  const made = answers.flatMap(({ person }) => (person === null ? [] : [person.principalId]));
  const { body } = await admin.get<Listed>(`${PRINCIPALS}?role=platform_admin`);
  const admins = body.items.map(({ principalId }) => principalId);
  expect(admins.sort()).toEqual([PERSONA.platformAdmin, ...made].sort());
});

test('the database keeps no code', async () => {
  const { code } = await invite();
  const [{ kept } = { kept: '' }] = await people.database.inspect<{ kept: string }>(sql`
    select string_agg(c::text || encode(c.code_hash, 'escape'), ' ') as kept from sign_in_codes c
     where tenant_id = ${DEV}`);
  expect(kept.length).toBeGreaterThan(100);
  for (const text of [code, Buffer.from(code).toString('hex')]) expect(kept).not.toContain(text);
});
