import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { searchTag } from '../../core/kernel/search-words.ts';
import type { Walk } from '../../core/search/newest-placements.sql.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addNamed, addSearchedTenant } from '../support/searched-tenant.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Tags of tenants have four digits: of so many ids, some have the same, and so have their words and marks in the index. */
function alikeTenants(): TenantId[] {
  const ids = Array.from({ length: 100_000 }, (_, n) => `ten_alike${n}` as TenantId);
  const byTag = [...Map.groupBy(ids, searchTag).values()];
  return byTag.reduce((most, each) => (each.length > most.length ? each : most));
}

async function addTenant(tenantId?: TenantId): Promise<TenantId> {
  const added = await addSearchedTenant(database, tenantId);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    values (${added}, 'ift_ledger', 'dom_a', 'Ledger', now(), now())`);
  return added;
}

type Span = { from: number; to: number };

/** One changed each minute, the later numbers before the others; some are of a type, and some labeled. */
async function addAssets(tenantId: TenantId, { from, to }: Span, nameOf: (n: number) => string) {
  const added = Array.from({ length: to - from }, (_, n) => ({
    assetId: `ast_${tenantId}_${from + n}`,
    name: nameOf(n),
    changedAt: new Date(Date.UTC(2026, 0, 1) - (from + n) * 60_000),
  }));
  await addNamed(database, tenantId, added);
  const each = (nth: number) => added.filter((_, n) => n % nth === 0).map(({ assetId }) => assetId);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band, created_at, updated_at)
    select ${tenantId}, 'cnd_' || id, id, 'dom_a', 'ift_ledger', 0.9, 'high', now(), now() from unnest(${each(3)}::text[]) as id`);
  await database.inspect(sql`
    update assets set label_state = 'labeled' where tenant_id = ${tenantId} and asset_id = any(${each(4)}::text[])`);
}

type Asset = { assetId: string; name: string; changedAt: Date; isLabeled: boolean; isTyped: boolean };
type Has = (asset: Asset) => boolean;

const nameOf = (n: number) => (n % 5 === 0 ? 'birch amberley' : 'birch amber');
/** A whole word of theirs is the beginning of one that they do not have. */
const NAME_OF_OTHERS = 'birch amber amberl';
const isAmber: Has = ({ name }) => name.split(' ').includes('amber');
const SOUGHT: readonly (readonly [q: string, has: Has])[] = [
  ['amber birch', isAmber],
  ['amberl', (asset) => !isAmber(asset)],
  ['ledger', ({ isTyped }) => isTyped],
  ['ledger amber', (asset) => isAmber(asset) && asset.isTyped],
];
const READERS: readonly (readonly [visibility: Visibility, sees: Has])[] = [
  [{ kind: 'tenant' }, () => true],
  [{ kind: 'domains', domainIds: ['dom_a' as DomainId] }, ({ isTyped }) => isTyped],
];
const FILTERS: readonly (readonly [filter: Walk['filter'], allows: Has])[] = [
  [{}, () => true],
  [{ labelState: 'labeled' }, ({ isLabeled }) => isLabeled],
];
const SEARCHES = SOUGHT.flatMap(([q, has]) =>
  READERS.flatMap(([visibility, sees]) =>
    FILTERS.map(([filter, allows]) => ({
      q,
      visibility,
      filter,
      isWanted: (asset: Asset) => has(asset) && sees(asset) && allows(asset),
    })),
  ),
);

/** In the order of the list. */
const assetsOf = (tenantId: TenantId) =>
  database.inspect<Asset>(sql`
    select asset_id as "assetId", name, changed_at as "changedAt", label_state = 'labeled' as "isLabeled",
           exists (select from candidates c where c.tenant_id = a.tenant_id and c.asset_id = a.asset_id) as "isTyped"
      from assets a where tenant_id = ${tenantId} order by a.changed_at desc, a.asset_id desc`);

/** Page by page, all searches find what they are to. */
async function expectFound(tenantId: TenantId, all: readonly Asset[], known: string): Promise<void> {
  for (const { q, visibility, filter, isWanted } of SEARCHES) {
    const wanted = all.filter(isWanted);
    expect(wanted).not.toEqual([]);
    for (const most of [7, 50]) {
      for (let from = 0; from < wanted.length; from += most) {
        const place = wanted[from - 1];
        const after = place ? { assetId: place.assetId, changedAt: place.changedAt.toISOString() } : null;
        const { assetIds: found } = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
          findAssets(tx, visibility, q, { filter, most, after }),
        );
        expect(found, `${most} of ${q} from ${from}, ${known} is known`).toEqual(
          wanted.slice(from, from + most).map(({ assetId }) => assetId),
        );
      }
    }
  }
}

test('each of many tenants with the same words finds the newest of its own assets', async () => {
  const [tenantId, ...alike] = alikeTenants();
  if (tenantId === undefined) throw new Error('No tenants');
  expect(alike.length).toBeGreaterThan(5);
  await addTenant(tenantId);
  await addAssets(tenantId, { from: 0, to: 120 }, nameOf);
  const all = await assetsOf(tenantId);

  const others = await Promise.all([...alike, undefined].map(addTenant));
  const addToOthers = async (span: Span) => {
    for (const other of others) await addAssets(other, span, () => NAME_OF_OTHERS);
  };
  await addToOthers({ from: -70, to: 70 });
  await expectFound(tenantId, all, 'nothing');
  await database.inspect(sql`analyze asset_search`);
  await expectFound(tenantId, all, 'all');
  await addToOthers({ from: -210, to: -70 });
  await expectFound(tenantId, all, 'less');
});
