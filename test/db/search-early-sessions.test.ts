import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, type RanPlan, rowsMet, withPlans } from '../support/plans.ts';
import { addNamed, addSearchedTenant, freshOf, segmentFaults } from '../support/searched-tenant.ts';

/** A statement that has run so often keeps its plan. */
const OFTEN = 7;
const MANY = 1_500;
const CHANGED = 10;
const PER_SEGMENT = 64;
/** Rows of all nodes of all plans: some are of words and marks, and each is met by several nodes. */
const ROWS_PER_ASSET = 60;

let database: TestDatabase;
let tenantId: TenantId;

// Each time one where all tables are empty.
beforeEach(async () => {
  database = await createTestDatabase({ max: 2 });
  tenantId = await addSearchedTenant(database);
});
afterEach(() => database.drop());

const addMore = (from: number, count: number) =>
  addNamed(
    database,
    tenantId,
    Array.from({ length: count }, (_, n) => ({
      assetId: `ast_${from + n}`,
      name: `amber birch ${(from + n) % 7}`,
      changedAt: new Date(Date.UTC(2026, 0, 1) + 1000 * (from + n)),
    })),
  );

/** How a session seals and searches. */
const inSession = (
  fn: (session: { seal(most: number): Promise<RanPlan[]>; search(): Promise<RanPlan[]> }) => Promise<unknown>,
) =>
  withPlans(database.adminUrl, tenantId, (plansOf) =>
    fn({
      seal: (most) =>
        plansOf(sql`select seal_search(${tenantId}, ${most}::integer, ${PER_SEGMENT}::integer)`),
      search: async () => {
        const asked = await queriesOf(database.db, tenantId, async (tx) => {
          for (const q of ['amber birch', 'amb', '3']) {
            const filter = { labelState: 'unknown' } as const;
            await findAssets(tx, { kind: 'tenant' }, q, { filter, most: 50, after: null });
          }
        });
        return plansOf(...asked.filter(({ text }) => text.includes('find_assets(')));
      },
    }),
  );

const wholeTables = (plans: readonly RanPlan[]) =>
  plans
    .filter(({ Plan }) => nodesOf(Plan).some((node) => node['Node Type'] === 'Seq Scan'))
    .map((plan) => plan['Query Text']);

test.each([
  ['no assets', 0, async () => undefined],
  ['few assets', OFTEN, async () => undefined],
  ['few assets, as is known,', OFTEN, () => database.inspect(sql`analyze asset_search`)],
])(
  'a session that sealed and searched when there were %s goes by indexes when there are thousands',
  async (_, few, prepare) => {
    await addMore(0, few);
    await prepare();
    await inSession(async (early) => {
      for (let n = 0; n < OFTEN; n++) await early.seal(1);
      await early.search();
      expect(await freshOf(database, tenantId)).toEqual([]);

      await addMore(few, MANY);
      const many = await early.seal(MANY);
      expect(await freshOf(database, tenantId)).toEqual([]);
      expect(wholeTables(many)).toEqual([]);
      expect(rowsMet(many)).toBeLessThan(ROWS_PER_ASSET * MANY);

      await database.inspect(sql`
        update assets set name = 'cedar' where tenant_id = ${tenantId} and asset_id in (
          select 'ast_' || n * ${PER_SEGMENT}::integer from generate_series(1, ${CHANGED}::integer) as n)`);
      expect(await freshOf(database, tenantId)).toHaveLength(CHANGED);
      const found = await early.search();
      expect(wholeTables(found)).toEqual([]);
      await inSession(async (late) => {
        expect(rowsMet(found)).toBeLessThan(1.5 * rowsMet(await late.search()));
      });
      const changed = await early.seal(MANY);
      expect(await freshOf(database, tenantId)).toEqual([]);
      expect(wholeTables(changed)).toEqual([]);
      // Fewer than there are assets: no statement goes through all of them, be it once or for each of some.
      expect(rowsMet(changed)).toBeLessThan(MANY);
    });
    expect(await segmentFaults(database, tenantId)).toEqual([]);
  },
);
