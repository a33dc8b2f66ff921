import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { forEachTenant } from '../tenancy/for-each-tenant.ts';
import type { CompletedCampaign } from '../work/settle.sql.ts';
import { type CampaignEnd, takeCampaignEnds, tenantsWithCampaignEnds } from './campaign-ends.sql.ts';

const BATCH = 200;

type Parts = { db: Db; clock: Clock };

/**
 * Audits the ends of the tenant's campaigns, each in the transaction that takes it, so that however many do this at once
 * and whoever dies over it, each end is one event.
 */
export async function auditCampaignEnds({ db, clock }: Parts, tenantId: TenantId): Promise<void> {
  while ((await auditSome(db, tenantId, clock())) === BATCH);
}

/** Audits the ends of these campaigns. What fails is logged, and left to the sweep. */
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

/** Audits the ends that whoever ended a campaign did not live to audit. Safe to run anywhere, at any time. */
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

/** Whoever started the campaign is its principal, nobody where the service did; it bears their correlation id. */
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

/** Null where nothing of it was ever leased. */
const secondsBetween = (startedAt: Date | null, finishedAt: Date | null): number | null =>
  startedAt === null || finishedAt === null
    ? null
    : Math.round((finishedAt.getTime() - startedAt.getTime()) / 1000);
