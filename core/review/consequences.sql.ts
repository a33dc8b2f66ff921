import { isSameContent } from '../assets/same-content.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { forgetScoring } from '../inference/scorings.sql.ts';
import { newId } from '../kernel/ids.ts';
import type { LockedCandidate } from './decisions.sql.ts';
import { firstRevision, isNamedBy, isRepresentative, isUnanswered, nextRevision } from './question.sql.ts';
import { restoreLabels, withdrawLabels } from './training-examples.sql.ts';

/**
 * Asks another domain about an asset. If that domain was asked before, a question that was put off, withdrawn or
 * routed on is opened again. An answer remains valid.
 * @returns false if the domain has rejected the asset
 */
export async function routeToDomain(
  tx: Tx,
  assetId: string,
  domainId: string,
  now: number,
): Promise<boolean> {
  const at = new Date(now);
  const taken = await tx.execute(sql`
    insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, band, asked_because, revision, created_at,
                                 updated_at)
    values (${tx.tenantId}, ${newId('cnd', now)}, ${assetId}, ${domainId}, 'routed', 'routed',
            ${firstRevision({ tenantId: tx.tenantId, assetId: sql`${assetId}::text`, domainId: sql`${domainId}::text` })}, ${at}, ${at})
    on conflict on constraint candidates_once do update
      set (status, decision_id, revision, updated_at, asked_because) = (
        select case when opens then 'pending' else k.status end, case when not opens then k.decision_id end,
               case when opens then excluded.revision else k.revision end, case when opens then excluded.updated_at else k.updated_at end,
               case when opens then 'routed' else k.asked_because end
          from (select k.status in ('deferred', 'withdrawn', 'routed')) as state (opens))
    where k.status <> 'rejected'`);
  return taken > 0;
}

/** Withdraws the questions that only represent a group, after another candidate of the asset is confirmed or routed. */
export async function withdrawRepresentatives(
  tx: Tx,
  { assetId, domainId }: LockedCandidate,
  now: number,
): Promise<void> {
  await tx.execute(sql`
    update candidates k
       set status = 'withdrawn', representative = false, revision = ${nextRevision(sql`k`, domainId)},
           updated_at = ${new Date(now)}
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.status = 'pending'
       and ${isRepresentative(sql`k`)}`);
}

/**
 * Condition on `candidates k`: it is the question of the domain that the asset was sent to, and nobody there has
 * answered it.
 */
const waitsThere = (tx: Tx, assetId: string, domainId: string) => sql`
  k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.domain_id = ${domainId}
  and ${isUnanswered(sql`k`)}`;

