import { lookedAtContentVersion } from '../assets/same-content.sql.ts';
import { FENCE, isAmong, isNow } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { bandOf, type Ensemble, type Inference, isCandidate } from '../inference/inference.ts';
import type { Spellings } from '../inference/spellings.ts';
import { type AssetId, newId } from '../kernel/ids.ts';
import { firstRevision, isRepresentative, nextRevision } from './question.sql.ts';
import { type Basis, basisOf } from './summary.ts';

/** An inference as it is stored, with the band and the basis of its question if it is asked. */
export type Suggestion = Pick<
  Inference,
  'informationTypeId' | 'domainId' | 'confidence' | 'contributions'
> & {
  asked: { band: 'review' | 'high'; basis: Basis } | null;
};

/** After so many domains have refused an asset, the model asks no further one. */
const MOST_REFUSALS = 3;

/**
 * Whether owners are asked about an inference. A domain that has refused the asset is not asked about another type.
 * @param refusedBy ids of the domains that have refused the asset
 */
export const isAsked = (
  { confidence, domainId }: Pick<Inference, 'confidence' | 'domainId'>,
  refusedBy: readonly string[],
  ensemble: Ensemble,
): boolean =>
  isCandidate(confidence, ensemble) && refusedBy.length < MOST_REFUSALS && !refusedBy.includes(domainId);

/**
 * What the model says of an asset, and which of it owners are asked.
 * @param signals of the text, for the summary of a candidate
 */
export const suggestionsOf = (
  inferences: readonly Inference[],
  {
    refusedBy,
    signals,
    spellings,
  }: { refusedBy: readonly string[]; signals: readonly Signal[]; spellings: Spellings | undefined },
  ensemble: Ensemble,
): Suggestion[] =>
  inferences.map((inference) => {
    const { informationTypeId, domainId, confidence, contributions } = inference;
    return {
      informationTypeId,
      domainId,
      confidence,
      contributions,
      asked: isAsked(inference, refusedBy, ensemble)
        ? { band: candidateBand(confidence, ensemble), basis: basisOf(contributions, signals, spellings) }
        : null,
    };
  });

/** The inferences on one asset. */
export type InferenceRun = {
  assetId: AssetId;
  suggestions: readonly Suggestion[];
  inferenceKey: string;
  /** Whether the asset was read, rather than scored again from its retained features. */
  readAgain: boolean;
};

/**
 * Stores the inferences on assets. Each one that is at or above the threshold also gets an assertion and a
 * candidate. Existing inferences and assertions stay as they are, and a second call with the same key changes
 * nothing. Existing candidates change as follows:
 * - One with an answer stays as it is. `reconsider` asks it again.
 * - A pending one takes over the newest inference.
 * - One that was put off becomes pending if the inference is new.
 * - One that the model no longer supports is withdrawn, unless an owner confirmed the asset before.
 * - A representative waits on while nobody is asked otherwise about its asset and the model still names its type. It is an
 *   ordinary question as soon as the model supports it.
 * The revision rises with the status, the band and newly read evidence, so that nobody answers on evidence that they
 * have not seen. It does not rise when decisions on similar assets change the confidence.
 */
