import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import type { CompletedCampaign } from '../work/settle.sql.ts';
import { type CampaignEnd, takeCampaignEnds, tenantsWithCampaignEnds } from './campaign-ends.sql.ts';

const BATCH = 200;

type Parts = { db: Db; clock: Clock };

/**
 * Audits the ends of the tenant's campaigns. Each end is taken in the transaction that audits it, so that it gives
 * exactly one event, even with concurrent calls and crashes.
 */
export async function auditCampaignEnds({ db, clock }: Parts, tenantId: TenantId): Promise<void> {
  while ((await auditSome(db, tenantId, clock())) === BATCH);
}

/** Audits the ends of these campaigns. A failure is logged and left to the sweep. */
export async function auditEndsOf(
  parts: Parts & { log: Logger },
  campaigns: readonly CompletedCampaign[],
): Promise<void> {
  for (const tenantId of new Set(campaigns.map((campaign) => campaign.tenantId))) {
    await auditCampaignEnds(parts, tenantId).catch((error: unknown) =>
      parts.log.warn('campaign_end_unaudited', { tenantId }, error),
    );
  }
}

/** Audits ends that were left because a process died. Concurrent and repeated runs are safe. */
export async function sweepCampaignEnds(parts: Parts, signal: AbortSignal): Promise<void> {
  const tenants = await withEngineTx(parts.db, tenantsWithCampaignEnds, signal);
  await forEachTenant(tenants, signal, (tenantId) => auditCampaignEnds(parts, tenantId));
}

const auditSome = (db: Db, tenantId: TenantId, now: number): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const ends = await takeCampaignEnds(tx, BATCH);
    await appendAudit(
      tx,
      ends.map((end) => textOf(end, tenantId, now)),
    );
    return ends.length;
  });

/**
 * The audit event of an end. Its principal is who started the campaign, or null if the service did. It has the
 * correlation id of the start.
 */
function textOf(end: CampaignEnd, tenantId: TenantId, now: number): string {
  const { campaignId, createdBy, correlationId, startedAt, finishedAt, ...details } = end;
  return auditText(
    { tenantId, principalId: createdBy, correlationId, now },
    {
      category: 'scan',
      type: end.status === 'completed' ? 'scan_completed' : 'scan_cancellation_completed',
      target: { kind: 'campaign', id: campaignId },
      details: {
        ...details,
        finishedAt: finishedAt?.toISOString() ?? null,
        durationSeconds: secondsBetween(startedAt, finishedAt),
      },
    },
  );
}

/** Null if no unit of the campaign was ever leased. */
const secondsBetween = (startedAt: Date | null, finishedAt: Date | null): number | null =>
  startedAt === null || finishedAt === null
    ? null
    : Math.round((finishedAt.getTime() - startedAt.getTime()) / 1000);
