import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import { findingsAfter, listFindings } from '../../core/findings/finding-list.sql.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { listQueue } from '../../core/review/queue-list.sql.ts';
import { listAssets } from '../../core/search/asset-list.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, pagesMet, queriesOf, type RanPlan, withPlans } from '../support/plans.ts';
import { addNamed, addSearchedTenant } from '../support/searched-tenant.ts';

const SHOWN = 100;
/** Each row is completed by a few others; those of a domain are found by way of what the domain has. */
const pagesMax = (assets: number) => 25 * SHOWN + 4 * assets;

let database: TestDatabase;

// Each time one of whose tables nothing is known.
beforeEach(async () => {
  database = await createTestDatabase({ max: 2 });
});
afterEach(() => database.drop());

/** One changed each second; the oldest are `amber`. Each is asked of one domain and has a finding. */
async function addTenant(assets: number): Promise<TenantId> {
  const tenantId = await addSearchedTenant(database);
  await addNamed(
    database,
    tenantId,
    Array.from({ length: assets }, (_, n) => ({
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
const listed = async (...of: Parameters<typeof listAssets>) => (await listAssets(...of)).assets;
const LISTS: Readonly<Record<string, List>> = {
  'the newest assets': (tx, reader) => listed(tx, reader, {}, SHOWN),
  'the newest assets of a type': (tx, reader) =>
    listed(tx, reader, { informationTypeId: 'ift_ledger' }, SHOWN),
  'the queue': (tx, reader) => listQueue(tx, reader, {}, SHOWN),
  'old assets that are found': (tx, reader) => listed(tx, reader, { q: 'amber' }, SHOWN),
  findings: async (tx, reader) => (await listFindings(tx, reader, {}, SHOWN)).findings,
  'findings for an export': (tx, reader) => findingsAfter(tx, reader, {}, '', SHOWN),
};

/** Any other index of placements that knows the id is read for the whole tenant to find one, which no row tells. */
const BY_ID = new Set(['asset_placements_by_asset', 'asset_placements_once']);
const placementsLookedUpOtherwise = (plans: readonly RanPlan[]): string[] =>
  plans
    .flatMap(({ Plan }) => nodesOf(Plan))
    .filter((node) => node['Index Cond']?.includes('asset_id = '))
    .map((node) => node['Index Name'] ?? '')
    .filter((index) => index.startsWith('asset_placements_') && !BY_ID.has(index));

const analyze = () => database.inspect(sql`analyze`);
const KNOWN: Readonly<Record<string, () => Promise<unknown>>> = {
  nothing: async () => undefined,
  'that there was nothing': analyze,
  'another tenant': async () => {
    await addTenant(1_500);
    await analyze();
  },
};

describe.each(Object.entries(KNOWN))('where the planner knows %s', (_, prepare) => {
  test.each([200, 1_500])('of %i assets each that is shown is looked up by its id', async (assets) => {
    await prepare();
    const tenantId = await addTenant(assets);
    await withPlans(database.adminUrl, tenantId, async (plansOf) => {
      for (const reader of READERS) {
        for (const [name, list] of Object.entries(LISTS)) {
          const asked = await queriesOf(database.db, tenantId, async (tx) => {
            expect(await list(tx, reader), name).toHaveLength(SHOWN);
          });
          // What finds is asked before it; what tells of what was found is the last.
          const plans = await plansOf(...asked.slice(-1));
          expect.soft(pagesMet(plans), `${name} of ${reader.kind}`).toBeLessThan(pagesMax(assets));
          expect.soft(placementsLookedUpOtherwise(plans), `${name} of ${reader.kind}`).toEqual([]);
        }
      }
    });
  });
});