export async function recordInferences(
  tx: Tx,
  runs: readonly InferenceRun[],
  ensembleVersion: number,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const assets = runs.map(({ assetId, inferenceKey, readAgain }) => ({
    asset_id: assetId,
    inference_key: inferenceKey,
    read_again: readAgain,
  }));
  const scored = runs.flatMap(({ assetId, suggestions }) =>
    suggestions.map(({ informationTypeId, domainId, confidence, contributions, asked }) => ({
      asset_id: assetId,
      inference_id: newId('inf', now),
      assertion_id: newId('asn', now),
      candidate_id: newId('cnd', now),
      information_type_id: informationTypeId,
      domain_id: domainId,
      confidence,
      contributions,
      ...asked,
    })),
  );
  await tx.query(sql`
    with runs as materialized (
      select * from jsonb_to_recordset(${sql.json(assets)}::jsonb) as r (
        asset_id text, inference_key text, read_again boolean)
    ), scored as materialized (
      select * from jsonb_to_recordset(${sql.json(scored)}::jsonb) as s (
        asset_id text, inference_id text, assertion_id text, candidate_id text, information_type_id text,
        domain_id text, confidence double precision, contributions jsonb, band text, basis jsonb)
    ), known as (
      select r.asset_id, k.inference_id, k.information_type_id
        from runs r cross join lateral (
          select inference_id, information_type_id from inferences
           where tenant_id = ${tx.tenantId} and asset_id = r.asset_id and inference_key = r.inference_key ${FENCE}) k
    ), added as (
      insert into inferences (tenant_id, inference_id, asset_id, information_type_id, domain_id, confidence,
                              contributions, ensemble_version, inference_key, created_at)
      select ${tx.tenantId}, inference_id, asset_id, information_type_id, domain_id, confidence, contributions,
             ${ensembleVersion}, inference_key, ${at}
        from scored join runs using (asset_id)
      on conflict on constraint inferences_once do nothing
      returning asset_id, inference_id, information_type_id
    ), supported as (
      select s.candidate_id, s.assertion_id, asset_id, information_type_id, s.domain_id, s.confidence, s.band, s.basis,
             coalesce(a.inference_id, k.inference_id) as inference_id, a.inference_id is not null as is_new,
             ${firstRevision({ tenantId: tx.tenantId, assetId: sql`asset_id`, domainId: sql`s.domain_id` })} as revision, r.read_again
        from scored s
        join runs r using (asset_id)
        left join added a using (asset_id, information_type_id)
        left join known k using (asset_id, information_type_id)
       where s.band is not null
    ), asserted as (
      insert into assertions (tenant_id, assertion_id, asset_id, kind, statement, domain_id, information_type_id,
                              inference_id, created_at)
      select ${tx.tenantId}, assertion_id, asset_id, 'inferred', 'belongs_to', domain_id, information_type_id,
             inference_id, ${at}
        from supported where is_new
    ), asked as (
      insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, inference_id,
                              confidence, band, basis, revision, content_revision, created_at, updated_at)
      select ${tx.tenantId}, candidate_id, asset_id, domain_id, information_type_id, inference_id, confidence, band,
             basis, revision, case when read_again then revision end, ${at}, ${at}
        from supported
      on conflict on constraint candidates_once do update
        set inference_id = excluded.inference_id, confidence = excluded.confidence, band = excluded.band,
            basis = excluded.basis, status = 'pending', decision_id = null, updated_at = excluded.updated_at,
            asked_because = case candidates.status when 'deferred' then 'put_off' when 'withdrawn' then 'inferred'
                                                   else candidates.asked_because end,
            representative = false,
            related_count = case when candidates.representative then 0 else candidates.related_count end,
            earlier_decision_id = case candidates.status when 'deferred' then candidates.decision_id
                                                         when 'pending' then candidates.earlier_decision_id end,
            changes = case candidates.status when 'pending' then candidates.changes else '[]' end,
            revision = case when candidates.status <> 'pending' or candidates.band <> excluded.band
                              or excluded.content_revision is not null then excluded.revision
                            else candidates.revision end,
            content_revision = coalesce(excluded.content_revision, candidates.content_revision)
      where candidates.status = 'withdrawn'
         or (candidates.status in ('pending', 'deferred')
             and (candidates.inference_id is distinct from excluded.inference_id
                  or candidates.status = 'pending' and candidates.representative))
    ), representing as materialized (
      select c.candidate_id, c.inference_id as former_id, coalesce(a.inference_id, n.inference_id) as inference_id, s.confidence
        from runs r cross join lateral (
          select * from candidates k
           where k.tenant_id = ${tx.tenantId} and k.asset_id = r.asset_id and k.status = 'pending' and k.band <> 'routed'
             and ${isRepresentative(sql`k`)} ${FENCE}) c
        join scored s on s.asset_id = r.asset_id and s.information_type_id = c.information_type_id
        left join added a on a.asset_id = s.asset_id and a.information_type_id = s.information_type_id
        left join known n on n.asset_id = s.asset_id and n.information_type_id = s.information_type_id
       where not exists (select from supported p where p.asset_id = r.asset_id)
         and not exists (
           select from candidates o
            where o.tenant_id = ${tx.tenantId} and o.asset_id = r.asset_id and o.candidate_id <> c.candidate_id
              and o.status in ('pending', 'deferred', 'confirmed', 'routed'))
    ), scored_again as (
      update candidates k set inference_id = p.inference_id, confidence = p.confidence, updated_at = ${at}
        from representing p
       where k.tenant_id = ${tx.tenantId} and k.candidate_id = p.candidate_id and ${isNow(sql`k.status`, 'pending')}
         and ${isAmong(sql`k.candidate_id`, sql`select candidate_id from representing`)} and p.inference_id <> p.former_id
    ), unsupported as materialized (
      select c.candidate_id, c.asked_because = 'content_changed' and exists (
               select from decisions d
                where d.tenant_id = ${tx.tenantId} and d.decision_id = c.earlier_decision_id
                  and d.decision in ('mine', 'mine_different_type', 'mine_not_sensitive')) as confirmed
        from runs r cross join lateral (
          select * from candidates
           where tenant_id = ${tx.tenantId} and asset_id = r.asset_id and status = 'pending' and band <> 'routed'
           ${FENCE}) c
       where not exists (
               select from supported s
                where s.asset_id = c.asset_id and s.information_type_id = c.information_type_id)
         and not exists (select from representing p where p.candidate_id = c.candidate_id)
    )
    update candidates k
       set status = case when confirmed then 'pending' else 'withdrawn' end,
           band = case when confirmed then 'routed' else k.band end, representative = false,
           inference_id = case when not confirmed then k.inference_id end,
           confidence = case when not confirmed then k.confidence end,
           basis = case when not confirmed then k.basis end,
           revision = ${nextRevision(sql`k`)}, updated_at = ${at}
      from unsupported
     where k.tenant_id = ${tx.tenantId} and k.candidate_id = unsupported.candidate_id
       and ${isNow(sql`k.status`, 'pending')}
       and ${isAmong(sql`k.candidate_id`, sql`select candidate_id from unsupported`)}`);
}

