import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NotFoundTrace } from '../../core/audit/not-found-trace.ts';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);
const PEOPLE = [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor];
const ENDPOINTS = ['assets-get', 'scans-get'];

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
});
afterAll(() => database.drop());
beforeEach(() => database.inspect(sql`delete from not_found_counts`));

const answer = (principalId: string, endpoint: string, correlationId: string, now = NOON) => ({
  source: { tenantId: DEV, principalId: principalId as PrincipalId, correlationId, now },
  endpoint,
  method: 'GET',
  route: `/api/${endpoint}`,
});
type Event = { principalId: string; correlationId: string; details: { route: string; count: number } };
const events = async (prefix: string): Promise<Event[]> => {
  const rows = await database.inspect<{ event: Event }>(sql`
    select record::jsonb -> 'event' as event from audit_events order by seq`);
  return rows.map(({ event }) => event).filter(({ correlationId }) => correlationId.startsWith(prefix));
};

test('counts are exact and each event comes once, in whatever processes people ask', async () => {
  const processes = [1, 2, 3].map(() => new NotFoundTrace(database.db));
  const asked = Array.from({ length: 1_200 }, (_, n) => n);
  await Promise.all(
    asked.map((n) =>
      processes[n % 3]?.note(
        answer(PEOPLE[n % PEOPLE.length] ?? '', ENDPOINTS[Math.floor(n / 3) % 2] ?? '', `all-${n}`),
      ),
    ),
  );
  const rows = await database.inspect(
    sql`select principal_id, endpoint, count from not_found_counts order by principal_id, endpoint`,
  );
  const each = [...PEOPLE]
    .sort()
    .flatMap((principalId) => ENDPOINTS.map((endpoint) => [principalId, endpoint]));
  expect(rows).toEqual(each.map(([principal_id, endpoint]) => ({ principal_id, endpoint, count: 200 })));

  const told = (await events('all-')).map(
    ({ principalId, details }) => `${principalId} ${details.route} ${details.count}`,
  );
  const expected = each.flatMap(([principalId, endpoint]) =>
    [1, 10, 100].map((count) => `${principalId} /api/${endpoint} ${count}`),
  );
  expect(told.toSorted()).toEqual(expected.toSorted());
  const report = await withTx(database.db, { tenantId: DEV, mode: 'read' }, (tx) => verifyChain(tx));
  expect(report.firstBreak).toBeNull();
});

test('each event is of the request that it counts, though all share a commit', async () => {
  const trace = new NotFoundTrace(database.db);
  await Promise.all(
    Array.from({ length: 101 }, (_, n) => trace.note(answer(PERSONA.auditor, 'scans-get', `group-${n + 1}`))),
  );
  const told = (await events('group-')).map(({ correlationId, details }) => [correlationId, details.count]);
  expect(told).toEqual([
    ['group-1', 1],
    ['group-10', 10],
    ['group-100', 100],
  ]);
  const [commits] = await database.inspect(sql`
    select count(distinct xmin::text)::int as count from audit_events where record like '%"group-%'`);
  // The first goes alone; all others came meanwhile.
  expect(commits).toEqual({ count: 2 });
});

test('a window lasts an hour, and no clock that is behind begins one', async () => {
  const trace = new NotFoundTrace(database.db);
  const row = async () => {
    const [found] = await database.inspect<{ window_start: Date; count: number }>(
      sql`select window_start, count from not_found_counts`,
    );
    return [found?.window_start.getTime(), found?.count];
  };
  const note = (now: number) => trace.note(answer(PERSONA.auditor, 'scans-get', 'window', now));
  await note(NOON);
  await note(NOON + 60 * MINUTE - 1);
  await note(NOON - MINUTE);
  expect(await row()).toEqual([NOON, 3]);
  await note(NOON + 60 * MINUTE);
  expect(await row()).toEqual([NOON + 60 * MINUTE, 1]);
  await note(NOON + 59 * MINUTE);
  expect(await row()).toEqual([NOON + 60 * MINUTE, 2]);
  expect((await events('window')).map(({ details }) => details.count)).toEqual([1, 1]);
});

test('what cannot be stored leaves neither count nor event', async () => {
  const trace = new NotFoundTrace(database.db);
  await expect(trace.note(answer('pri_gone', 'scans-get', 'gone'))).rejects.toThrow(/foreign key/);
  await trace.note(answer(PERSONA.auditor, 'scans-get', 'there'));
  expect(await events('gone')).toEqual([]);
  expect(await database.inspect(sql`select principal_id, count from not_found_counts`)).toEqual([
    { principal_id: PERSONA.auditor, count: 1 },
  ]);
});
