import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import { type Tx, withEngineTx, withTx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { isTimeZone } from '../kernel/time-zone.ts';
import { noteSkippedScan } from '../licensing/licenses.sql.ts';
import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import { momentOf, presentOf } from '../work/moment.sql.ts';
import { fallenSince, LATE_AFTER_MS, nextDue } from './due-times.ts';
import { forgetUsage, holdScans } from './holds.sql.ts';
import {
  bringBackDue,
  type DueTimes,
  endRun,
  recordRuns,
  storeNext,
  takeDueTimes,
  takeRun,
  tenantsWithSchedules,
  type WaitingRun,
  waitingRuns,
} from './schedule-runs.sql.ts';
import { scanStarted, startScan } from './start-scan.ts';
import type { ScheduleParts } from './start-scheduled.ts';

/** Runs started in one round. */
const PAGE = 200;

/**
 * Records the runs that are due by schedules, of all tenants, and starts them; notes when active scans rest. Concurrent
 * calls, in several processes, start one scan for each time that was due. Returns how many were started.
 */
export async function runSchedules(parts: ScheduleParts, signal: AbortSignal): Promise<number> {
  const tenants = await withEngineTx(parts.db, tenantsWithSchedules, signal);
  let started = 0;
  await forEachTenant(tenants, signal, async (tenantId) => {
    await tend(parts, tenantId);
    await recordDue(parts, tenantId);
    // Tenants run at once: the sum is read after the wait, or the runs of others are lost from it.
    const ofTenant = await startWaiting(parts, tenantId, signal);
    started += ofTenant;
  });
  if (started > 0) parts.log.info('scheduled_runs_started', { count: started });
  return started;
}

/** Notes when active scans rest. */
const tend = (parts: ScheduleParts, tenantId: TenantId): Promise<void> =>
  withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    const now = await presentOf(tx, momentOf(parts.clock));
    await forgetUsage(tx, now);
    await holdScans(tx, now);
  });

/** Records what is due, in one transaction with the next times, so that a crash loses and repeats nothing. */
export const recordDue = (parts: ScheduleParts, tenantId: TenantId): Promise<void> =>
  withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    const now = await presentOf(tx, momentOf(parts.clock));
    await bringBackDue(tx, now);
    const due = await takeDueTimes(tx, now);
    const known = due.filter(({ timeZone }) => isTimeZone(timeZone));
    // Another process stored them, whose Node.js is newer. They stay due.
    if (known.length < due.length)
      parts.log.warn('schedule_zones_unknown', { tenantId, count: due.length - known.length });
    for (const times of known) await recordTimes(tx, times, now);
  });

async function recordTimes(tx: Tx, times: DueTimes, now: number): Promise<void> {
  const { nextAt, lastDue, whenLate, kind, target } = times;
  if (nextAt.getTime() > now) {
    const again = nextDue(times, Math.max(now, lastDue?.getTime() ?? now));
    await storeNext(tx, times, { due: null, nextAt: again }, now);
    return;
  }
  const fallen = fallenSince(times, nextAt.getTime(), now);
  const isSkipped = whenLate === 'skip' && fallen.isLate;
  const scopes = await recordRuns(
    tx,
    times,
    { missed: fallen.missed, outcome: isSkipped ? 'late' : null },
    now,
  );
  await storeNext(tx, times, { due: nextAt, nextAt: fallen.nextAt }, now);
  const lateMs = now - nextAt.getTime();
  if (lateMs <= LATE_AFTER_MS) return;
  const source = { tenantId: tx.tenantId, principalId: null, correlationId: newId('cor', now), now };
  await appendAudit(tx, [
    auditText(source, {
      category: 'scan',
      type: 'schedule_late',
      target: { kind: 'schedule', id: target },
      details: {
        kind,
        dueAt: nextAt.toISOString(),
        lateSeconds: Math.round(lateMs / 1_000),
        missedTimes: fallen.missed,
        scopes,
        skipped: isSkipped,
      },
    }),
  ]);
}

/** Starts the runs of a tenant that wait, each in a transaction of its own, so that a failure affects only its scope. */
async function startWaiting(parts: ScheduleParts, tenantId: TenantId, signal: AbortSignal): Promise<number> {
  const correlationId = newId('cor', parts.clock());
  let started = 0;
  let page: WaitingRun[] = [];
  do {
    const after = page.at(-1) ?? null;
    page = await withTx(parts.db, { tenantId, mode: 'read', signal }, (tx) => waitingRuns(tx, after, PAGE));
    let added = 0;
    for (const run of page) {
      if (signal.aborted) break;
      if ((await startRun(parts, tenantId, run, correlationId)) === 'started') added++;
    }
    await ringOrWarn(parts, bellsFor(added, parts.config.SVC_WORKER_LEASE_BATCH), 0);
    started += added;
  } while (page.length === PAGE && !signal.aborted);
  return started;
}

/** `left`: another process has taken it, it waits for the active scan, or it failed and is tried again. */
async function startRun(
  parts: ScheduleParts,
  tenantId: TenantId,
  run: WaitingRun,
  correlationId: string,
): Promise<'started' | 'ended' | 'left'> {
  try {
    return await withTx(parts.db, { tenantId, mode: 'write' }, (tx) =>
      startTaken(parts, tx, run, correlationId),
    );
  } catch (error) {
    parts.log.warn(`scheduled_${run.kind}_failed`, { tenantId, scopeId: run.scopeId, correlationId }, error);
    return 'left';
  }
}

/** Takes the run and starts its scan in one transaction. */
async function startTaken(
  parts: ScheduleParts,
  tx: Tx,
  run: WaitingRun,
  correlationId: string,
): Promise<'started' | 'ended' | 'left'> {
  const taken = await takeRun(tx, run);
  if (taken === null) return 'left';
  const now = await presentOf(tx, momentOf(parts.clock));
  const scheduled = { for: taken.due, missedTimes: taken.missed };
  const { scopeId, kind } = run;
  const scan = { scopeId, kind, createdBy: null, correlationId, now, scheduled };
  const scanned = await startScan(parts, tx, scan);
  if ('refused' in scanned) {
    const { reason } = scanned.refused;
    if (reason === 'scan_already_active' && taken.whenRunning === 'queue') return 'left';
    if (reason === 'license_required' && run.kind === 'delta') await noteSkippedScan(tx, now);
    await endRun(tx, run, reason === 'scan_already_active' ? 'running' : 'refused', now);
    return 'ended';
  }
  await endRun(tx, run, 'started', now);
  const source = { tenantId: tx.tenantId, principalId: null, correlationId, now };
  const origin = {
    scheduled: true,
    dueAt: taken.due.toISOString(),
    lateSeconds: Math.max(0, Math.round((now - taken.due.getTime()) / 1_000)),
    missedTimes: taken.missed,
  } as const;
  await appendAudit(tx, [auditText(source, scanStarted(scanned.started, scan, origin))]);
  return 'started';
}
