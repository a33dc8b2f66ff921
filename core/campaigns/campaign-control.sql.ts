import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import { type Db, type EngineTx, type Tx, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import { visibleScope } from '../visibility/visibility.sql.ts';
import { type CampaignAction, type CampaignStatus, nextCampaignState } from '../work/campaign-states.ts';

const PARTICIPLE: Readonly<Record<CampaignAction, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

/**
 * Pauses, resumes or cancels a campaign, and returns its new state. Leasing follows the state, so that units under way
 * are left to finish; what is pending of a cancelled campaign counts as cancelled from now on, and `markCancelled` marks
 * it. Throws `not_found` (also where the scope is not one that the caller may see) and `conflict`.
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
    const message = `The campaign cannot be ${PARTICIPLE[action]} in its current state, which is ${campaign.status}.`;
    throw new ServiceError('conflict', message);
  }
  const finishedAt = status === 'completed' || status === 'cancelled' ? new Date(now) : null;
  await tx.query(sql`
    update campaigns set status = ${status}, finished_at = ${finishedAt}, cancelling = ${status === 'cancelled' && open}
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId}`);
  return status;
}

/**
 * Holds the unit's campaign in its state until the commit. False once it is cancelled: another campaign may walk the
 * scope by then, and a page or an end of this one would undo what that one saw.
 */
export async function holdCampaign(tx: Tx, campaignId: CampaignId): Promise<boolean> {
  const held = await tx.query(sql`
    select 1 from campaigns
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} and status <> 'cancelled'
       for no key update`);
  return held.length > 0;
}

type CancelledCampaign = { tenantId: TenantId; campaignId: CampaignId };

/** Units marked in one transaction, so that none is long however many units there are. */
const MARKED_AT_ONCE = 5_000;
/** Campaigns looked at in one run of the sweep. */
const MAX_CAMPAIGNS = 100;

/**
 * Marks what is left of cancelled campaigns, the longest cancelled first, until nothing is, `budgetMs` is spent or
 * `signal` aborts. Safe to run anywhere, at any time.
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
      marked = await markCancelled(db, campaign, clock());
    }
  }
}

/**
 * Marks some units of a cancelled campaign, and returns how many. Units under way are left to their workers; those whose
 * worker is gone are marked too.
 */
export const markCancelled = (db: Db, campaign: CancelledCampaign, now: number): Promise<number> =>
  withEngineTx(db, (tx) => markSome(tx, campaign, now));

async function markSome(
  tx: EngineTx,
  { tenantId, campaignId }: CancelledCampaign,
  now: number,
): Promise<number> {
  const at = new Date(now);
  const ofCampaign = sql`tenant_id = ${tenantId} and campaign_id = ${campaignId}`;
  // Units before their campaign, as settling locks them. What a worker or a handler holds is passed over.
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
