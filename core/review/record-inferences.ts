import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type AssetId, newId } from '../kernel/ids.ts';
import { bandOf, type Ensemble, type Inference, isCandidate } from '../scan/inference.ts';

/**
 * Adds what the model said of an asset: inferences, and for those that an owner is asked about an assertion and a
 * candidate. Nothing that was said before is changed. A candidate that is decided stays so; one that waits follows
 * the newest inference, one that was put off waits again when the inference is new, and one that nothing supports
 * any more is withdrawn. The revision is raised by what matters to an answer, so that nobody gives one to what he has
 * not seen: the status, the band, and evidence that was read anew. What owners said of like assets changes the
 * confidence and its reasons, and refuses nobody's answer. The same key twice changes nothing.
 */
export async function recordInferences(
  tx: Tx,
  run: {
    assetId: AssetId;
    inferences: readonly Inference[];
    ensemble: Ensemble;
    inferenceKey: string;
    /** Whether the asset was read anew, rather than scored again from what is retained of it. */
    readAnew: boolean;
    now: number;
  },
): Promise<void> {
  const { assetId, ensemble, inferenceKey, readAnew, now } = run;
  const at = new Date(now);
  const scored = run.inferences.map((inference) => ({
    inference_id: newId('inf', now),
    assertion_id: newId('asn', now),
    candidate_id: newId('cnd', now),
    information_type_id: inference.informationTypeId,
    domain_id: inference.domainId,
    confidence: inference.confidence,
    contributions: inference.contributions,
    band: isCandidate(inference.confidence, ensemble) ? candidateBand(inference.confidence, ensemble) : null,
  }));
  await tx.query(sql`
    with scored as (
      select * from jsonb_to_recordset(${sql.json(scored)}::jsonb) as s (
        inference_id text, assertion_id text, candidate_id text, information_type_id text, domain_id text,
        confidence double precision, contributions jsonb, band text)
    ), known as (
      select inference_id, information_type_id from inferences
       where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and inference_key = ${inferenceKey}
    ), added as (
      insert into inferences (tenant_id, inference_id, asset_id, information_type_id, domain_id, confidence,
                              contributions, ensemble_version, inference_key, created_at)
      select ${tx.tenantId}, inference_id, ${assetId}, information_type_id, domain_id, confidence, contributions,
             ${ensemble.version}, ${inferenceKey}, ${at}
        from scored
      on conflict on constraint inferences_once do nothing
      returning inference_id, information_type_id
    ), supported as (
      select s.candidate_id, s.assertion_id, s.information_type_id, s.domain_id, s.confidence, s.band,
             coalesce(a.inference_id, k.inference_id) as inference_id, a.inference_id is not null as is_new
        from scored s
        left join added a using (information_type_id)
        left join known k using (information_type_id)
       where s.band is not null
    ), asserted as (
      insert into assertions (tenant_id, assertion_id, asset_id, kind, statement, domain_id, information_type_id,
                              inference_id, created_at)
      select ${tx.tenantId}, assertion_id, ${assetId}, 'inferred', 'belongs_to', domain_id, information_type_id,
             inference_id, ${at}
        from supported where is_new
    ), asked as (
      insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, inference_id,
                              confidence, band, created_at, updated_at)
      select ${tx.tenantId}, candidate_id, ${assetId}, domain_id, information_type_id, inference_id, confidence, band,
             ${at}, ${at}
        from supported
      on conflict on constraint candidates_once do update
        set inference_id = excluded.inference_id, confidence = excluded.confidence, band = excluded.band,
            status = 'pending', decision_id = null, updated_at = excluded.updated_at,
            revision = candidates.revision + (
              ${readAnew} or candidates.status <> 'pending' or candidates.band <> excluded.band)::integer
      where candidates.status = 'withdrawn'
         or (candidates.status in ('pending', 'deferred')
             and candidates.inference_id is distinct from excluded.inference_id)
    )
    update candidates set status = 'withdrawn', revision = revision + 1, updated_at = ${at}
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and status = 'pending' and band <> 'routed'
       and information_type_id not in (select information_type_id from supported)`);
}

/** A release may ask below its review band; what it asks is then reviewed all the same. */
const candidateBand = (confidence: number, ensemble: Ensemble) =>
  bandOf(confidence, ensemble) === 'high' ? 'high' : 'review';
