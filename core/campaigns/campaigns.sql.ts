import type { Visibility } from '../authz/principal.ts';
import { tyingCandidate, visibleScope } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type CampaignId, newId, type PrincipalId, type ScopeId } from '../kernel/ids.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import type { ScanLeftOut, Stage, StageOutcome } from '../kernel/vocabulary.ts';
import type { Narrowing } from '../narrowing/left-out.ts';
import type { Only } from '../narrowing/narrowing-schema.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';
import type { CampaignStatus } from '../work/campaign-states.ts';
import { enqueueUnits, type NewUnit } from '../work/enqueue.sql.ts';
import type { UnitStatus } from '../work/unit-states.ts';
import type { CAMPAIGN_SORTS, CampaignFilter } from './campaign-schema.ts';

export type CampaignKind = 'inventory' | 'delta' | 'rescore';

/** Who started a campaign (null for the service itself), and in which request. */
export type CampaignOrigin = { createdBy: PrincipalId | null; correlationId: string };

/** The time at which a scan was due by a schedule, and how many further times it stands for. */
export type ScheduledFor = { for: Date; missedTimes: number };

/** Starts a campaign of a scope with its first unit. Null if another campaign of the scope is active. */
export async function startCampaign(
  tx: Tx,
  campaign: CampaignOrigin & {
    scopeId: ScopeId;
    kind: 'inventory' | 'delta';
    first: NewUnit;
    scheduled?: ScheduledFor;
    narrowing?: Narrowing;
  },
  now: number,
): Promise<CampaignId | null> {
  const campaignId = newId('cmp', now) as CampaignId;
  // `on conflict` avoids a database error, so that the caller's transaction can continue.
  const added = await tx.execute(sql`
    insert into campaigns (tenant_id, campaign_id, scope_id, kind, created_by, correlation_id, created_at, scheduled_for,
                           missed_times, narrowing)
    values (${tx.tenantId}, ${campaignId}, ${campaign.scopeId}, ${campaign.kind}, ${campaign.createdBy},
            ${campaign.correlationId}, ${new Date(now)}, ${campaign.scheduled?.for ?? null},
            ${campaign.scheduled?.missedTimes ?? null},
            ${campaign.narrowing === undefined ? null : sql.json(campaign.narrowing)}::jsonb)
    on conflict (tenant_id, scope_id) where status in ${ACTIVE_STATUSES} do nothing`);
  if (added === 0) return null;
  await enqueueUnits(tx, campaignId, [campaign.first], now);
  return campaignId;
}

/** The scope's campaign that is pending, running or paused, or null. */
export async function activeCampaign(tx: Tx, scopeId: ScopeId): Promise<CampaignId | null> {
  const [active] = await tx.query<{ campaignId: CampaignId }>(sql`
    select campaign_id as "campaignId" from campaigns
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status in ${ACTIVE_STATUSES}`);
  return active?.campaignId ?? null;
}

/**
 * Starts a rescore of the whole tenant with its first units. Without units it is complete at once. Null if another
 * rescore is active.
 */
export async function startRescoreCampaign(
  tx: Tx,
  { createdBy, correlationId, first }: CampaignOrigin & { first: readonly NewUnit[] },
  now: number,
): Promise<CampaignId | null> {
  const campaignId = newId('cmp', now) as CampaignId;
  const at = new Date(now);
  const endedAt = first.length === 0 ? at : null;
  const added = await tx.execute(sql`
    insert into campaigns (tenant_id, campaign_id, kind, status, created_by, correlation_id, created_at, started_at,
                           finished_at)
    values (${tx.tenantId}, ${campaignId}, 'rescore', ${endedAt === null ? 'pending' : 'completed'}, ${createdBy},
            ${correlationId}, ${at}, ${endedAt}, ${endedAt})
    on conflict (tenant_id, follows_decisions) where kind = 'rescore' and status in ${ACTIVE_STATUSES} do nothing`);
  if (added === 0) return null;
  await enqueueUnits(tx, campaignId, first, now);
  return campaignId;
}

/**
 * Adds units to the tenant's rescore campaign that follows decisions, and starts one if none is active. Concurrent
 * calls share one campaign.
 */
