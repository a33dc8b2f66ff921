import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { withTx } from '../../core/db/tx.ts';
import { assetPages } from '../../core/exports/export-assets.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addNamed, addSearchedTenant } from '../support/searched-tenant.ts';

const TENANT_WIDE: Visibility = { kind: 'tenant' };
/** Of those with all words of a phrase, so many are looked at. */
const LOOKED_AT = 5_000;
const ASSETS = LOOKED_AT + 250;
const MOST = 200;

let database: TestDatabase;
let tenantId: TenantId;

/** All hold the words of one phrase next to each other, and the oldest alone those of another. */
beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await addSearchedTenant(database);
  await addNamed(
    database,
    tenantId,
    Array.from({ length: ASSETS }, (_, n) => ({
      assetId: `ast_${n}`,
      name: n < ASSETS - 5 ? `ledger of cobalt ${n}` : `cobalt ledger of cobalt ${n}`,
      changedAt: new Date(Date.UTC(2026, 0, 1) - 1000 * n),
    })),
  );
});
afterAll(() => database.drop());

/** What a search for the best finds, and how many rows it reads. */
async function search(q: string) {
  let rowsRead = 0;
  const found = await withTx(database.db, { tenantId, mode: 'read' }, (tx) => {
    const query: typeof tx.query = async (statement) => {
      const rows = await tx.query<never>(statement);
      rowsRead += rows.length;
      return rows;
    };
    const walk = { filter: {}, most: MOST, after: null };
    return findAssets({ ...tx, query }, TENANT_WIDE, q, walk, { order: 'best' });
  });
  return { ...found, rowsRead };
}

test('of assets with a frequent phrase few names are read', async () => {
  const { assetIds, isWhole, rowsRead } = await search('"of cobalt"');
  expect(assetIds).toEqual(Array.from({ length: MOST }, (_, n) => `ast_${n}`));
  expect(isWhole).toBe(true);
  expect(rowsRead).toBeLessThan(1_000);
});

test('names of assets with frequent words are read once, up to a bound that is told', async () => {
  const { assetIds, isWhole, rowsRead } = await search('"cobalt ledger"');
  expect([assetIds, isWhole]).toEqual([[], false]);
  // The ids and the names of them, after those of the first.
  expect(rowsRead).toBeLessThan(2.3 * LOOKED_AT);
  expect(await search('"ledger of" 17')).toMatchObject({ assetIds: ['ast_17'], isWhole: true });
});

test('an export goes on with the search that it began with', async () => {
  const pages = assetPages(
    (read) => withTx(database.db, { tenantId, mode: 'read' }, read),
    TENANT_WIDE,
    { q: 'cobalt tantalum' },
    Date.now(),
  );
  const ids = (await pages.next()).value?.map(({ assetId }: { assetId: string }) => assetId) ?? [];
  expect(ids.length).toBeLessThan(ASSETS);
  const better = { assetId: 'ast_better', name: 'tantalum of cobalt', changedAt: new Date(0) };
  await addNamed(database, tenantId, [better]);
  for await (const page of pages) ids.push(...page.map(({ assetId }) => assetId));
  expect(ids).toEqual([...Array.from({ length: ASSETS }, (_, n) => `ast_${n}`), 'ast_better']);
});
