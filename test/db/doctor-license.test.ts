import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { SignedTerms } from '../../core/licensing/terms.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DAY_MS, entitlement, LICENSED } from '../support/entitlements.ts';
import { outcomeOf } from '../support/examine.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database, LICENSED);
  admin = await service.signInAs(PERSONA.platformAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(() => database.inspect(sql`delete from licenses`));

const check = () =>
  outcomeOf('license.state', { SVC_ENV: 'development', SVC_DATABASE_URL: database.url, ...LICENSED });
const activate = async (changes: Partial<SignedTerms> = {}) => {
  const { status } = await admin.post('/api/controlplane/activate', {
    token: await entitlement(Date.now() - DAY_MS, changes),
  });
  expect(status).toBe(200);
};
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

test('without a license, and with one of a year, it passes', async () => {
  expect(await check()).toMatchObject({ status: 'pass', finding: 'No license was activated: scans start.' });
  await activate();
  expect(await check()).toMatchObject({
    status: 'pass',
    finding: 'The license of 1 tenant lets scans start.',
  });
});

test('one that ends within 30 days is a warning', async () => {
  await activate({ endsAt: inDays(29) });
  expect(await check()).toMatchObject({ status: 'warn', nextSteps: [expect.stringContaining('Renew it')] });
});

test.each<[string, () => Promise<unknown>]>([
  ['scanning_not_included', () => activate({ features: [] })],
  [
    'license_deactivated',
    async () => {
      await activate();
      await admin.post('/api/controlplane/deactivate');
    },
  ],
  [
    'license_unusable',
    async () => {
      await activate();
      await database.inspect(sql`update licenses set entitlement = 'a.b.c'`);
    },
  ],
])('%s is a failure, told without the tenant', async (reason, bringAbout) => {
  await bringAbout();
  const outcome = await check();
  expect(outcome).toMatchObject({ status: 'fail', finding: `No scan starts for 1 tenant: ${reason}.` });
  expect(JSON.stringify(outcome)).not.toContain(DEV);
});