/** Whether the domain that an asset was sent to has answered. The sender can then no longer take it back. */
export async function isAnsweredBy(tx: Tx, assetId: string, domainId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from candidates k where ${waitsThere(tx, assetId, domainId)}`);
  return rows.length === 0;
}

/** Withdraws the question of a domain that an asset was sent to, unless another sender has sent it there too. */
export async function takeBackRoute(tx: Tx, assetId: string, domainId: string, now: number): Promise<void> {
  await tx.execute(sql`
    update candidates k set status = 'withdrawn', revision = ${nextRevision(sql`k`)}, updated_at = ${new Date(now)}
     where ${waitsThere(tx, assetId, domainId)} and not exists (
       select from candidates sender
         join decisions d on d.tenant_id = sender.tenant_id and d.decision_id = sender.decision_id
        where sender.tenant_id = k.tenant_id and sender.asset_id = k.asset_id and sender.status = 'routed'
          and d.routed_domain_id = k.domain_id)`);
}

/**
 * Condition on `decisions d`: the decision sent the asset to this question, by routing to its domain or by naming its
 * type.
 */
const sentHere = ({ domainId, informationTypeId }: LockedCandidate) =>
  informationTypeId === null
    ? sql`d.routed_domain_id = ${domainId}`
    : sql`d.corrected_information_type_id = ${informationTypeId}`;

/**
 * After a domain has rejected an asset: asks those again who sent it there or named its type. Their decisions teach nothing
 * meanwhile.
 */
export async function returnToSenders(tx: Tx, refused: LockedCandidate, now: number): Promise<void> {
  const returned = await tx.query<{ decisionId: string }>(sql`
    update candidates k
       set status = 'pending', decision_id = null, revision = ${nextRevision(sql`k`, refused.domainId)}, updated_at = ${new Date(now)},
           asked_because = 'returned', representative = false, earlier_decision_id = d.decision_id
      from decisions d
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${refused.assetId} and k.status in ('routed', 'confirmed')
       and k.candidate_id <> ${refused.candidateId}
       and d.tenant_id = k.tenant_id and d.asset_id = k.asset_id and d.decision_id = k.decision_id
       and ${sentHere(refused)}
    returning d.decision_id as "decisionId"`);
  if (returned.length === 0) return;
  const decisionIds = returned.map(({ decisionId }) => decisionId);
  await withdrawLabels(tx, refused.assetId, decisionIds, now);
  await forgetScoring(tx, refused.assetId);
}

/**
 * After a domain has revised its rejection of an asset: restores the decisions of those who sent it there or named
 * its type and were asked again. A question stays open if its owner has answered since, or if the content has changed
 * since the decision.
 */
export async function takeBackReturn(tx: Tx, taken: LockedCandidate, now: number): Promise<void> {
  const restored = await tx.query<{ decisionId: string }>(sql`
    update candidates k
       set status = case when d.routed_domain_id is null then 'confirmed' else 'routed' end, decision_id = d.decision_id,
           revision = ${nextRevision(sql`k`, taken.domainId)}, updated_at = ${new Date(now)},
           earlier_decision_id = null
      from decisions d join assets a on a.tenant_id = d.tenant_id and a.asset_id = d.asset_id
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${taken.assetId} and k.status = 'pending'
       and k.asked_because = 'returned' and d.tenant_id = k.tenant_id and d.decision_id = k.earlier_decision_id
       and ${sentHere(taken)} and ${isSameContent}
    returning k.decision_id as "decisionId"`);
  const decisionIds = restored.map(({ decisionId }) => decisionId);
  if (decisionIds.length > 0) await restoreLabels(tx, taken.assetId, decisionIds);
}

/**
 * Confirms the candidate of the type that a correction names, and creates it if there is none. A candidate whose own
 * owner has already confirmed this type stays as it is. One whose owner had corrected it to another type is
 * overruled.
 * @returns false if another domain has rejected the asset as this type
 */
export async function confirmCorrected(
  tx: Tx,
  { assetId, domainId }: LockedCandidate,
  corrected: { domainId: string; informationTypeId: string; decisionId: string },
  now: number,
): Promise<boolean> {
  const at = new Date(now);
  const [refused] = await tx.query(sql`
    select 1 from candidates k
     where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId} and k.status = 'rejected'
       and k.information_type_id = ${corrected.informationTypeId} and k.domain_id <> ${domainId}`);
  if (refused !== undefined) return false;
  // The model no longer supports a withdrawn candidate, so the confirmed one rests on the correction alone.
  await tx.execute(sql`
    insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, information_type_id, band, status,
                                 asked_because, decision_id, revision, created_at, updated_at)
    values (${tx.tenantId}, ${newId('cnd', now)}, ${assetId}, ${corrected.domainId}, ${corrected.informationTypeId},
            'routed', 'confirmed', 'corrected', ${corrected.decisionId}, ${firstRevision(
              {
                tenantId: tx.tenantId,
                assetId: sql`${assetId}::text`,
                domainId: sql`${corrected.domainId}::text`,
              },
              domainId,
            )}, ${at}, ${at})
    on conflict on constraint candidates_once do update
      set inference_id = case when k.status <> 'withdrawn' then k.inference_id end,
          confidence = case when k.status <> 'withdrawn' then k.confidence end,
          band = case when k.status <> 'withdrawn' then k.band else excluded.band end,
          asked_because = case when k.status <> 'withdrawn' then k.asked_because else excluded.asked_because end,
          status = 'confirmed', decision_id = excluded.decision_id, revision = excluded.revision,
          updated_at = excluded.updated_at, earlier_decision_id = null, changes = '[]'
    where k.decision_id is distinct from excluded.decision_id and (k.status <> 'confirmed' or exists (
      select 1 from decisions d
       where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
         and d.corrected_information_type_id <> k.information_type_id))`);
  return true;
}

/**
 * Releases candidates that only a revised correction had confirmed. They are asked again if the model supports them,
 * and withdrawn otherwise.
 */
export async function releaseCorrected(
  tx: Tx,
  { assetId, domainId: decidedDomainId }: LockedCandidate,
  now: number,
): Promise<void> {
  const changed = await tx.execute(sql`
    with corrected as (
      select c.tenant_id, c.decision_id, d.corrected_information_type_id
        from candidates c
        join decisions d
          on d.tenant_id = c.tenant_id and d.decision_id = c.decision_id and d.candidate_id = c.candidate_id
       where c.tenant_id = ${tx.tenantId} and c.asset_id = ${assetId} and d.corrected_information_type_id is not null
    ), released as (
      select k.tenant_id, k.candidate_id, d.decision_id as former_id,
             (select min(s.decision_id) from corrected s
               where s.corrected_information_type_id = k.information_type_id) as decision_id
        from candidates k
        join decisions d
          on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id and ${isNamedBy(sql`k`)}
       where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId}
         and k.decision_id not in (select decision_id from corrected)
    )
    update candidates k
       set status = case when r.decision_id is not null then 'confirmed'
                         when k.inference_id is not null then 'pending' else 'withdrawn' end,
           decision_id = r.decision_id, revision = ${nextRevision(sql`k`, decidedDomainId)}, updated_at = ${new Date(now)},
           asked_because = 'correction_revised', representative = false,
           earlier_decision_id = case when r.decision_id is null then r.former_id end
      from released r
     where k.tenant_id = r.tenant_id and k.candidate_id = r.candidate_id`);
  if (changed > 0) await forgetScoring(tx, assetId);
}
