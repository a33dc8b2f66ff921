import { withEngineTx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import { type Due, type DueScope, dueScopes } from './due-scopes.sql.ts';
import { type ScheduleParts, startScheduled } from './start-scheduled.ts';

/** Scopes read at once. */
const PAGE = 200;

/** Starts a delta of every selected scope of all tenants that has an inventory, can be read and has no active scan. */
export const startScheduledDeltas = (parts: ScheduleParts, signal: AbortSignal): Promise<number> =>
  startDue(parts, 'scheduled', signal);

/** Starts a scan of the scopes that their source refused and that it is to be asked for again. */
export const askForInaccessible = (parts: ScheduleParts, signal: AbortSignal): Promise<number> =>
  startDue(parts, 'inaccessible', signal);

/**
 * Starts a scan of every scope that is due. Concurrent calls start only one scan for a scope. Returns how many were started.
 */
async function startDue(parts: ScheduleParts, which: Due, signal: AbortSignal): Promise<number> {
  const correlationId = newId('cor', parts.clock());
  let started = 0;
  const skipped = new Map<TenantId, number>();
  let page: DueScope[] = [];
  do {
    const after = page.at(-1) ?? null;
    page = await withEngineTx(parts.db, (tx) => dueScopes(tx, which, after, PAGE, parts.clock()), signal);
    let added = 0;
    for (const due of page) {
      if (signal.aborted) break;
      const outcome = await startScheduled(parts, due, correlationId);
      if (outcome === 'started') added++;
      if (outcome === 'license_required') skipped.set(due.tenantId, (skipped.get(due.tenantId) ?? 0) + 1);
    }
    await ringOrWarn(parts, bellsFor(added, parts.config.SVC_WORKER_LEASE_BATCH), 0);
    started += added;
  } while (page.length === PAGE && !signal.aborted);
  for (const [tenantId, count] of skipped)
    parts.log.warn('scheduled_deltas_skipped', { tenantId, count, correlationId });
  if (which === 'scheduled' || started > 0)
    parts.log.info('scheduled_deltas_started', { count: started, correlationId });
  return started;
}
