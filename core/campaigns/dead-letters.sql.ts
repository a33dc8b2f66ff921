import type { Visibility } from '../authz/principal.ts';
import { visibleScope } from '../authz/visibility.sql.ts';
import { violatedConstraint } from '../db/errors.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { CampaignId, ScopeId } from '../kernel/ids.ts';
import { LISTING_KINDS, type RetryClass, type UnitKind } from '../kernel/vocabulary.ts';
import { type CampaignStatus, nextCampaignState } from '../work/campaign-states.ts';
import { ofOwnAsset, type Readable } from './campaigns.sql.ts';
import { holdScans } from './holds.sql.ts';

export type DeadLetter = {
  id: string;
  campaignId: CampaignId;
  kind: UnitKind;
  retryClass: RetryClass;
  safeDiagnostic: string;
  attempt: number;
  createdAt: string;
  /** When its unit was retried. The dead letter itself stays. */
  retriedAt: string | null;
};

/** The newest dead letters of a campaign that the reader may see, at most `limit`. */
export const deadLetters = (
  tx: Tx,
  visibility: Visibility,
  campaign: { campaignId: string } & Readable,
  limit: number,
): Promise<DeadLetter[]> => {
  const chosen = sql`d.campaign_id = ${campaign.campaignId}`;
  return campaign.readable === 'all'
    ? newestLetters(tx, chosen, limit)
    : newestLetters(tx, sql`${chosen} and ${ofOwnAsset(tx, visibility, campaign.scopeId)}`, limit);
};

/** The newest dead letters of the tenant, at most `limit`. */
export const recentDeadLetters = (tx: Tx, limit: number): Promise<DeadLetter[]> =>
  newestLetters(tx, sql`true`, limit);

async function newestLetters(tx: Tx, chosen: Statement, limit: number): Promise<DeadLetter[]> {
  const rows = await tx.query<{
    deadLetterId: string;
    campaignId: CampaignId;
    kind: UnitKind;
    retryClass: RetryClass;
    safeDiagnostic: string;
    attempt: number;
    createdAt: Date;
    retriedAt: Date | null;
  }>(sql`
    select d.dead_letter_id as "deadLetterId", d.campaign_id as "campaignId", u.kind, d.retry_class as "retryClass",
           d.safe_diagnostic as "safeDiagnostic", d.attempt, d.created_at as "createdAt", d.retried_at as "retriedAt"
      from dead_letters d join work_units u using (unit_id)
     where d.tenant_id = ${tx.tenantId} and ${chosen}
     order by d.created_at desc, d.dead_letter_id desc limit ${limit}`);
  return rows.map((row) => ({
    id: row.deadLetterId,
    campaignId: row.campaignId,
    kind: row.kind,
    retryClass: row.retryClass,
    safeDiagnostic: row.safeDiagnostic,
    attempt: row.attempt,
    createdAt: row.createdAt.toISOString(),
    retriedAt: row.retriedAt?.toISOString() ?? null,
  }));
}

type LockedLetter = {
  campaignId: CampaignId;
  scopeId: ScopeId | null;
  unitId: number;
  status: CampaignStatus;
  retried: boolean;
  superseded: boolean;
  isOfListing: boolean;
};

/**
 * Retries a dead unit with all its attempts and returns its campaign, which runs again if it had completed. Throws
 * `not_found`, and `conflict` if the letter was already retried, its campaign was cancelled, or a newer campaign was
 * started: a listing that ends late would undo what a newer one saw.
 */
export async function retryDeadLetter(
  tx: Tx,
  visibility: Visibility,
  deadLetterId: string,
  now: number,
): Promise<CampaignId> {
  const [letter] = await tx.query<LockedLetter>(sql`
    select c.campaign_id as "campaignId", c.scope_id as "scopeId", d.unit_id as "unitId", c.status, d.retried_at is not null as retried,
           u.kind = any(${LISTING_KINDS}::text[]) as "isOfListing",
           exists (
             select from campaigns n
              where n.tenant_id = c.tenant_id and (n.scope_id = c.scope_id or n.scope_id is null and c.scope_id is null)
                and n.follows_decisions = c.follows_decisions
                and (n.created_at, n.campaign_id) > (c.created_at, c.campaign_id)) as superseded
      from dead_letters d join campaigns c using (tenant_id, campaign_id) join work_units u using (tenant_id, unit_id)
      left join scopes s using (tenant_id, scope_id)
     where d.tenant_id = ${tx.tenantId} and d.dead_letter_id = ${deadLetterId} and ${visibleScope(visibility)}
       for no key update of c, d`);
  if (letter === undefined) throw notFound();
  if (letter.retried) throw new ServiceError('conflict', 'The dead letter was already retried.');
  const isActive = nextCampaignState(letter.status, 'cancel') !== null;
  if (!isActive && letter.superseded) throw superseded();
  const status = isActive ? letter.status : nextCampaignState(letter.status, 'retry_dead_letter');
  if (status === null) throw new ServiceError('conflict', 'Its campaign was cancelled. Start a new one.');

  const at = new Date(now);
  try {
    await tx.query(sql`
      update campaigns
         set status = ${status}, units_dead = units_dead - 1, finished_at = null,
             ${isActive ? sql`paced_from = paced_from` : sql`paced_from = ${at}, paced_done = units_completed + units_dead - 1`},
             -- A process of an earlier release has not counted it.
             listing_units_dead = greatest(0, listing_units_dead - ${letter.isOfListing ? 1 : 0})
       where tenant_id = ${tx.tenantId} and campaign_id = ${letter.campaignId}`);
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint !== 'campaigns_active_scope' && constraint !== 'campaigns_active_rescore') throw error;
    throw superseded();
  }
  await tx.query(sql`
    update work_units set status = 'pending', attempt = 0, run_after = least(${at}, statement_timestamp()), settled_at = null
     where tenant_id = ${tx.tenantId} and unit_id = ${letter.unitId}`);
  // What an ended campaign noted of quiet hours and ceilings has passed.
  if (letter.scopeId !== null) await holdScans(tx, now, letter.scopeId);
  await tx.query(sql`
    update dead_letters set retried_at = ${at}
     where tenant_id = ${tx.tenantId} and dead_letter_id = ${deadLetterId}`);
  return letter.campaignId;
}

const superseded = () =>
  new ServiceError('conflict', 'A newer campaign has been started since. Start a new one instead.');
