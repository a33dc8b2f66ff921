import { withEngineTx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import { type DueScope, dueScopes } from './due-scopes.sql.ts';
import { type ScheduleParts, startScheduled } from './start-scheduled.ts';

/** Scopes read at once. */
const PAGE = 200;

/**
 * Starts a delta of every selected scope of all tenants that has an inventory and no active scan. Concurrent calls start only one delta for a
 * scope. Returns how many were started.
 */
export async function startScheduledDeltas(parts: ScheduleParts, signal: AbortSignal): Promise<number> {
  const correlationId = newId('cor', parts.clock());
  let started = 0;
  const skipped = new Map<TenantId, number>();
  let page: DueScope[] = [];
  do {
    const after = page.at(-1) ?? null;
    page = await withEngineTx(parts.db, (tx) => dueScopes(tx, after, PAGE), signal);
    let added = 0;
    for (const due of page) {
      if (signal.aborted) break;
      const outcome = await startScheduled(parts, due, 'delta', correlationId);
      if (outcome === 'started') added++;
      if (outcome === 'license_required') skipped.set(due.tenantId, (skipped.get(due.tenantId) ?? 0) + 1);
    }
    await ringOrWarn(parts, bellsFor(added, parts.config.SVC_WORKER_LEASE_BATCH), 0);
    started += added;
  } while (page.length === PAGE && !signal.aborted);
  for (const [tenantId, count] of skipped)
    parts.log.warn('scheduled_deltas_skipped', { tenantId, count, correlationId });
  parts.log.info('scheduled_deltas_started', { count: started, correlationId });
  return started;
}
