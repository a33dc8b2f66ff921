import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { joinScoring, scoredVersion } from '../inference/scorings.sql.ts';
import { newId } from '../kernel/ids.ts';
import { type DecisionContent, TRAINING_LABELS } from './decision.ts';
import type { LockedCandidate, Made } from './decisions.sql.ts';

/**
 * Stores what a decision teaches the model: one dataset candidate for each type that it confirms or refuses, with the
 * confidence of the model at this time. A decision that is not eligible for training, that routes or that puts off
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
  const about =
    correctedInformationTypeId === null
      ? question.filter(({ informationTypeId }) => informationTypeId !== null)
      : [{ ...first, informationTypeId: correctedInformationTypeId, domainId: made.domainId }];
  const label = trainingEligible ? TRAINING_LABELS[decision] : null;
  const examples = label === null ? [] : about.map((each) => ({ ...each, id: newId('dsc', made.now) }));
  const typeIds = [...about, ...question].flatMap(({ informationTypeId }) => informationTypeId ?? []);
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
           ${label}, i.confidence, i.inference_id, coalesce(${scoredVersion}, e.version), ${at}
      from jsonb_to_recordset(${sql.json(examples)}::jsonb)
             as x (id text, "candidateId" text, "informationTypeId" text, "domainId" text)
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = ${first.assetId}
      join ensembles e on e.tenant_id = a.tenant_id and e.active
      ${joinScoring}
      left join inferences i
        on i.tenant_id = a.tenant_id and i.asset_id = a.asset_id and i.information_type_id = x."informationTypeId"
       and i.inference_key = a.stage_keys ->> 'inference'`);
}
