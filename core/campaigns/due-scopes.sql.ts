import type { SourceFamily } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';
import { ROUTINE } from './campaigns.sql.ts';
import { targetInForce } from './schedule-targets.sql.ts';

export type DueScope = { tenantId: TenantId; scopeId: ScopeId; kind: 'inventory' | 'delta' };

/** Which scopes are due: those with an inventory that can be read, or those that the source refused and is to be asked. */
export type Due = 'scheduled' | 'inaccessible';

/**
 * Selected scopes that are due and have no active scan, by id, after the given one; at most `limit`. A scope that has no
 * inventory yet needs one. Scopes for which a schedule says when deltas start are not due. Inaccessible ones that do not
 * exist any more are asked for until their assets have ended, also if nobody selects them.
 */
export async function dueScopes(
  tx: EngineTx,
  due: Due,
  after: Pick<DueScope, 'tenantId' | 'scopeId'> | null,
  limit: number,
  now: number,
): Promise<DueScope[]> {
  return tx.query<DueScope>(sql`
    select s.tenant_id as "tenantId", s.scope_id as "scopeId",
           case when s.coverage_state is null then 'inventory' else 'delta' end as kind
      from scopes s
     where (s.tenant_id, s.scope_id) > (${after?.tenantId ?? ''}, ${after?.scopeId ?? ''})
       and ${due === 'scheduled' ? sql`s.selected and ${SCHEDULED} and ${targetInForce('delta')} is null` : askedAgainBy(now)}
       and not exists (select 1 from campaigns c
                        where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id
                          and c.status in ${ACTIVE_STATUSES})
     order by s.tenant_id, s.scope_id limit ${limit}`);
}

const SCHEDULED = sql`s.coverage_state is not null and s.inaccessible_since is null`;

/** 15 minutes after the first refusal, then after as long as the scope has been inaccessible, at least once a day. */
const askedAgainBy = (now: number): Statement => sql`
  s.inaccessible_since is not null and (s.selected or s.gone_since is not null and s.asset_count > 0)
  and s.refused_at + least(greatest(s.refused_at - s.inaccessible_since, interval '15 minutes'), interval '1 day')
      <= ${new Date(now)}`;

/** How many selected scopes with an inventory each tenant has of each family. */
export const scannedFamilies = (
  tx: EngineTx,
): Promise<{ tenantId: TenantId; family: SourceFamily; count: number }[]> =>
  tx.query(sql`
    select tenant_id as "tenantId", family, count(*)::int as count from scopes
     where selected and coverage_state is not null group by tenant_id, family`);

/**
 * Scopes of these families without an active scan whose last inventory began before a time, the oldest first; at most
 * `limit`. An inventory that was cancelled, is incomplete or narrowed counts until `triedBefore` only. Scopes for which a
 * schedule says when inventories start are not due.
 */
export function dueInventories(
  tx: EngineTx,
  families: readonly { tenantId: TenantId; family: SourceFamily }[],
  { before, triedBefore }: { before: number; triedBefore: number },
  limit: number,
): Promise<DueScope[]> {
  return tx.query<DueScope>(sql`
    select s.tenant_id as "tenantId", s.scope_id as "scopeId", 'inventory' as kind
      from unnest(${families.map(({ tenantId }) => tenantId)}::text[],
                  ${families.map(({ family }) => family)}::text[]) as f (tenant_id, family)
      join scopes s on s.tenant_id = f.tenant_id and s.family = f.family
      cross join lateral (
        -- The condition of the index.
        select max(created_at) as tried, max(created_at) filter (where status <> 'cancelled' and listing_units_dead = 0
                 and coalesce(jsonb_typeof(narrowing -> 'only'), 'null') = 'null') as begun
          from campaigns
         where tenant_id = s.tenant_id and scope_id = s.scope_id and not ${ROUTINE} and kind = 'inventory') inventory
     where s.selected and ${SCHEDULED} and ${targetInForce('inventory')} is null
       and coalesce(inventory.begun <= ${new Date(before)}, true)
       and coalesce(inventory.tried <= ${new Date(triedBefore)}, true)
       and not exists (select from campaigns c
                        where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id and c.status in ${ACTIVE_STATUSES})
     order by inventory.begun nulls first, s.tenant_id, s.scope_id limit ${limit}`);
}