/**
 * Raises the revision of candidates whose assets have other content than the stored one, so that nobody answers on content
 * that they have not seen. `recordInferences` does it for the others: those that the model is asked about. Call it before
 * that, with the rows of the assets locked and not updated yet.
 */
export async function noteNewContent(
  tx: Tx,
  assets: readonly { assetId: AssetId; contentHash: string | null; contentVersion: string }[],
): Promise<void> {
  await tx.execute(sql`
    update candidates k
       set revision = ${nextRevision(sql`k`)}, content_revision = ${nextRevision(sql`k`)}
      from unnest(${assets.map(({ assetId }) => assetId)}::text[],
                  ${assets.map(({ contentHash }) => contentHash)}::text[],
                  ${assets.map(({ contentVersion }) => contentVersion)}::text[]) as read (asset_id, hash, version)
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = read.asset_id
     where k.tenant_id = ${tx.tenantId} and k.asset_id = read.asset_id
       and (k.status in ('deferred', 'confirmed', 'rejected', 'routed') or (k.status = 'pending' and (k.band = 'routed' or ${isRepresentative(sql`k`)})))
       and case when a.content_hash is not null and read.hash is not null
                then a.content_hash <> decode(read.hash, 'hex')
                else ${lookedAtContentVersion} is distinct from read.version end`);
}

/** An ensemble may have a candidate threshold below its review band. Such candidates are in the band `review` too. */
export const candidateBand = (confidence: number, ensemble: Ensemble) =>
  bandOf(confidence, ensemble) === 'high' ? 'high' : 'review';
