import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { SignedIn } from '../support/client.ts';
import { governedPeople, type People, PRINCIPALS } from '../support/governed-people.ts';
import { DEV, PERSONA } from '../support/seed.ts';

const SESSIONS = '/api/auth/sessions';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:126.0) Gecko/20100101 Firefox/126.0';
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/125.0.6422.60 Safari/537.36';

type Session = {
  sessionId: string;
  client: string;
  startedAt: string;
  lastUsedAt: string;
  expiresAt: string;
  isCurrent: boolean;
};
type Listed = { items: Session[]; truncated: boolean };

let people: People;

beforeAll(async () => {
  people = await governedPeople();
});
afterAll(() => people.close());

let count = 0;
/** Somebody whom no other test signs in. */
async function newPerson() {
  const subject = `of-sessions-${++count}`;
  const { principalId } = await people.register({ subject, roles: ['auditor'] });
  const enter = (userAgent?: string) => people.enter(subject, userAgent);
  return { principalId, enter };
}
const list = async (who: SignedIn) => {
  const { status, body } = await who.get<Listed>(SESSIONS);
  expect(status).toBe(200);
  return body.items;
};
const currentOf = async (who: SignedIn) =>
  (await list(who)).find(({ isCurrent }) => isCurrent) ?? expect.unreachable('no current session');
const end = (who: SignedIn, sessionId: string) => who.request('DELETE', `${SESSIONS}/${sessionId}`);
const isSignedIn = async (who: SignedIn) => (await who.get('/api/auth/me')).status === 200;
const signedIn = (...all: SignedIn[]) => Promise.all(all.map(isSignedIn));
const now = () => people.service.clock.now();

