import { tenantsWithScopes } from '../authz/tenants.sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { withdrawDecided } from './ask-representatives.ts';
import { relatedAssets } from './related-assets.sql.ts';
import { affectedBy, countRelated, forgetChanges, nextChanges, storeCounts } from './related-counts.sql.ts';

/** Changes counted together, so that each of many similar new assets is counted once. */
const BATCH = 100;
/** Assets counted in one transaction. */
const CHUNK = 50;

export type RefreshOptions = {
  clock: Clock;
  signal: AbortSignal;
  /** Milliseconds after which the rest waits for the next run. */
  budgetMs: number;
};

/**
 * Updates `related_count` of open questions for recorded changes of assets and questions. It processes one batch of
 * each tenant in turn. Concurrent and repeated runs are safe: a change is deleted only after it is counted. If one
 * tenant fails, the others are still processed, and an `AggregateError` is thrown at the end. Returns the number of
 * assets counted.
 */
export async function refreshRelated(db: Db, options: RefreshOptions): Promise<number> {
  const { clock, signal, budgetMs } = options;
  const deadline = clock() + budgetMs;
  const errors: unknown[] = [];
  let counted = 0;
  let waiting = await tenantsWithScopes(db);
  while (waiting.length > 0 && clock() < deadline) {
    const more: TenantId[] = [];
    for (const tenantId of waiting) {
      if (clock() >= deadline) break;
      try {
        const batch = await refreshBatch(db, tenantId, clock, signal);
        counted += batch.counted;
        if (batch.full) more.push(tenantId);
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    waiting = more;
  }
  if (errors.length > 0)
    throw new AggregateError(errors, 'Could not count the related assets of some tenants');
  return counted;
}

async function refreshBatch(
  db: Db,
  tenantId: TenantId,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ counted: number; full: boolean }> {
  const { changes, affected } = await withTx(db, { tenantId, mode: 'read', signal }, async (tx) => {
    const next = await nextChanges(tx, BATCH);
    return { changes: next, affected: await affectedBy(tx, next) };
  });
  for (let at = 0; at < affected.length; at += CHUNK) {
    await withTx(db, { tenantId, mode: 'write', signal }, async (tx) => {
      const chunk = affected.slice(at, at + CHUNK);
      const related = new Map<string, string[]>();
      for (const assetId of chunk)
        related.set(
          assetId,
          (await relatedAssets(tx, assetId)).map((each) => each.assetId),
        );
      await storeCounts(tx, chunk, await countRelated(tx, related));
      await withdrawDecided(tx, related, clock());
    });
  }
  await withTx(db, { tenantId, mode: 'write', signal }, (tx) => forgetChanges(tx, changes));
  return { counted: affected.length, full: changes.length === BATCH };
}