export async function followDecision(
  tx: Tx,
  { createdBy, correlationId, units }: CampaignOrigin & { units: readonly NewUnit[] },
  now: number,
): Promise<void> {
  if (units.length === 0) return;
  // The update changes nothing but locks the row. If the campaign has just ended, a new one is inserted.
  const [campaign] = await tx.query<{ campaignId: CampaignId }>(sql`
    insert into campaigns as c (tenant_id, campaign_id, kind, follows_decisions, created_by, correlation_id, created_at)
    values (${tx.tenantId}, ${newId('cmp', now)}, 'rescore', true, ${createdBy}, ${correlationId}, ${new Date(now)})
    on conflict (tenant_id, follows_decisions) where kind = 'rescore' and status in ${ACTIVE_STATUSES}
      do update set units_total = c.units_total
    returning campaign_id as "campaignId"`);
  if (campaign !== undefined) await enqueueUnits(tx, campaign.campaignId, units, now);
}

type UnitCounts = {
  pending: number;
  leased: number;
  completed: number;
  dead: number;
  cancelled: number;
};

export type CampaignRow = {
  campaignId: CampaignId;
  scopeId: ScopeId | null;
  scopeName: string | null;
  kind: CampaignKind;
  status: CampaignStatus;
  incomplete: boolean;
  narrowed: boolean;
  workUnits: UnitCounts;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
};

type DatabaseRow = {
  campaignId: CampaignId;
  scopeId: ScopeId | null;
  scopeName: string | null;
  kind: CampaignKind;
  status: CampaignStatus;
  unitsTotal: number;
  unitsLeased: number;
  unitsCompleted: number;
  unitsDead: number;
  unitsCancelled: number;
  listingUnitsDead: number;
  narrowed: boolean;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  readsAll: boolean;
};

/**
 * A part of a `with` clause: `leased (campaign_id, units)`, the number of leased units of each campaign of the
 * tenant. All campaigns are counted at once, because the index of leases holds only the few leased units.
 */
export const leasedByCampaign = (tx: Tx): Statement => sql`
  leased as materialized (
    select campaign_id, count(*) as units from work_units
     where tenant_id = ${tx.tenantId} and status = 'leased' and lease_expires_at > '-infinity' group by campaign_id)`;

/** Condition on `scopes s`: the reader governs it, or the tenant, and so reads the counts of all that is in it. */
const governedScope = (visibility: Visibility): Statement =>
  sql`coalesce(${withinDomains(visibility, sql`s.expected_domain_id`)}, false)`;

const columns = (visibility: Visibility) => sql`
  c.campaign_id as "campaignId", c.scope_id as "scopeId", s.name as "scopeName", c.kind, c.status,
  c.units_total as "unitsTotal", c.units_completed as "unitsCompleted", c.units_dead as "unitsDead",
  c.units_cancelled as "unitsCancelled", c.listing_units_dead as "listingUnitsDead",
  coalesce(jsonb_typeof(c.narrowing -> 'only') = 'object', false) as narrowed, c.created_at as "createdAt",
  c.started_at as "startedAt", c.finished_at as "finishedAt", coalesce(l.units, 0) as "unitsLeased",
  ${governedScope(visibility)} as "readsAll"`;
const tables = (campaigns: Statement) => sql`
  ${campaigns} c left join scopes s using (tenant_id, scope_id) left join leased l on l.campaign_id = c.campaign_id`;

const ALL = sql`campaigns`;