describe('the list', () => {
  test('tells of each session its client and its times, and which one asks', async () => {
    const { enter } = await newPerson();
    const before = now();
    const [one, two] = [await enter(FIREFOX), await enter(CHROME)];
    for (const [who, client] of [
      [one, 'Firefox on Windows'],
      [two, 'Chrome on Linux'],
    ] as const) {
      const items = await list(who);
      expect(items.map((each) => each.client).sort()).toEqual(['Chrome on Linux', 'Firefox on Windows']);
      expect(items.filter(({ isCurrent }) => isCurrent).map((each) => each.client)).toEqual([client]);
    }
    const current = await currentOf(one);
    // These fields and no others: neither an address nor anything that would open the session.
    expect(current).toEqual({
      ...{
        sessionId: expect.stringMatching(/^ses_[0-9a-z]+$/),
        client: 'Firefox on Windows',
        authMode: 'idp',
      },
      ...{ startedAt: expect.any(String), lastUsedAt: current.startedAt, expiresAt: expect.any(String) },
      isCurrent: true,
    });
    const startedAt = Date.parse(current.startedAt);
    expect(startedAt).toBeGreaterThanOrEqual(before);
    expect(startedAt).toBeLessThanOrEqual(now());
    expect(Date.parse(current.expiresAt) - startedAt).toBe(12 * HOUR);
  });

  test('has the last used first, and moves with each use', async () => {
    const { enter } = await newPerson();
    const [one, two] = [await enter(FIREFOX), await enter(CHROME)];
    expect((await list(two))[0]?.client).toBe('Chrome on Linux');
    people.service.clock.advance(10 * MINUTE);
    const used = now();
    const items = await list(one);
    expect(items[0]).toMatchObject({ client: 'Firefox on Windows', isCurrent: true });
    expect(Date.parse(items[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(used);
    expect(Date.parse(items[1]?.lastUsedAt ?? '')).toBeLessThan(used);
  });

  test('leaves out sessions that have ended, in any way', async () => {
    const { enter } = await newPerson();
    const [idle, kept, out] = [await enter('idle'), await enter('kept'), await enter('out')];
    await out.post('/api/auth/logout');
    expect(await list(kept)).toHaveLength(2);
    people.service.clock.advance(40 * MINUTE);
    expect(await isSignedIn(kept)).toBe(true);
    people.service.clock.advance(30 * MINUTE);
    expect(await list(kept)).toHaveLength(1);
    expect(await isSignedIn(idle)).toBe(false);
  });

  test("has nobody else's, of this tenant or another", async () => {
    const [ada, grace] = [await newPerson(), await newPerson()];
    const [hers, theirs] = [await ada.enter(), await grace.enter()];
    expect((await list(hers)).map(({ sessionId }) => sessionId)).toEqual([(await currentOf(hers)).sessionId]);
    expect(await list(theirs)).toHaveLength(1);
    expect((await people.service.anonymous.get(SESSIONS)).status).toBe(401);
    expect((await hers.get(`${SESSIONS}?principalId=${theirs.principalId}`)).status).toBe(400);
  });

  test('stops at 100 and says so', async () => {
    const { principalId, enter } = await newPerson();
    const who = await enter();
    await people.database.inspect(sql`
      insert into sessions (session_hash, tenant_id, principal_id, auth_mode, csrf_token, created_at, last_seen_at,
                            expires_at)
      select sha256(('many ' || n)::bytea), ${DEV}, ${principalId}, 'idp', 'token', at, at, at + interval '1 hour'
        from generate_series(1, 100) n, (select ${new Date(now() - MINUTE)}::timestamptz as at) t`);
    const { body } = await who.get<Listed>(SESSIONS);
    expect([body.items.length, body.truncated]).toEqual([100, true]);
    expect(body.items[0]?.isCurrent).toBe(true);
    expect((await who.request('DELETE', SESSIONS)).body).toEqual({ ended: 100 });
    expect((await who.get<Listed>(SESSIONS)).body).toMatchObject({ truncated: false, items: [{}] });
  });
});

describe('the client', () => {
  test.each([
    [FIREFOX, 'Firefox on Windows'],
    [CHROME, 'Chrome on Linux'],
    ['curl/8.7.1', 'curl'],
    ['<script>alert(1)</script>', 'Other client'],
    [`Mozilla/5.0 ${'x'.repeat(4_000)} Firefox/1`, 'Other client'],
  ])('of %.40j is coarse', async (userAgent, client) => {
    const { enter } = await newPerson();
    expect(await currentOf(await enter(userAgent))).toMatchObject({ client });
  });

  test('is all that is stored: no address and no version', async () => {
    const who = await (await newPerson()).enter(`${CHROME} Device/canary-7`);
    await who.get('/api/auth/me', { 'x-forwarded-for': '203.0.113.77', 'x-real-ip': '203.0.113.78' });
    const rows = await people.database.inspect(sql`select * from sessions`);
    const columns = Object.keys(rows[0] ?? {}).sort();
    expect(columns).toEqual(
      [
        ...['auth_mode', 'client', 'created_at', 'csrf_token', 'expires_at', 'last_seen_at', 'principal_id'],
        ...['revoked_at', 'session_hash', 'session_id', 'tenant_id'],
      ].sort(),
    );
    const audit = await people.database.inspect(sql`select record from audit_events`);
    const everything = JSON.stringify([rows, audit, people.service.logs]);
    for (const word of ['canary', '203.0.113', '127.0.0.1', '125.0.6422'])
      expect(everything, word).not.toContain(word);
  });
});

describe('one session', () => {
  test('of your own ends at once, and once', async () => {
    const { enter } = await newPerson();
    const [one, two, three] = [await enter(), await enter(), await enter()];
    const { sessionId } = await currentOf(two);
    const answer = await end(one, sessionId);
    expect([answer.status, answer.body, answer.cookies]).toEqual([200, { ok: true }, []]);
    expect(await signedIn(one, two, three)).toEqual([true, false, true]);
    expect((await end(one, sessionId)).status).toBe(404);
    expect(await people.auditOf(sessionId)).toEqual([['session_ended', one.principalId, {}]]);
  });

  test('that asks ends with its cookie', async () => {
    const { enter } = await newPerson();
    const [one, two] = [await enter(), await enter()];
    const answer = await end(one, (await currentOf(one)).sessionId);
    expect(answer.status).toBe(200);
    expect(answer.cookies).toEqual([expect.stringMatching(/^svc_session=;/)]);
    expect(await signedIn(one, two)).toEqual([false, true]);
  });

  test('of somebody else does not exist, whoever asks', async () => {
    const victim = await (await newPerson()).enter();
    const { sessionId } = await currentOf(victim);
    const others = [await (await newPerson()).enter(), await people.enter(PERSONA.platformAdmin)];
    for (const other of others) {
      const refused = await end(other, sessionId);
      expect([refused.status, refused.body]).toMatchObject([404, { error: 'not_found' }]);
    }
    for (const id of ['ses_none', '%20', 'x'.repeat(300)])
      expect((await end(victim, id)).status, id).toBe(404);
    expect(await isSignedIn(victim)).toBe(true);
    expect(await people.auditOf(sessionId)).toEqual([]);
  });

  test('does not end without the CSRF token', async () => {
    const who = await (await newPerson()).enter();
    const { sessionId } = await currentOf(who);
    const forged = people.service.withCookie(who.cookie, 'wrong');
    for (const path of [`${SESSIONS}/${sessionId}`, SESSIONS])
      expect((await forged.request('DELETE', path)).body).toEqual({ error: 'csrf_token_invalid' });
    expect(await isSignedIn(who)).toBe(true);
    expect((await people.service.anonymous.request('DELETE', SESSIONS)).status).toBe(401);
  });

  test('is not opened by its id', async () => {
    const who = await (await newPerson()).enter();
    const { sessionId } = await currentOf(who);
    for (const value of [sessionId, `${sessionId}.${who.cookie.split('.')[1]}`])
      expect(await isSignedIn({ ...who, ...people.service.withCookie(`svc_session=${value}`, '') })).toBe(
        false,
      );
  });
});

describe('all sessions', () => {
  test('but the one that asks end, of this person alone', async () => {
    const [person, bystander] = [await newPerson(), await newPerson()];
    const [one, two, three] = [await person.enter(), await person.enter(), await person.enter()];
    const other = await bystander.enter();
    expect((await two.request('DELETE', SESSIONS)).body).toEqual({ ended: 2 });
    expect(await signedIn(one, two, three, other)).toEqual([false, true, false, true]);
    expect((await two.request('DELETE', SESSIONS)).body).toEqual({ ended: 0 });
    const ended = (await people.auditOf(person.principalId)).filter(([type]) => type === 'sessions_ended');
    expect(ended).toEqual([
      ['sessions_ended', person.principalId, { count: 2 }],
      ['sessions_ended', person.principalId, { count: 0 }],
    ]);
  });

  test('of a person end when an administrator says so, and they may sign in again', async () => {
    const [person, bystander] = [await newPerson(), await newPerson()];
    const [one, two, other] = [await person.enter(), await person.enter(), await bystander.enter()];
    const admin = await people.enter(PERSONA.platformAdmin);
    const path = `${PRINCIPALS}/${person.principalId}/sessions`;
    expect((await other.request('DELETE', path)).status).toBe(403);
    expect((await admin.request('DELETE', path)).body).toEqual({ ended: 2 });
    expect(await signedIn(one, two, other, admin)).toEqual([false, false, true, true]);
    expect(await isSignedIn(await person.enter())).toBe(true);
    const events = (await people.auditOf(person.principalId)).map(([type, actor, details]) => ({
      ...{ type, actor, details },
    }));
    expect(events).toContainEqual({
      ...{ type: 'sessions_ended', actor: PERSONA.platformAdmin, details: { count: 2 } },
    });
  });

  test('of the administrator end too, if they say so of themselves', async () => {
    const admin = await people.enter(PERSONA.platformAdmin);
    const path = `${PRINCIPALS}/${admin.principalId}/sessions`;
    const { status, body } = await admin.request<{ ended: number }>('DELETE', path);
    expect([status, body.ended >= 1]).toEqual([200, true]);
    expect(await isSignedIn(admin)).toBe(false);
  });
});
