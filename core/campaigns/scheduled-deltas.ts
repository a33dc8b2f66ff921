import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { withEngineTx, withTx } from '../db/tx.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { noteSkippedScan } from '../licensing/licenses.sql.ts';
import type { Logger } from '../observability/log.ts';
import { bellsFor, type Doorbell, ringOrWarn } from '../work/doorbell.ts';
import { type DueScope, dueScopes } from './due-scopes.sql.ts';
import { scanStarted, startScan } from './start-scan.ts';

type Parts = SourceParts & { log: Logger; doorbell: Doorbell | null };

/** Scopes read at once. */
const PAGE = 200;

/**
 * Starts a delta of every selected scope of all tenants that has an inventory and no active scan. Each start is a
 * transaction of its own, so that a failure affects only its scope. Concurrent calls start only one delta for a
 * scope. Returns how many were started.
 */
export async function startScheduledDeltas(parts: Parts, signal: AbortSignal): Promise<number> {
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
      const outcome = await startDelta(parts, due, correlationId);
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

/** `not_started`: another scan was faster, the source is no longer configured, or it failed. */
type DeltaOutcome = 'started' | 'license_required' | 'not_started';

async function startDelta(parts: Parts, due: DueScope, correlationId: string): Promise<DeltaOutcome> {
  const { tenantId, scopeId } = due;
  const now = parts.clock();
  const source = { tenantId, principalId: null, correlationId, now };
  const scan = { scopeId, kind: 'delta' as const, createdBy: null, correlationId, now };
  try {
    return await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
      const scanned = await startScan(parts, tx, scan);
      if ('refused' in scanned) {
        if (scanned.refused.reason !== 'license_required') return 'not_started';
        await noteSkippedScan(tx, now);
        return 'license_required';
      }
      await appendAudit(tx, [auditText(source, scanStarted(scanned.started, scan, { scheduled: true }))]);
      return 'started';
    });
  } catch (error) {
    parts.log.warn('scheduled_delta_failed', { tenantId, scopeId, correlationId }, error);
    return 'not_started';
  }
}
