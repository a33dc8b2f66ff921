import { afterEach, beforeEach, expect, test } from 'vitest';
import { listAssets } from '../../core/assets/read.ts';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import { findingsAfter, listFindings } from '../../core/findings/finding-list.sql.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, type RanPlan, rowsMet, withPlans } from '../support/plans.ts';
import { addNamed, addSearchedTenant } from '../support/searched-tenant.ts';

const ASSETS = 1_500;
const SHOWN = 100;
/** Of all nodes of the plan of a list: what is found may be sorted, and each row is completed by a few others. */
const ROWS_MAX = 15 * ASSETS;

let database: TestDatabase;

// Each time one of whose tables nothing is known.
beforeEach(async () => {
  database = await createTestDatabase({ max: 2 });
});
afterEach(() => database.drop());

/** One changed each second; the oldest are `amber`. Each is asked of one domain and has a finding. */
async function addTenant(): Promise<TenantId> {
  const tenantId = await addSearchedTenant(database);
  await addNamed(
    database,
    tenantId,
    Array.from({ length: ASSETS }, (_, n) => ({
      assetId: `ast_${tenantId}_${n}`,
      name: n < SHOWN ? 'amber' : 'birch',
      changedAt: new Date(Date.UTC(2026, 0, 1) + 1_000 * n),
    })),
  );
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    values (${tenantId}, 'ift_ledger', 'dom_a', 'Ledger', now(), now())`);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band, created_at, updated_at)
    select tenant_id, 'cnd_' || asset_id, asset_id, 'dom_a', 'ift_ledger', 0.9, 'high', now(), now()
      from assets where tenant_id = ${tenantId}`);
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
    select tenant_id, 'fnd_' || asset_id, asset_id, 'exposure', 'high', 'open', 'To anyone.', '1', now(), now()
      from assets where tenant_id = ${tenantId}`);
  return tenantId;
}

const READERS: readonly Visibility[] = [
  { kind: 'tenant' },
  { kind: 'domains', domainIds: ['dom_a' as DomainId] },
];
type List = (tx: Tx, reader: Visibility) => Promise<unknown[]>;
const LISTS: Readonly<Record<string, List>> = {
  'old assets that are found': (tx, reader) => listAssets(tx, reader, { q: 'amber' }, SHOWN),
  findings: (tx, reader) => listFindings(tx, reader, undefined, SHOWN),
  'findings for an export': (tx, reader) => findingsAfter(tx, reader, undefined, '', SHOWN),
};

/** Any other index of placements that knows the id is read for the whole tenant to find one, which no row tells. */
const BY_ID = new Set(['asset_placements_by_asset', 'asset_placements_once']);
const placementsLookedUpOtherwise = (plans: readonly RanPlan[]): string[] =>
  plans
    .flatMap(({ Plan }) => nodesOf(Plan))
    .filter((node) => node['Index Cond']?.includes('asset_id = '))
    .map((node) => node['Index Name'] ?? '')
    .filter((index) => index.startsWith('asset_placements_') && !BY_ID.has(index));

test.each([
  ['of which nothing is known', async () => undefined],
  [
    'beside one that is known',
    async () => {
      await addTenant();
      await database.inspect(sql`analyze`);
    },
  ],
])(
  'of a young tenant %s what is found is looked up by ids, and not all of it for each row',
  async (_, before) => {
    await before();
    const tenantId = await addTenant();
    await withPlans(database.adminUrl, tenantId, async (plansOf) => {
      for (const reader of READERS) {
        for (const [name, list] of Object.entries(LISTS)) {
          const asked = await queriesOf(database.db, tenantId, async (tx) => {
            expect(await list(tx, reader), name).toHaveLength(SHOWN);
          });
          // What finds is asked before it; what tells of what was found is the last.
          const plans = await plansOf(...asked.slice(-1));
          expect.soft(rowsMet(plans), `${name} of ${reader.kind}`).toBeLessThan(ROWS_MAX);
          expect.soft(placementsLookedUpOtherwise(plans), `${name} of ${reader.kind}`).toEqual([]);
        }
      }
    });
  },
);
