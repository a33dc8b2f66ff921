import type { Visibility } from '../authz/principal.ts';
import { visibleScope } from '../authz/visibility.sql.ts';
import { sql } from '../db/sql.ts';
import { type Db, type EngineTx, type Tx, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import { type CampaignAction, type CampaignStatus, nextCampaignState } from '../work/campaign-states.ts';
import { atMoment, type Moment, momentOf } from '../work/moment.sql.ts';

const PARTICIPLE: Readonly<Record<CampaignAction, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

/**
 * Pauses, resumes or cancels a campaign and returns its new state. It changes only the campaign: running units
 * finish, and leasing depends on the campaign's state. Pending units of a cancelled campaign count as cancelled at
 * once; `markCancelled` marks them later. Throws `not_found` (also if the caller may not see the scope) and
 * `conflict`.
 */
export async function controlCampaign(
  tx: Tx,
  visibility: Visibility,
  campaignId: string,
  action: CampaignAction,
  now: number,
): Promise<CampaignStatus> {
  const [campaign] = await tx.query<{ status: CampaignStatus; open: number }>(sql`
    select c.status, c.units_total - c.units_completed - c.units_dead - c.units_cancelled as open
      from campaigns c left join scopes s using (tenant_id, scope_id)
     where c.tenant_id = ${tx.tenantId} and c.campaign_id = ${campaignId} and ${visibleScope(visibility)}
       for no key update of c`);
  if (campaign === undefined) throw notFound();
  const open = campaign.open > 0;
  const trigger = action === 'resume' && !open ? 'resume_with_nothing_left' : action;
  const status = nextCampaignState(campaign.status, trigger);
  if (status === null) {
    const message = `A campaign that is ${campaign.status} cannot be ${PARTICIPLE[action]}.`;
    throw new ServiceError('conflict', message);
  }
  const finishedAt = status === 'completed' || status === 'cancelled' ? new Date(now) : null;
  await tx.query(sql`
    update campaigns set status = ${status}, finished_at = ${finishedAt}, cancelling = ${status === 'cancelled' && open},
           ${status === 'running' ? sql`paced_from = ${new Date(now)}, paced_done = units_completed + units_dead` : sql`paced_from = paced_from`}
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId}`);
  return status;
}

/**
 * Locks the state of the unit's campaign until the commit. Returns false if the campaign is cancelled. Another
 * campaign may then read the same scope, and writes of this one would overwrite newer data.
 */
export async function holdCampaign(tx: Tx, campaignId: CampaignId): Promise<boolean> {
  const held = await tx.query(sql`
    select 1 from campaigns
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} and status <> 'cancelled'
       for no key update`);
  return held.length > 0;
}

type CancelledCampaign = { tenantId: TenantId; campaignId: CampaignId };

/** Units marked in one transaction. The bound keeps the transaction short, however many units there are. */
const MARKED_AT_ONCE = 5_000;
/** Campaigns processed in one run of the sweep. */
const MAX_CAMPAIGNS = 100;

/**
 * Marks the remaining units of cancelled campaigns, the longest cancelled first, until none is left, `budgetMs` has
 * passed or `signal` aborts. Concurrent and repeated runs are safe.
 */
export async function sweepCancelled(
  db: Db,
  { clock, budgetMs, signal }: { clock: Clock; budgetMs: number; signal: AbortSignal },
): Promise<void> {
  const until = clock() + budgetMs;
  const campaigns = await withEngineTx(db, (tx) =>
    tx.query<CancelledCampaign>(sql`
      select tenant_id as "tenantId", campaign_id as "campaignId" from campaigns
       where cancelling order by finished_at limit ${MAX_CAMPAIGNS}`),
  );
  for (const campaign of campaigns) {
    let marked = MARKED_AT_ONCE;
    while (marked === MARKED_AT_ONCE && clock() < until && !signal.aborted) {
      marked = await markCancelled(db, campaign, momentOf(clock));
    }
  }
}

/**
 * Marks a batch of units of a cancelled campaign and returns their number. Running units are left to their workers.
 * Units with an expired lease are marked too.
 */
export const markCancelled = (db: Db, campaign: CancelledCampaign, now: Moment): Promise<number> =>
  withEngineTx(db, (tx) => markSome(tx, campaign, now));

async function markSome(
  tx: EngineTx,
  { tenantId, campaignId }: CancelledCampaign,
  now: Moment,
): Promise<number> {
  const at = atMoment(now);
  const ofCampaign = sql`tenant_id = ${tenantId} and campaign_id = ${campaignId}`;
  // Locks units before their campaign, as settling does. Rows that a worker or a handler has locked are skipped.
  const [row] = await tx.query<{ marked: number }>(sql`
    with abandoned as (
      select unit_id from work_units
       where ${ofCampaign} and status = 'leased' and lease_expires_at <= ${at}
       limit ${MARKED_AT_ONCE} for update skip locked
    ), pending as (
      select unit_id from work_units where ${ofCampaign} and status = 'pending'
       limit ${MARKED_AT_ONCE} - (select count(*) from abandoned) for update skip locked
    ), marked as (
      update work_units u set status = 'cancelled', lease_owner = null, lease_expires_at = null, settled_at = ${at}
        from (select unit_id from abandoned union all select unit_id from pending) chosen
       where u.unit_id = chosen.unit_id
      returning 1
    ), counted as (select count(*)::int as marked from marked)
    update campaigns c
       set units_cancelled = c.units_cancelled + counted.marked,
           cancelling = c.units_total > c.units_completed + c.units_dead + c.units_cancelled + counted.marked
      from counted where ${ofCampaign} and c.status = 'cancelled'
    returning counted.marked`);
  return row?.marked ?? 0;
}
