import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, type RanPlan, withPlans } from '../support/plans.ts';
import { addNamed, addSearchedTenant } from '../support/searched-tenant.ts';

/** A statement that has run so often keeps its plan. */
const OFTEN = 7;
const MANY = 1_200;

let database: TestDatabase;
let tenantId: TenantId;

// Each time one whose tables are empty.
beforeEach(async () => {
  database = await createTestDatabase({ max: 2 });
  tenantId = await addSearchedTenant(database);
});
afterEach(() => database.drop());

/** Each fiftieth is rare. */
const addAssets = (from: number, count: number) =>
  addNamed(
    database,
    tenantId,
    Array.from({ length: count }, (_, n) => ({
      assetId: `ast_${from + n}`,
      name: (from + n) % 50 === 0 ? 'amber birch' : 'amber',
      changedAt: new Date(Date.UTC(2026, 0, 1) - 1000 * (from + n)),
    })),
  );

const READERS: readonly Visibility[] = [
  { kind: 'tenant' },
  { kind: 'domains', domainIds: ['dom_a' as DomainId] },
];

/** What the statements of searches for rare words ran. */
async function searchesOf(ran: (...statements: ReturnType<typeof sql>[]) => Promise<RanPlan[]>) {
  const asked = await queriesOf(database.db, tenantId, async (tx) => {
    for (const visibility of READERS) {
      for (const q of ['birch', 'amber bir']) {
        const filter = { labelState: 'unknown' } as const;
        await findAssets(tx, visibility, q, { filter, most: 50, after: null });
      }
    }
  });
  return ran(...asked);
}

const scansOfSearch = (plans: readonly RanPlan[]) =>
  plans
    .flatMap(({ Plan }) => nodesOf(Plan))
    .filter((node) => node['Relation Name'] === 'asset_search')
    .map((node) => node['Node Type']);

test.each([
  ['no assets', 0, async () => undefined],
  ['few assets', OFTEN, async () => undefined],
  ['few assets that the planner knows', OFTEN, () => database.inspect(sql`analyze asset_search`)],
])('a session that searched among %s uses the index of words among thousands', async (_, few, prepare) => {
  await addAssets(0, few);
  await prepare();
  await withPlans(database.adminUrl, tenantId, async (ran) => {
    for (let n = 0; n < OFTEN; n++) await searchesOf(ran);
    await addAssets(few, MANY);
    const plans = await searchesOf(ran);
    expect(scansOfSearch(plans)).not.toContain('Seq Scan');
    const held = plans.filter((plan) => plan['Query Text'].includes('held'));
    expect(held.length).toBeGreaterThan(0);
    const indexes = held.flatMap(({ Plan }) => nodesOf(Plan)).flatMap((node) => node['Index Name'] ?? []);
    expect(new Set(indexes)).toEqual(new Set(['asset_search_words']));
  });
});
