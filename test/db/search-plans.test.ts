import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, type PlanNode, queriesOf, withPlans } from '../support/plans.ts';
import { addNamed, addSearchedTenant, seal } from '../support/searched-tenant.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ max: 2 });
});
afterAll(() => database.drop());

const indexOf = (node: PlanNode) => node['Index Name'];

/** Plans of all that a search runs within its function, by words of the statement. */
async function plansOf(tenantId: TenantId, search: (tx: Tx) => Promise<unknown>) {
  const asked = await queriesOf(database.db, tenantId, search);
  const plans = await withPlans(database.adminUrl, tenantId, (ran) => ran(...asked));
  return (part: string) =>
    plans.filter((plan) => plan['Query Text'].includes(part)).flatMap(({ Plan }) => nodesOf(Plan));
}

const analyze = () => database.inspect(sql`analyze asset_search, search_postings, search_segments`);
/** Of more than a search of all of one word, so that it goes through what is fresh and through segments. */
const ASSETS = 1_200;
const MOST = 500;

test.each([
  ['nothing', async (sealAll: () => Promise<unknown>) => sealAll()],
  [
    'that nothing is sealed',
    async (sealAll: () => Promise<unknown>) => {
      await analyze();
      await sealAll();
    },
  ],
  [
    'what is so',
    async (sealAll: () => Promise<unknown>) => {
      await sealAll();
      await analyze();
    },
  ],
])(
  'be what is known of the tables %s: what is fresh is sought by its index, lexemes by theirs, and what is sealed slot by slot',
  async (_, prepare) => {
    const tenantId = await addSearchedTenant(database);
    await addNamed(
      database,
      tenantId,
      Array.from({ length: ASSETS }, (_, n) => ({
        assetId: `ast_${n}`,
        name: 'amber birch',
        changedAt: new Date(Date.UTC(2026, 0, 1) - 1000 * n),
      })),
    );
    await prepare(() => seal(database, tenantId, ASSETS - 100, 400));
    for (const [q, visibility] of [
      ['amber', { kind: 'tenant' }],
      ['amber bir', { kind: 'tenant' }],
      ['amber birch', { kind: 'domains', domainIds: ['dom_a' as DomainId] }],
    ] satisfies [string, Visibility][]) {
      const plansWith = await plansOf(tenantId, (tx) =>
        findAssets(tx, visibility, q, { filter: { labelState: 'unknown' }, most: MOST, after: null }),
      );
      const fresh = plansWith('coalesce(f.segment, 0) = 0');
      expect(new Set(fresh.map(indexOf))).toEqual(new Set([undefined, 'asset_search_fresh']));
      const sealed = plansWith('as slots');
      expect([...fresh, ...sealed].map((node) => node['Node Type'])).not.toContain('Seq Scan');
      const bySlot = sealed.filter((node) => indexOf(node)?.startsWith('asset_search'));
      expect(bySlot.length).toBeGreaterThan(0);
      for (const node of bySlot) expect(node['Index Cond']).toContain('(slot = ');
      const byLexeme = sealed.filter((node) => indexOf(node)?.startsWith('search_postings'));
      expect(byLexeme.length).toBeGreaterThan(0);
      for (const node of byLexeme) expect(node['Index Cond']).toContain('lexeme');
      expect(new Set(byLexeme.map(indexOf))).toEqual(new Set(['search_postings_by_lexeme']));
    }
  },
);