const toCampaign = (row: DatabaseRow): CampaignRow => {
  const { unitsLeased: leased, unitsCompleted: completed, unitsDead: dead } = row;
  // The pending units of a cancelled campaign count as cancelled, although a sweep marks them later.
  const cancelled =
    row.status === 'cancelled' ? row.unitsTotal - leased - completed - dead : row.unitsCancelled;
  return {
    campaignId: row.campaignId,
    scopeId: row.scopeId,
    scopeName: row.scopeName,
    kind: row.kind,
    status: row.status,
    incomplete: row.listingUnitsDead > 0,
    narrowed: row.narrowed,
    workUnits: {
      pending: row.unitsTotal - leased - completed - dead - cancelled,
      leased,
      completed,
      dead,
      cancelled,
    },
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
};

/**
 * Campaigns that the service started itself and that completed without a failure: deltas of schedules and notifications,
 * and rescores after decisions. The indexes `campaigns_listed` and `campaigns_routine` have the same condition.
 */
export const ROUTINE: Statement = sql`
  (status = 'completed' and units_dead = 0 and (follows_decisions or kind = 'delta' and created_by is null))`;

/** In a list. Counting the units of some assets takes time with the size of the campaign, so that a list has none. */
export type ListedCampaign = Omit<CampaignRow, 'workUnits'> & { workUnits: UnitCounts | null };

type Listing = {
  filter?: CampaignFilter;
  sort?: (typeof CAMPAIGN_SORTS)[number];
  /** A place in the list: only campaigns after it. */
  after?: Pick<CampaignRow, 'campaignId' | 'createdAt'> | null;
};

/**
 * The newest campaigns of the scopes that the reader may see, or the oldest; at most `limit`. A reader of the whole tenant sees those
 * without a scope too. Of routine campaigns only the newest of its scope is listed, because a source that never stops
 * notifying, or many decisions, would fill the list with them.
 */
export async function listCampaigns(
  tx: Tx,
  visibility: Visibility,
  limit: number,
  listing: Listing = {},
): Promise<ListedCampaign[]> {
  const rows = await tx.query<DatabaseRow>(sql`
    with ${leasedByCampaign(tx)}
    select ${columns(visibility)} from ${tables(sql`(${listedCampaigns(tx, visibility, limit, listing)})`)}
     order by ${listOrder(sql`c.`, listing)} limit ${limit}`);
  return rows.map((row) => ({ ...toCampaign(row), ...(!row.readsAll && { workUnits: null }) }));
}

/** How many campaigns the list has under a filter. */
export async function countCampaigns(tx: Tx, visibility: Visibility, filter: CampaignFilter): Promise<Total> {
  const most = MAX_COUNTED + 1;
  const [row] = await tx.query<{ counted: number }>(sql`
    select count(*)::int as counted
      from (select from (${listedCampaigns(tx, visibility, most, { filter })}) listed limit ${sql.whole(most)}) counted`);
  return totalOf(row?.counted ?? 0);
}

const listOrder = (of: Statement, { sort }: Listing): Statement =>
  sort === 'created'
    ? sql`${of}created_at, ${of}campaign_id`
    : sql`${of}created_at desc, ${of}campaign_id desc`;

/** Selects the campaigns of the list. Of the whole tenant, or else of each scope, at most `limit` that are not routine. */
function listedCampaigns(tx: Tx, visibility: Visibility, limit: number, listing: Listing): Statement {
  const { filter: { status, kind, scopeId } = {}, sort, after = null } = listing;
  const further =
    after === null
      ? sql`true`
      : sql`(created_at, campaign_id) ${sort === 'created' ? sql`>` : sql`<`} (${new Date(after.createdAt)}, ${after.campaignId})`;
  const met = sql`${equal(sql`status`, status)} and ${equal(sql`kind`, kind)} and ${further}`;
  const inOrder = sql`order by ${listOrder(sql``, listing)} limit ${limit}`;
  const ofScopes = (chosen: Statement) => sql`
    select each.* from scopes s cross join lateral (${chosen}) each
     where s.tenant_id = ${tx.tenantId} and ${equal(sql`s.scope_id`, scopeId)} and ${visibleScope(visibility)}`;
  const ofScope = sql`campaigns where tenant_id = s.tenant_id and scope_id = s.scope_id`;
  // A reader of some scopes: the newest of each visible scope, merged. This avoids reading all campaigns until enough are
  // visible.
  const listed =
    visibility.kind === 'tenant' && scopeId === undefined
      ? sql`(select * from campaigns where tenant_id = ${tx.tenantId} and not ${ROUTINE} and ${met} ${inOrder})`
      : ofScopes(sql`select * from ${ofScope} and not ${ROUTINE} and ${met} ${inOrder}`);
  const newestRoutine = ofScopes(sql`
    select * from (select * from ${ofScope} order by created_at desc, campaign_id desc limit 1) newest where ${ROUTINE} and ${met}`);
  return sql`${listed} union all ${newestRoutine}`;
}

/** What a scan was narrowed to, what it has left out so far, and what it has asked of its source. */
export type Narrowed = {
  only: Only | null;
  leftOut: { reason: ScanLeftOut; ruleId: string | null; pattern: string | null; items: number }[];
  used: { calls: number; bytesRead: number };
};

export async function narrowedTo(tx: Tx, campaignId: CampaignId): Promise<Narrowed> {
  const [row] = await tx.query<Narrowed>(sql`
    select nullif(c.narrowing -> 'only', 'null') as only,
           json_build_object('calls', c.source_calls, 'bytesRead', c.bytes_read) as used,
           (select coalesce(json_agg(json_build_object('reason', l.reason, 'ruleId', nullif(l.rule_id, ''),
                     'pattern', (select r ->> 'pattern' from jsonb_array_elements(c.narrowing -> 'rules') r
                                  where r ->> 'ruleId' = l.rule_id limit 1), 'items', l.items)
                     order by l.items desc, l.reason, l.rule_id), '[]')
              from campaign_left_out l
             where l.tenant_id = c.tenant_id and l.campaign_id = c.campaign_id) as "leftOut"
      from campaigns c where c.tenant_id = ${tx.tenantId} and c.campaign_id = ${campaignId}`);
  if (row === undefined) throw new Error('The campaign has gone during a transaction');
  return row;
}

/** Which units, outcomes and dead letters of a campaign its reader may see: all, or those of own assets in the scope. */
export type Readable = { readable: 'all' } | { readable: 'own'; scopeId: ScopeId };

/**
 * Null if the campaign does not exist or the reader may not see its scope. Both take the same time. Who does not govern
 * its scope receives the counts of the units of own assets.
 */
export async function findCampaign(
  tx: Tx,
  visibility: Visibility,
  campaignId: string,
): Promise<(CampaignRow & Readable) | null> {
  const [row] = await tx.query<DatabaseRow>(sql`
    with ${leasedByCampaign(tx)}
    select ${columns(visibility)} from ${tables(ALL)}
     where c.tenant_id = ${tx.tenantId} and c.campaign_id = ${campaignId} and ${visibleScope(visibility)}`);
  if (row === undefined) return null;
  const campaign = toCampaign(row);
  const { scopeId } = campaign;
  // Who reads the whole tenant alone sees a campaign without a scope.
  if (row.readsAll || scopeId === null) return { ...campaign, readable: 'all' };
  const workUnits = await ownUnits(tx, visibility, { ...campaign, scopeId });
  return { ...campaign, workUnits, readable: 'own', scopeId };
}

/** Condition on `work_units u`: it is of an asset in this scope that a candidate ties to the reader. */
export const ofOwnAsset = (tx: Tx, visibility: Visibility, scopeId: ScopeId): Statement => sql`
  u.payload ->> 'assetId' in (
    select k.asset_id from candidates k
     where k.tenant_id = ${tx.tenantId} and k.scope_id = ${scopeId} and ${tyingCandidate(visibility)})`;

async function ownUnits(
  tx: Tx,
  visibility: Visibility,
  campaign: { campaignId: CampaignId; scopeId: ScopeId; status: CampaignStatus },
): Promise<UnitCounts> {
  const counted = await tx.query<{ status: UnitStatus; units: number }>(sql`
    select u.status, count(*)::int as units from work_units u
     where u.tenant_id = ${tx.tenantId} and u.campaign_id = ${campaign.campaignId}
       and ${ofOwnAsset(tx, visibility, campaign.scopeId)}
     group by u.status`);
  const of = (status: UnitStatus) => counted.find((each) => each.status === status)?.units ?? 0;
  const isCancelled = campaign.status === 'cancelled';
  return {
    pending: isCancelled ? 0 : of('pending'),
    leased: of('leased'),
    completed: of('completed'),
    dead: of('dead'),
    cancelled: of('cancelled') + (isCancelled ? of('pending') : 0),
  };
}

export async function stageCounts(
  tx: Tx,
  campaignId: string,
): Promise<{ stage: Stage; outcome: StageOutcome; count: number }[]> {
  return tx.query(sql`
    select stage, outcome, count from campaign_stage_counts
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} order by stage, outcome`);
}
