import { sqlState } from '../db/errors.ts';
import { forEachTenant } from '../db/for-each-tenant.ts';
import { sql } from '../db/sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { tenantsWithScopes } from '../sources/read.ts';

/** At most: as many as there are bits in a row of `search_postings`; and with so many words and marks, some seconds' work. */
const BATCH = { assets: 16_384, lexemes: 500_000 };
/** Whoever writes an asset meanwhile waits 10 seconds and no longer. */
const WITHIN_MS = 8_000;
const QUERY_CANCELED = '57014';

type Batch = { assets: number; lexemes: number; withinMs: number };

/**
 * Seals for search what has changed in each tenant since the last time, a batch of each at a time, until nothing is left or
 * the budget is spent: see `seal_search`. May run anywhere, at any time, also twice at once.
 * @param batch other bounds than the usual ones, for tests
 */
export async function sealSearch(
  db: Db,
  { clock, signal, budgetMs }: { clock: Clock; signal: AbortSignal; budgetMs: number },
  batch: Partial<Batch> = {},
): Promise<void> {
  const until = clock() + budgetMs;
  const bounds = { ...BATCH, withinMs: WITHIN_MS, ...batch };
  let due = await tenantsWithScopes(db);
  while (due.length > 0 && !signal.aborted && clock() < until) {
    const left: TenantId[] = [];
    await forEachTenant(due, signal, async (tenantId) => {
      if (clock() >= until) return;
      const isMore = await sealBatch(db, tenantId, signal, bounds).catch((error: unknown) => {
        if (sqlState(error) !== QUERY_CANCELED || bounds.lexemes <= 1) throw error;
        // Half of it may do in time.
        bounds.lexemes = Math.ceil(bounds.lexemes / 2);
        return true;
      });
      if (isMore) left.push(tenantId);
    });
    due = left;
  }
}

/** Whether there is more. */
const sealBatch = (
  db: Db,
  tenantId: TenantId,
  signal: AbortSignal,
  { assets, lexemes, withinMs }: Batch,
): Promise<boolean> =>
  withTx(db, { tenantId, mode: 'write', signal }, async (tx) => {
    await tx.query(sql`select set_config('statement_timeout', ${String(withinMs)}, true)`);
    const [sealed] = await tx.query<{ isCut: boolean }>(
      sql`select is_cut as "isCut" from seal_search(${tx.tenantId}, ${assets}, ${assets}, ${lexemes})`,
    );
    return sealed?.isCut === true;
  });
