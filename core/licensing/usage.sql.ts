import { newestCheckpoints } from '../audit/checkpoints.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { TimeEvidence } from './effective-time.ts';
import type { Usage } from './license-state.ts';

/** A person who signed in within this time is billable (specification, *Limits*). */
const BILLABLE_MS = 90 * 24 * 3_600_000;

/** What the terms bound. Assets are those of the counts that scans keep. @param at in milliseconds */
export async function readUsage(tx: Tx, at: number): Promise<Usage> {
  const [usage] = await tx.query<Usage>(sql`
    select (select count(*)::float8 from principals
             where tenant_id = ${tx.tenantId} and kind = 'person' and last_sign_in_at > ${new Date(at - BILLABLE_MS)})
             as "billableUsers",
           coalesce(sum(asset_count), 0)::float8 as assets,
           (count(*) filter (where selected))::float8 as scopes
      from scopes where tenant_id = ${tx.tenantId}`);
  return usage ?? { billableUsers: 0, assets: 0, scopes: 0 };
}

/** The times of the last audit event and of the last checkpoint, in milliseconds, or null. */
export async function auditTimes(tx: Tx): Promise<Pick<TimeEvidence, 'lastAuditEvent' | 'lastCheckpoint'>> {
  const [[event], [checkpoint]] = await Promise.all([
    tx.query<{ at: string }>(sql`
      select e.record::jsonb #>> '{event,at}' as at from audit_heads h join audit_events e using (tenant_id, seq)
       where h.tenant_id = ${tx.tenantId}`),
    newestCheckpoints(tx, 1),
  ]);
  return {
    lastAuditEvent: event === undefined ? null : Date.parse(event.at),
    lastCheckpoint: checkpoint === undefined ? null : Date.parse(JSON.parse(checkpoint.record).at),
  };
}
