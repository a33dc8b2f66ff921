import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { withTx } from '../db/tx.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { noteSkippedScan } from '../licensing/licenses.sql.ts';
import type { Logger } from '../observability/log.ts';
import type { Doorbell } from '../work/doorbell.ts';
import type { DueScope } from './due-scopes.sql.ts';
import { scanStarted, startScan } from './start-scan.ts';

export type ScheduleParts = SourceParts & { log: Logger; doorbell: Doorbell | null };

/** `not_started`: another scan was faster, the source is no longer configured, or it failed. */
type Outcome = 'started' | 'license_required' | 'not_started';

/** Starts a scan that nobody asked for, in a transaction of its own, so that a failure affects only its scope. */
export async function startScheduled(
  parts: ScheduleParts,
  { tenantId, scopeId, kind }: DueScope,
  correlationId: string,
): Promise<Outcome> {
  const now = parts.clock();
  const source = { tenantId, principalId: null, correlationId, now };
  const scan = { scopeId, kind, createdBy: null, correlationId, now };
  try {
    return await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
      const scanned = await startScan(parts, tx, scan);
      if ('refused' in scanned) {
        if (scanned.refused.reason !== 'license_required') return 'not_started';
        if (kind === 'delta') await noteSkippedScan(tx, now);
        return 'license_required';
      }
      await appendAudit(tx, [auditText(source, scanStarted(scanned.started, scan, { scheduled: true }))]);
      return 'started';
    });
  } catch (error) {
    parts.log.warn(`scheduled_${kind}_failed`, { tenantId, scopeId, correlationId }, error);
    return 'not_started';
  }
}
