import { withEngineTx } from '../db/tx.ts';
import { findConnector } from '../integrations/connector-for.ts';
import { newId } from '../kernel/ids.ts';
import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import { dueInventories, scannedFamilies } from './due-scopes.sql.ts';
import { type ScheduleParts, startScheduled } from './start-scheduled.ts';

/** How often it is called in a day. Scopes that are due at the same time are spread over as many calls. */
const CALLS_A_DAY = 288;
export const INVENTORY_SCHEDULE = '0 */5 * * * *';
const DAY_MS = 86_400_000;

/**
 * Starts inventories of selected scopes whose last one began too long ago, the oldest first, if files of the source inherit
 * permissions: no feed reports all changes of those. Returns how many were started.
 */
export async function startScheduledInventories(parts: ScheduleParts, signal: AbortSignal): Promise<number> {
  const days = parts.config.SVC_INVENTORY_MAX_AGE_DAYS;
  if (days === 0) return 0;
  const correlationId = newId('cor', parts.clock());
  const families = await withEngineTx(parts.db, scannedFamilies, signal);
  const inheriting = families.filter(({ tenantId, family }) => {
    const connector = findConnector(parts, tenantId, family);
    return !('missing' in connector) && connector.inheritsPermissions === true;
  });
  const scopes = inheriting.reduce((sum, { count }) => sum + count, 0);
  const most = Math.ceil(scopes / CALLS_A_DAY);
  const now = parts.clock();
  const bounds = { before: now - days * DAY_MS, triedBefore: now - DAY_MS };
  const due = await withEngineTx(parts.db, (tx) => dueInventories(tx, inheriting, bounds, most), signal);
  let started = 0;
  for (const scope of due) {
    if (signal.aborted) break;
    if ((await startScheduled(parts, scope, correlationId)) === 'started') started++;
  }
  await ringOrWarn(parts, bellsFor(started, parts.config.SVC_WORKER_LEASE_BATCH), 0);
  if (started > 0) parts.log.info('scheduled_inventories_started', { count: started, correlationId });
  return started;
}
