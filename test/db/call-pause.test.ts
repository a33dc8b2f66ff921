import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { sharedPause } from '../../core/integrations/call-pause.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('the longest pause of all processes is shared, for one tenant of the source', async () => {
  const [a, b] = [sharedPause(database.db, 'm365:paused'), sharedPause(database.db, 'm365:paused')];
  expect(await b.leftMs()).toBe(0);
  await Promise.all([a.extend(60_000), b.extend(9_000)]);
  const leftMs = await b.leftMs();
  expect(leftMs).toBeLessThanOrEqual(60_000);
  expect(leftMs).toBeGreaterThan(40_000);
  expect(await sharedPause(database.db, 'm365:other').leftMs()).toBe(0);
});

test('a pause that is over is none', async () => {
  await database.inspect(
    sql`insert into call_budgets (budget, paused_until) values ('m365:over', now() - interval '1 second')`,
  );
  expect(await sharedPause(database.db, 'm365:over').leftMs()).toBe(0);
});

test('hosts of the release before write their state beside it', async () => {
  await database.inspect(sql`insert into call_budgets (budget, state) values ('m365:both', '{"limit":4}')`);
  const pause = sharedPause(database.db, 'm365:both');
  expect(await pause.leftMs()).toBe(0);
  await pause.extend(60_000);
  expect(await pause.leftMs()).toBeGreaterThan(40_000);
  expect(await database.inspect(sql`select state from call_budgets where budget = 'm365:both'`)).toEqual([
    { state: { limit: 4 } },
  ]);
});
