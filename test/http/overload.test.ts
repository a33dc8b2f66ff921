import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { CLAIMS } from '../../core/db/turns.ts';
import { storeScanned } from '../support/assets.ts';
import { type Answer, type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const CALLERS = 40;

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

test('too many lists are refused within the bound, while decisions get through', async () => {
  // The sockets are real; time goes by when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = vi.spyOn(service.runtime().db.turns, 'take');
  const waiting = () => turns.mock.calls.filter(([{ share }]) => share === 'lists').length;
  await whileAssetsAreLocked(async (release) => {
    const answers: Answer[] = [];
    const lists = Array.from({ length: CALLERS }, async () => {
      answers.push(await owner.get('/api/assets'));
    });
    await expect.poll(waiting).toBe(CALLERS);
    // One of them has the only connection that lists may hold.
    await expect.poll(() => lockWaits(database)).toBe(1);
    expect(
      (await service.anonymous.post('/api/auth/dev/login', { principalId: PERSONA.auditor })).status,
    ).toBe(200);
    expect((await owner.request('HEAD', '/api/health')).status).toBe(200);
    const ready = await service.anonymous.get('/api/ready');
    expect(ready.status).toBe(200);
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(CLAIMS.list.waitMs);
    await expect.poll(() => answers.length).toBe(CALLERS - 1);
    for (const { status, body, headers } of answers) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ error: 'overloaded' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(new Set(answers.map(({ headers }) => headers.get('retry-after'))).size).toBeGreaterThan(1);
    await release();
    await Promise.all(lists);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
  const after = await Promise.all(Array.from({ length: CALLERS }, () => owner.get('/api/assets')));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
});
