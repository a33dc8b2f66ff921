import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionDetail } from '../../core/actions/action-schema.ts';
import { sql } from '../../core/db/sql.ts';
import { type ActingPeople, expectRefused, startActingPeople } from '../support/acting-people.ts';
import type { SignedIn } from '../support/client.ts';
import { DEV } from '../support/seed.ts';

let p: ActingPeople;
let assetId: string;
beforeAll(async () => {
  p = await startActingPeople();
  assetId = await p.unlabeled(p.owner);
});
afterAll(() => p.close());

const draft = (who: SignedIn, key: string | null, more: object = {}) =>
  who.post<ActionDetail>(
    '/api/actions',
    {
      kind: 'internal_task',
      targetAssetId: assetId,
      justification: 'Somebody has to look at it.',
      taskTitle: 'Look',
      ...more,
    },
    key === null ? {} : { 'Idempotency-Key': key },
  );

/** How many actions there are, and events of them. */
async function counted() {
  const [row] = await p.database.inspect<{ actions: number; events: number }>(sql`
    select (select count(*)::int from actions where tenant_id = ${DEV}) as actions,
           (select count(*)::int from audit_events where tenant_id = ${DEV} and category = 'action') as events`);
  return row;
}

test('the same request with the same key is the same action, as it stands', async () => {
  const first = await draft(p.owner, 'a-key');
  expect(await draft(p.owner, 'a-key')).toMatchObject({ status: 200, body: first.body });
  await p.submit(p.owner, first.body.actionId);
  const before = await counted();
  // What is said of another kind is not kept, so it makes no other request.
  const again = await draft(p.owner, 'a-key', { desiredLabelGuid: 'of no matter' });
  expect(again.body).toMatchObject({ actionId: first.body.actionId, status: 'awaiting_approval' });
  expect(await counted()).toEqual(before);
});

test.each([
  ['title', { taskTitle: 'Look again' }],
  ['note', { taskNote: 'Soon' }],
  ['justification', { justification: 'Somebody else has to look.' }],
  ['kind', { kind: 'sensitivity_label_remove' }],
])('a key that stands for another %s is refused', async (of, more) => {
  const key = `differs-by-${of}`;
  await draft(p.owner, key);
  const before = await counted();
  expectRefused(await draft(p.owner, key, more), 409, 'conflict');
  expect(await counted()).toEqual(before);
});

test('requests at once with one key draft once', async () => {
  const before = await counted();
  const answers = await Promise.all(Array.from({ length: 12 }, () => draft(p.owner, 'at-once')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.actionId)).size).toBe(1);
  const after = await counted();
  expect([after?.actions, after?.events]).toEqual([(before?.actions ?? 0) + 1, (before?.events ?? 0) + 1]);
});

test('without a key, and with those of two people, each request is an action', async () => {
  const answers = [
    await draft(p.owner, null),
    await draft(p.owner, null),
    await draft(p.owner, 'shared'),
    await draft(await p.colleague('pri_shares_key', assetId), 'shared'),
  ];
  expect(new Set(answers.map(({ body }) => body.actionId)).size).toBe(4);
});

test('a key shows no action to who lost the domain since', async () => {
  const who = 'pri_keeps_key';
  const caller = await p.colleague(who, assetId);
  expect((await draft(caller, 'kept')).status).toBe(200);
  await p.database.inspect(sql`update owner_assignments set ended_at = now() where principal_id = ${who}`);
  expectRefused(await draft(caller, 'kept'), 404, 'not_found');
});

test('a refused request leaves its key free', async () => {
  expectRefused(await draft(p.owner, 'tried', { taskTitle: '' }), 400, 'validation_failed');
  expectRefused(await draft(p.owner, 'tried', { targetAssetId: 'ast_none' }), 404, 'not_found');
  expect((await draft(p.owner, 'tried')).status).toBe(200);
});

test.each([
  ['empty', ''],
  ['two words', 'a key'],
  ['129 characters', 'k'.repeat(129)],
  ['a letter beyond ASCII', 'kéy'],
])('a key of %s is refused', async (_, key) => {
  const before = await counted();
  const answer = await draft(p.owner, key);
  expect(answer).toMatchObject({
    status: 400,
    body: { error: 'validation_failed', issues: [{ path: 'Idempotency-Key' }] },
  });
  expect(await counted()).toEqual(before);
});

test('a key may have 128 characters of any visible kind', async () => {
  const key = '"!~,;'.padEnd(128, 'k');
  const { actionId } = (await draft(p.owner, key)).body;
  expect((await draft(p.owner, key)).body.actionId).toBe(actionId);
});
