import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { foldPlacements } from '../../core/landscape/fold.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Home = { domains: { domainId: string; assets: number; changedLast7Days: number }[] };

const SITE = 'site-finance';
const DAY = 24 * 3_600_000;

let database: TestDatabase;
let service: TestService;
let platform: SignedIn;
let owner: SignedIn;
let scopeId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 8 });
  service = await startService(database);
  await signIn();
  await platform.post('/api/sources/connect', {});
  const { items } = (await platform.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  scopeId = items.find(({ externalId }) => externalId === SITE)?.scopeId ?? '';
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Sessions end as the clock goes on. */
async function signIn(): Promise<void> {
  platform = await service.signInAs(PERSONA.platformAdmin);
  owner = await service.signInAs(PERSONA.financeOwner);
}
const scan = async (kind: 'inventory' | 'delta') => {
  expect((await platform.post('/api/scans', { scopeId, kind })).status).toBe(200);
  await service.drain();
};
const finance = async () => {
  const { domains } = (await owner.get<Home>('/api/home')).body;
  return domains.find(({ domainId }) => domainId === 'dom_finance') ?? expect.unreachable('No such domain.');
};

test('home counts what changed in seven days after it was first seen, and each once', async () => {
  await scan('inventory');
  const { assets, changedLast7Days } = await finance();
  expect(assets).toBeGreaterThan(1);
  expect(changedLast7Days).toBe(0);
  // Nothing has changed since.
  await scan('inventory');
  expect(await finance()).toMatchObject({ assets, changedLast7Days: 0 });

  const [first, second] = await database.inspect<{ id: string; name: string }>(sql`
    select external_id as id, name from assets a join asset_placements p using (tenant_id, asset_id)
     where a.tenant_id = ${DEV} and p.domain_id = 'dom_finance' and p.firmest order by asset_id`);
  const rename = async (file: typeof first, to: string) => {
    const body = { scopeExternalId: SITE, action: 'rename', fileId: file?.id, name: `${to} ${file?.name}` };
    expect((await platform.post('/api/dev/fixture/mutate', body)).status).toBe(200);
    await scan('delta');
  };
  await rename(first, 'Former');
  expect(await finance()).toMatchObject({ assets, changedLast7Days: 1 });
  await rename(first, 'Present');
  expect((await finance()).changedLast7Days).toBe(1);
  await rename(second, 'Other');
  expect((await finance()).changedLast7Days).toBe(2);
  await foldPlacements(database.db, new AbortController().signal);
  expect((await finance()).changedLast7Days).toBe(2);

  service.clock.advance(8 * DAY);
  await signIn();
  expect(await finance()).toMatchObject({ assets, changedLast7Days: 0 });
});
