import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { CLAIMS } from '../../core/db/turns.ts';
import { storeScanned } from '../support/assets.ts';
import { type Answer, type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const CALLERS = 40;
/** What answers take beside the wait, on a machine with much else to do. */
const GRACE_MS = 1_500;

let database: TestDatabase;
let service: TestService;
let owner: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  await storeScanned(database.db, DEV, [
    {
      assetId: 'ast_one',
      said: [{ informationTypeId: 'ift_invoices', domainId: 'dom_finance', confidence: 0.9 }],
    },
  ]);
  service = await startService(database, { SVC_DATABASE_POOL_SIZE: '2' });
  owner = await service.signInAs(PERSONA.financeOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Runs what is given while whoever reads assets waits for a lock. */
const whileAssetsAreLocked = <T>(fn: (release: () => Promise<void>) => Promise<T>): Promise<T> =>
  withClient(database.adminUrl, async (locker) => {
    await locker.query('begin; lock table assets in access exclusive mode');
    return fn(async () => {
      await locker.query('commit');
    });
  });

const timed = async (request: Promise<Answer>) => {
  const since = performance.now();
  const { status, headers, body } = await request;
  return { status, body, retryAfter: headers.get('retry-after'), ms: performance.now() - since };
};

test('lists that come too many are refused within the bound, while decisions get through', async () => {
  await whileAssetsAreLocked(async (release) => {
    const lists = Array.from({ length: CALLERS }, () => timed(owner.get('/api/assets')));
    // One of them has the only connection that lists may hold.
    await expect
      .poll(() => database.inspect(sql`select from pg_stat_activity where wait_event_type = 'Lock'`))
      .toHaveLength(1);
    const signIn = await timed(
      service.anonymous.post('/api/auth/dev/login', { principalId: PERSONA.auditor }),
    );
    expect(signIn.status).toBe(200);
    expect(signIn.ms).toBeLessThan(CLAIMS.list.waitMs);
    expect((await owner.request('HEAD', '/api/health')).status).toBe(200);
    const ready = await service.anonymous.get('/api/ready');
    expect(ready.status).toBe(200);
    const refused = (await Promise.all(lists.map((list) => Promise.race([list, stillWaiting()])))).filter(
      (answer) => answer !== null,
    );
    expect(refused).toHaveLength(CALLERS - 1);
    for (const { status, body, retryAfter, ms } of refused) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ error: 'overloaded' });
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(ms).toBeLessThan(CLAIMS.list.waitMs + GRACE_MS);
    }
    expect(new Set(refused.map(({ retryAfter }) => retryAfter)).size).toBeGreaterThan(1);
    await release();
    expect((await Promise.all(lists)).filter(({ status }) => status === 200)).toHaveLength(1);
  });
  const after = await Promise.all(Array.from({ length: CALLERS }, () => owner.get('/api/assets')));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
});

/** Null when whoever is refused has been. */
const stillWaiting = () =>
  new Promise<null>((resolve) => setTimeout(resolve, CLAIMS.list.waitMs + GRACE_MS, null));
