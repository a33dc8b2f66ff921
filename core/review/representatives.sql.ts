import { FENCE } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { hasOwner } from '../governance/owners.sql.ts';
import { newId } from '../kernel/ids.ts';
import { firstRevision, isRepresentative, nextRevision } from './question.sql.ts';

/** The type that an asset is likeliest of, among those whose domain can be asked about it. */
export type Likeliest = {
  domainId: string;
  informationTypeId: string;
  inferenceId: string;
  confidence: number;
};
/** An asset about which nobody is asked. `likeliest` is null if no domain can be asked. */
export type Unasked = { assetId: string; likeliest: Likeliest | null };

/** A domain has at most this share of its open questions about representatives, at least 1 and at most 20. */
const SHARE = 10;
const MOST = 20;
/** Open questions counted for that. More change nothing. */
const COUNTED = SHARE * MOST;

/** The next assets of the tenant, by id, after the one where the last run ended. */
export async function nextAssets(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ assetId: string }>(sql`
    select asset_id as "assetId" from assets
     where tenant_id = ${tx.tenantId} and asset_id > coalesce(
             (select after_asset_id from representative_walks where tenant_id = ${tx.tenantId}), '')
     order by asset_id limit ${limit}`);
  return rows.map(({ assetId }) => assetId);
}

/** Stores where the next run begins. Concurrent runs of a tenant wait for each other here. */
export async function storeWalk(tx: Tx, afterAssetId: string): Promise<void> {
  await tx.execute(sql`
    insert into representative_walks (tenant_id, after_asset_id) values (${tx.tenantId}, ${afterAssetId})
    on conflict (tenant_id) do update set after_asset_id = excluded.after_asset_id`);
}

/** The candidates of the asset `each`. The fence makes the planner look them up by asset, also without statistics. */
const candidatesOf = (tx: Tx): Statement => sql`(
  select * from candidates where tenant_id = ${tx.tenantId} and asset_id = each.asset_id ${FENCE})`;
/** The same of its inferences. */
const inferencesOf = (tx: Tx): Statement => sql`(
  select * from inferences
   where tenant_id = ${tx.tenantId} and asset_id = each.asset_id and inference_key = a.stage_keys ->> 'inference' ${FENCE})`;

/**
 * Of these assets, in their order, the ones about which nobody is asked and that the model takes for something, but not
 * surely enough to ask. All are lookups by asset.
 */
export const unaskedAmong = (tx: Tx, assetIds: readonly string[]): Promise<Unasked[]> =>
  tx.query<Unasked>(sql`
    select a.asset_id as "assetId", l.likeliest
      from unnest(${assetIds}::text[]) with ordinality as each (asset_id, nth)
     cross join lateral (
       select * from assets where tenant_id = ${tx.tenantId} and asset_id = each.asset_id ${FENCE}) a
     cross join lateral (
       select max(i.confidence) as confidence from ${inferencesOf(tx)} i) best
      left join lateral (
        select jsonb_build_object('domainId', i.domain_id, 'informationTypeId', i.information_type_id,
                                  'inferenceId', i.inference_id, 'confidence', i.confidence) as likeliest
          from ${inferencesOf(tx)} i
          join domains d on d.tenant_id = i.tenant_id and d.domain_id = i.domain_id and d.status = 'approved'
          join information_types t
            on t.tenant_id = i.tenant_id and t.information_type_id = i.information_type_id and t.status = 'approved'
         where ${hasOwner}
           and not exists (
             select from ${candidatesOf(tx)} k where k.domain_id = i.domain_id and k.status = 'rejected')
         order by i.confidence desc, i.information_type_id limit 1) l on true
     where a.status = 'active' and a.content_state in ('available', 'partial')
       and best.confidence < (select candidate_threshold from ensembles where tenant_id = ${tx.tenantId} and active)
       and not exists (
         select from ${candidatesOf(tx)} k where k.status in ('pending', 'deferred', 'confirmed', 'routed'))
     order by each.nth`);

/** Condition on `candidates k`: its question is open, or was answered after `since`. */
const isAsked = (since: Date): Statement => sql`(
  k.status in ('pending', 'deferred') or k.decision_id is not null and k.updated_at > ${since})`;

/** Whether a question about one of these assets is open, or was answered after `since`. */
export async function isGroupAsked(tx: Tx, assetIds: readonly string[], since: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from unnest(${assetIds}::text[]) as each (asset_id)
     cross join lateral ${candidatesOf(tx)} k
     where ${isAsked(since)} limit 1`);
  return rows.length > 0;
}

/** How many questions about further representatives a domain may have. */
export async function placesFor(tx: Tx, domainId: string): Promise<number> {
  const [row] = await tx.query<{ places: number }>(sql`
    select greatest(1, least(${MOST}::integer, (
             select count(*) from (
               select 1 from candidates
                where tenant_id = ${tx.tenantId} and domain_id = ${domainId} and status = 'pending' and asset_active
                limit ${COUNTED}) open)::integer / ${SHARE}::integer)) - (
             select count(*) from candidates k
              where k.tenant_id = ${tx.tenantId} and k.domain_id = ${domainId} and k.status = 'pending'
                and ${isRepresentative(sql`k`)} and k.asset_active)::integer as places`);
  return row?.places ?? 0;
}

/** Locks an asset. False if somebody else has locked it. */
export async function lockFree(tx: Tx, assetId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from assets where tenant_id = ${tx.tenantId} and asset_id = ${assetId} for no key update skip locked`);
  return rows.length > 0;
}

/** @param like the number of assets like it about which nobody is asked */
export async function askRepresentative(
  tx: Tx,
  assetId: string,
  { domainId, informationTypeId, inferenceId, confidence }: Likeliest,
  like: number,
  now: number,
): Promise<void> {
  const at = new Date(now);
  await tx.execute(sql`
    insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, information_type_id, inference_id, confidence,
                                 band, representative, related_count, revision, created_at, updated_at)
    values (${tx.tenantId}, ${newId('cnd', now)}, ${assetId}, ${domainId}, ${informationTypeId}, ${inferenceId}, ${confidence},
            'review', true, ${like},
            ${firstRevision({ tenantId: tx.tenantId, assetId: sql`${assetId}::text`, domainId: sql`${domainId}::text` })}, ${at}, ${at})
    on conflict on constraint candidates_once do update
      set inference_id = excluded.inference_id, confidence = excluded.confidence, band = 'review', basis = null,
          status = 'pending', decision_id = null, earlier_decision_id = null, changes = '[]', asked_because = 'inferred',
          representative = true, related_count = excluded.related_count, revision = excluded.revision, updated_at = excluded.updated_at
    where k.status = 'withdrawn'`);
}

/** Of these assets, the ones with an open question about a representative. */
export async function representativesAmong(tx: Tx, assetIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ assetId: string }>(sql`
    select distinct k.asset_id as "assetId" from candidates k
     where k.tenant_id = ${tx.tenantId} and k.asset_id = any(${assetIds}::text[]) and k.status = 'pending'
       and ${isRepresentative(sql`k`)} order by 1`);
  return rows.map(({ assetId }) => assetId);
}

/** Withdraws the question about a representative. */
export async function withdrawRepresentative(tx: Tx, assetId: string, now: number): Promise<void> {
  await tx.execute(sql`
    update candidates k
       set status = 'withdrawn', representative = false, revision = ${nextRevision(sql`k`)}, updated_at = ${new Date(now)}
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.status = 'pending'
       and ${isRepresentative(sql`k`)}`);
}
