import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { joinScoring, scoredVersion } from '../inference/scorings.sql.ts';
import { newId } from '../kernel/ids.ts';
import { type DecisionContent, TRAINING_LABELS } from './decision.ts';
import type { LockedCandidate, Made } from './decisions.sql.ts';

/**
 * Stores what a decision teaches the model: one dataset candidate for each type that it confirms or refuses, with the
 * confidence of the model at this time. A correction confirms the type that it names and refuses the types of the
 * question that it replaces. A decision that is not eligible for training, that routes or that puts off
 * teaches nothing. Every decision takes the place of labels out of earlier answers to the question, and of labels of the
 * asset with one of these types. The caller has locked the asset.
 */
export async function recordTrainingExamples(
  tx: Tx,
  question: readonly [LockedCandidate, ...LockedCandidate[]],
  { decision, correctedInformationTypeId, trainingEligible }: DecisionContent,
  made: Pick<Made, 'domainId' | 'now'> & { decisionId: string },
): Promise<void> {
  const [first] = question;
  const at = new Date(made.now);
  const asked = question.filter(({ informationTypeId }) => informationTypeId !== null);
  const named = { ...first, informationTypeId: correctedInformationTypeId, domainId: made.domainId };
  const label = trainingEligible ? TRAINING_LABELS[decision] : null;
  const labels =
    label === null
      ? []
      : correctedInformationTypeId === null
        ? asked.map((each) => ({ ...each, label }))
        : [
            { ...named, label },
            ...asked
              .filter(({ informationTypeId }) => informationTypeId !== correctedInformationTypeId)
              .map((each) => ({ ...each, label: 'counterexample' as const })),
          ];
  const examples = labels.map((each) => ({ ...each, id: newId('dsc', made.now) }));
  const typeIds = [named, ...question].flatMap(({ informationTypeId }) => informationTypeId ?? []);
  await tx.execute(sql`
    update dataset_candidates set revised_at = ${at}
     where tenant_id = ${tx.tenantId} and asset_id = ${first.assetId} and revised_at is null
       and (candidate_id = any(${question.map((member) => member.candidateId)}::text[])
            or information_type_id = any(${typeIds}::text[]))`);
  if (examples.length === 0) return;
  await tx.execute(sql`
    insert into dataset_candidates (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id,
                                    information_type_id, domain_id, label, confidence, inference_id, ensemble_version,
                                    created_at)
    select a.tenant_id, x.id, ${made.decisionId}, x."candidateId", a.asset_id, x."informationTypeId", x."domainId",
           x.label, i.confidence, i.inference_id, coalesce(${scoredVersion}, e.version), ${at}
      from jsonb_to_recordset(${sql.json(examples)}::jsonb)
             as x (id text, "candidateId" text, "informationTypeId" text, "domainId" text, label text)
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = ${first.assetId}
      join ensembles e on e.tenant_id = a.tenant_id and e.active
      ${joinScoring}
      left join inferences i
        on i.tenant_id = a.tenant_id and i.asset_id = a.asset_id and i.information_type_id = x."informationTypeId"
       and i.inference_key = a.stage_keys ->> 'inference'`);
}

/** Withdraws all labels of decisions on an asset that are no longer valid. */
export const withdrawLabels = (
  tx: Tx,
  assetId: string,
  decisionIds: readonly string[],
  now: number,
): Promise<number> =>
  tx.execute(sql`
    update dataset_candidates set revised_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and revised_at is null
       and decision_id = any(${decisionIds}::text[])`);

/**
 * Withdraws labels of an asset whose decisions no question rests on any more, because a correction has overruled them.
 * Call it when the candidates have followed a decision.
 */
export const withdrawOverruled = (tx: Tx, assetId: string, now: number): Promise<number> =>
  tx.execute(sql`
    update dataset_candidates c set revised_at = ${new Date(now)}
     where c.tenant_id = ${tx.tenantId} and c.asset_id = ${assetId} and c.revised_at is null
       and not exists (
         select from candidates k
          where k.tenant_id = c.tenant_id and k.asset_id = c.asset_id
            -- The decision on a question that is asked again has not been revised.
            and (k.decision_id = c.decision_id
              or (k.earlier_decision_id = c.decision_id and k.candidate_id = c.candidate_id)))`);

/** Lets labels of decisions that are valid again count again, unless a newer label of the asset names the type. */
export const restoreLabels = (tx: Tx, assetId: string, decisionIds: readonly string[]): Promise<number> =>
  tx.execute(sql`
    update dataset_candidates c set revised_at = null
     where c.tenant_id = ${tx.tenantId} and c.dataset_candidate_id in (
       select distinct on (information_type_id) dataset_candidate_id from dataset_candidates
        where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and decision_id = any(${decisionIds}::text[])
        order by information_type_id, created_at desc)
       and not exists (
         select from dataset_candidates o
          where o.tenant_id = c.tenant_id and o.asset_id = c.asset_id and o.revised_at is null
            and o.information_type_id = c.information_type_id)`);
