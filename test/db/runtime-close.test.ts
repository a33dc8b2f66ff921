import type * as Timers from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { compose } from '../../core/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** The Functions host kills its worker this long after it asked the worker to end. */
const KILLED_AFTER_MS = 5_000;

const waits = vi.hoisted(() => [] as number[]);
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof Timers>();
  // A wait passes at once, so the test does not depend on the speed of the machine.
  const setTimeout = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { ...real, setTimeout };
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ max: 1 });
});
afterAll(() => database.drop());

test('a process that ends leaves the fleet in time, whatever its units do', async () => {
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_DATABASE_URL: database.url,
    SVC_SCANNER_ID: 'ends',
  });
  const runtime = await compose(config, Date.now, { write: () => undefined });
  vi.spyOn(runtime.worker, 'idle').mockReturnValue(new Promise(() => undefined));
  await runtime.fleet.join();
  const scanners = () => database.inspect(sql`select scanner_id as id from scanners`);
  expect(await scanners()).toEqual([{ id: 'ends' }]);
  waits.length = 0;
  await runtime.close();
  expect(await scanners()).toEqual([]);
  expect(waits).toHaveLength(1);
  // A second remains for the hand-back and for the host's own part.
  expect(waits[0]).toBeLessThanOrEqual(KILLED_AFTER_MS - 1_000);
  expect(waits[0]).toBeGreaterThan(1_000);
});
