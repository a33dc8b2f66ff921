import { forEachTenant } from '../db/for-each-tenant.ts';
import { sql } from '../db/sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import { tenantsWithScopes } from '../sources/read.ts';

/** Assets of a segment of search at most: as many as there are bits in a row of `search_postings`. */
const ASSETS_PER_SEGMENT = 16_384;
/** Where no more than these were left, the next minute will do. */
const FEW = 250;

/**
 * Seals for search what has changed in each tenant since the last time, some at a time: see `seal_search`. May run anywhere,
 * at any time, also twice at once.
 * @param assetsPerSegment another number than the usual one, for tests
 */
export async function sealSearch(
  db: Db,
  signal: AbortSignal,
  assetsPerSegment = ASSETS_PER_SEGMENT,
): Promise<void> {
  await forEachTenant(await tenantsWithScopes(db), signal, async (tenantId) => {
    const seal = () =>
      withTx(db, { tenantId, mode: 'write', signal }, async (tx) => {
        const [row] = await tx.query<{ sealed: number }>(
          sql`select seal_search(${tx.tenantId}, ${assetsPerSegment}, ${assetsPerSegment}) as sealed`,
        );
        return row?.sealed ?? 0;
      });
    while ((await seal()) >= Math.min(FEW, assetsPerSegment));
  });
}
