import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import type { Config } from '../config.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { bellsFor, type Doorbell, ringOrWarn } from '../work/doorbell.ts';
import { type DueScope, dueScopes } from './due-scopes.sql.ts';
import { scanStarted, startScan } from './start-scan.ts';

type Parts = { config: Config; db: Db; clock: Clock; log: Logger; doorbell: Doorbell | null };

/** Scopes looked up at once. */
const PAGE = 200;

/**
 * Starts a delta of every selected scope of every tenant that has had an inventory and has no scan under way, each in a
 * transaction of its own. Whatever else runs at the same time, a scope gets one; a scope that fails keeps no other from
 * its own. Returns how many were started.
 */
export async function startScheduledDeltas(parts: Parts, signal: AbortSignal): Promise<number> {
  const correlationId = newId('cor', parts.clock());
  let started = 0;
  let page: DueScope[] = [];
  do {
    const after = page.at(-1) ?? null;
    page = await withEngineTx(parts.db, (tx) => dueScopes(tx, after, PAGE), signal);
    let added = 0;
    for (const due of page) {
      if (signal.aborted) break;
      if (await startDelta(parts, due, correlationId)) added++;
    }
    await ringOrWarn(parts, bellsFor(added, parts.config.SVC_WORKER_LEASE_BATCH), 0);
    started += added;
  } while (page.length === PAGE && !signal.aborted);
  parts.log.info('scheduled_deltas_started', { count: started, correlationId });
  return started;
}

/** Whether a delta was started: not where somebody was faster, or where the source is not configured any more. */
async function startDelta(parts: Parts, due: DueScope, correlationId: string): Promise<boolean> {
  const { tenantId, scopeId } = due;
  const now = parts.clock();
  const source = { tenantId, principalId: null, correlationId, now };
  const scan = { scopeId, kind: 'delta' as const, createdBy: null, correlationId, now };
  try {
    return await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
      const scanned = await startScan(parts, tx, scan);
      if ('refused' in scanned) return false;
      await appendAudit(tx, [auditText(source, scanStarted(scanned.started, scan, { scheduled: true }))]);
      return true;
    });
  } catch (error) {
    parts.log.warn('scheduled_delta_failed', { tenantId, scopeId, correlationId }, error);
    return false;
  }
}
