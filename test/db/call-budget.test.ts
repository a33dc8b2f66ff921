import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { reportCalls } from '../../core/integrations/call-budget.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const report = (process: string, parts = {}) => ({ process, used: 1, wants: true, refusal: null, ...parts });

test('reports of processes that come at once all count', async () => {
  const tell = reportCalls(database.db, 'm365:at-once');
  const names = Array.from({ length: 8 }, (_, n) => `calls_${n}`);
  await Promise.all(names.map((name) => tell(report(name))));
  const { state } = await tell(report('calls_0'));
  expect(Object.keys(state.members).sort()).toEqual(names);
});

test('a pause is stored by the clock of the database, for one tenant of the source', async () => {
  const tell = reportCalls(database.db, 'm365:paused');
  const { state, now } = await tell(report('a', { refusal: { epoch: 0, retryAfterMs: 9_000 } }));
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  expect(state.pausedUntil - now).toBeCloseTo(9_000, 0);
  const heard = await tell(report('b'));
  expect(heard.state).toMatchObject({ pausedUntil: state.pausedUntil, epoch: 1 });
  const other = await reportCalls(database.db, 'm365:other')(report('a'));
  expect(other.state).toMatchObject({ pausedUntil: 0, epoch: 0 });
});

test('a state of another shape begins again', async () => {
  await database.inspect(sql`insert into call_budgets (budget, state) values ('m365:old', '{"limit":-1}')`);
  const { state } = await reportCalls(database.db, 'm365:old')(report('a'));
  expect([state.limit, state.epoch]).toEqual([4, 0]);
});
