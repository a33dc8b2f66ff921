import { sqlState } from '../db/errors.ts';
import { sql } from '../db/sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { forEachTenant } from '../tenancy/for-each-tenant.ts';
import { tenantsWithScopes } from '../tenancy/tenants.sql.ts';

/** At most: as many as there are bits in a row of `search_postings`; and with so many words and marks, some seconds' work. */
const BATCH = { assets: 16_384, lexemes: 500_000 };
/** Whoever writes an asset meanwhile waits 10 seconds and no longer. */
const WITHIN_MS = 8_000;
const QUERY_CANCELED = '57014';
/** Of what is left, no more are counted. */
const MAX_COUNTED = 100_000;

type Batch = { assets: number; lexemes: number; withinMs: number };

/**
 * Seals for search what has changed in each tenant since the last time, a batch of each at a time, until nothing is left or
 * the budget is spent: see `seal_search`. May run anywhere, at any time, also twice at once. Logs how many assets of a tenant
 * the budget did not do for, so that somebody hears where sealing lags behind the changes.
 * @param batch other bounds than the usual ones, for tests
 */
export async function sealSearch(
  db: Db,
  { clock, log, signal, budgetMs }: { clock: Clock; log: Logger; signal: AbortSignal; budgetMs: number },
  batch: Partial<Batch> = {},
): Promise<void> {
  const until = clock() + budgetMs;
  const bounds = { ...BATCH, withinMs: WITHIN_MS, ...batch };
  let due = await tenantsWithScopes(db);
  while (due.length > 0 && !signal.aborted && clock() < until) {
    const left: TenantId[] = [];
    await forEachTenant(due, signal, async (tenantId) => {
      const isMore =
        clock() >= until ||
        (await sealBatch(db, tenantId, signal, bounds).catch((error: unknown) => {
          if (sqlState(error) !== QUERY_CANCELED || bounds.lexemes <= 1) throw error;
          // Half of it may do in time.
          bounds.lexemes = Math.ceil(bounds.lexemes / 2);
          return true;
        }));
      if (isMore) left.push(tenantId);
    });
    due = left;
  }
  await forEachTenant(due, signal, async (tenantId) => {
    const count = await unsealed(db, tenantId);
    if (count > 0) log.warn('search_unsealed', { tenantId, count });
  });
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

const unsealed = (db: Db, tenantId: TenantId): Promise<number> =>
  withTx(db, { tenantId, mode: 'read' }, async (tx) => {
    const [row] = await tx.query<{ count: number }>(sql`
      select count(*) from (
        select from asset_search where tenant_id = ${tx.tenantId} and segment is null and active limit ${MAX_COUNTED}) s`);
    return row?.count ?? 0;
  });
