import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import type { SignedIn } from '../support/client.ts';
import { governedPeople, type Listed, type People, PRINCIPALS } from '../support/governed-people.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, PERSONA } from '../support/seed.ts';

const FIRST = PERSONA.platformAdmin;
const SECOND = PERSONA.secondGovernanceAdmin;

let people: People;
let auditor: SignedIn;
let admins: { [FIRST]: SignedIn; [SECOND]: SignedIn };

beforeAll(async () => {
  people = await governedPeople();
  auditor = await people.enter(PERSONA.auditor);
});
afterAll(() => people.close());
beforeEach(async () => {
  await people.database.inspect(sql`update principals set status = 'active' where tenant_id = ${DEV}`);
  await grantAdmin(FIRST, SECOND);
  await people.database.inspect(sql`
    delete from principal_roles
     where role = 'platform_admin' and tenant_id = ${DEV} and principal_id <> all(${[FIRST, SECOND]}::text[])`);
  admins = { [FIRST]: await people.enter(FIRST), [SECOND]: await people.enter(SECOND) };
  expect(await active()).toEqual([FIRST, SECOND].sort());
});

const grantAdmin = (...ids: string[]) =>
  people.database.inspect(sql`
    insert into principal_roles (tenant_id, principal_id, role)
    select ${DEV}, id, 'platform_admin' from unnest(${ids}::text[]) as id on conflict do nothing`);
const active = async () => {
  const { body } = await auditor.get<Listed>(`${PRINCIPALS}?role=platform_admin&status=active`);
  return body.items.map(({ principalId }) => principalId).sort();
};
const put = (who: SignedIn, id: string, roles: readonly string[]) =>
  who.request('PUT', `${PRINCIPALS}/${id}/roles`, { body: { roles } });

const REMOVALS = {
  'takes the role': (who: SignedIn, id: string) => put(who, id, []),
  deactivates: (who: SignedIn, id: string) => who.post(`${PRINCIPALS}/${id}/deactivate`),
} as const;
const WAYS = ['takes the role', 'deactivates'] as const;
const PAIRS = WAYS.flatMap((one) => WAYS.map((other) => ({ one, other })));
const removeEachOther = ({ one, other }: (typeof PAIRS)[number]) => [
  REMOVALS[one](admins[FIRST], SECOND),
  REMOVALS[other](admins[SECOND], FIRST),
];

test.each(PAIRS)('one of two stays, if one $one and the other $other', async (pair) => {
  const answers = await withClient(people.database.adminUrl, async (locker) => {
    await locker.query('begin');
    // Whoever removes an administrator waits for this, when the request has long been permitted.
    await locker.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`platform_admin ${DEV}`]);
    const both = removeEachOther(pair);
    await expect.poll(() => lockWaits(people.database)).toBe(2);
    await locker.query('commit');
    return Promise.all(both);
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('at least one active platform administrator'),
  });
  expect(await active()).toHaveLength(1);
  const refused = await people.database.inspect(sql`
    select from audit_events where tenant_id = ${DEV} and record::jsonb #>> '{event,correlationId}' = any(${answers
      .filter(({ status }) => status === 409)
      .map(({ headers }) => headers.get('x-svc-correlation') ?? '')}::text[])`);
  // What did not happen is not in the trail.
  expect(refused).toEqual([]);
});

test('one of two stays, however often they remove each other at the same time', async () => {
  for (let round = 0; round < 24; round++) {
    const answers = await Promise.all(removeEachOther(PAIRS[round % PAIRS.length] ?? expect.unreachable()));
    // Who comes late is an administrator no more, or not signed in any more.
    const [done, refused = 0] = answers.map(({ status }) => status).sort();
    expect([done, [401, 403, 409].includes(refused)]).toEqual([200, true]);
    const [left, ...more] = await active();
    expect(more).toEqual([]);
    const [stayed, gone] = left === FIRST ? ([FIRST, SECOND] as const) : ([SECOND, FIRST] as const);
    expect((await admins[stayed].post(`${PRINCIPALS}/${gone}/reactivate`)).status).toBe(200);
    expect((await put(admins[stayed], gone, ['platform_admin'])).status).toBe(200);
    admins[gone] = await people.enter(gone);
  }
});

test('somebody stays of three who remove each other in a circle', async () => {
  const third = await people.enter(PERSONA.approver);
  for (let round = 0; round < 8; round++) {
    await grantAdmin(FIRST, SECOND, PERSONA.approver);
    await Promise.all([
      put(admins[FIRST], SECOND, []),
      put(admins[SECOND], PERSONA.approver, []),
      put(third, FIRST, []),
    ]);
    expect(await active()).not.toEqual([]);
  }
});

test('an application does not count as one, nor does who is deactivated', async () => {
  const bot = { kind: 'service', displayName: 'Bot', subject: 'bot', roles: ['platform_admin'] };
  const { principalId } = await people.register(bot);
  const admin = admins[FIRST];
  await admin.post(`${PRINCIPALS}/${SECOND}/deactivate`);
  for (const removal of [
    sql`delete from principal_roles where principal_id = ${FIRST} and role = 'platform_admin'`,
    sql`update principals set status = 'disabled' where principal_id = ${FIRST}`,
  ])
    await expect(people.database.inspect(removal)).rejects.toMatchObject({
      constraint: 'platform_admin_kept',
    });
  // Nor is either of them needed.
  expect((await put(admin, principalId, [])).status).toBe(200);
  expect((await put(admin, SECOND, [])).status).toBe(200);
});
