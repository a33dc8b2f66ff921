import type { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { recomputeRisk } from '../findings/recompute.ts';
import { domainOfApprovedType, isApprovedDomain } from '../governance/approved-domain.sql.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { markDecided } from '../similarity/store-comparable.sql.ts';
import type { CandidateStatus } from './candidate-states.ts';
import {
  confirmCorrected,
  isAnsweredBy,
  releaseCorrected,
  returnToSenders,
  routeToDomain,
  takeBackReturn,
  takeBackRoute,
  withdrawRepresentatives,
} from './consequences.sql.ts';
import {
  contentOf,
  type DecisionAnswerSchema,
  type DecisionContent,
  type DecisionRequest,
  OUTCOMES,
  refusal,
  repeats,
} from './decision.ts';
import {
  currentDecision,
  insertDecision,
  type LockedCandidate,
  lockCandidate,
  lockOthersOfQuestion,
  type Made,
  readQuestion,
} from './decisions.sql.ts';
import { rescoreRelated } from './rescore-related.ts';
import { recordTrainingExamples, withdrawOverruled } from './training-examples.sql.ts';

type DecisionAnswer = z.infer<typeof DecisionAnswerSchema>;

/**
 * Records an owner's decision on a candidate and on the other candidates of its question. The inferences stay as they
 * are: the decision adds assertions that answer them, and has related assets scored again. If the same person repeats
 * the same decision, nothing changes and the answer is the same. Throws `not_found` (also for a candidate of another
 * domain), `validation_failed` and `conflict`. At the commit, triggers place the asset and index it for search (ADR 12).
 */
export async function decide(
  tx: Tx,
  by: {
    principal: Principal;
    visibility: Visibility;
    correlationId: string;
    audit: (entry: AuditEntry) => void;
  },
  candidateId: string,
  request: DecisionRequest,
  now: number,
): Promise<DecisionAnswer> {
  const candidate = await lockCandidate(tx, candidateId, by.visibility);
  if (candidate === null) throw notFound();
  const { principalId } = by.principal;
  const content = contentOf(request);
  const { status, statement } = OUTCOMES[content.decision];
  const [question, current] = await Promise.all([
    readQuestion(tx, candidate),
    currentDecision(tx, candidate),
  ]);
  if (current !== null && repeats(current, principalId, content)) {
    const { assertionId } = current;
    return { candidateId, decision: content.decision, status, revision: question.revision, assertionId };
  }
  const { assetId } = candidate;
  const sentTo = candidate.status === 'routed' ? (current?.routedDomainId ?? null) : null;
  const isAnsweredThere = sentTo !== null && (await isAnsweredBy(tx, assetId, sentTo));
  const looked = { principalId, revision: request.revision };
  const refused = refusal({ ...question, status: candidate.status }, current, looked, isAnsweredThere, now);
  if (refused !== null) throw new ServiceError('conflict', refused);

  const others = await lockOthersOfQuestion(tx, candidate);
  const stated = await statedOf(tx, candidate, others, content, by.visibility);
  const answered = [candidate, ...others] as const;
  // `decisions`, `decision_excerpts`, `assertions`, `candidates`: those of the question
  const { decisionId, assertionId } = await insertDecision(tx, answered, content, {
    principalId,
    status,
    statement,
    ...stated,
    revision: question.revision + 1,
    now,
  });
  // `dataset_candidates`
  await recordTrainingExamples(tx, answered, content, { decisionId, ...stated, now });
  // `candidates`: other questions of the asset; `dataset_candidates`, `asset_scorings`
  await followUp(tx, answered, { content, status, sentTo, decisionId, statedDomainId: stated.domainId, now });
  // `assets`, `sketch_bands`
  await markDecided(tx, assetId);
  // `asset_risks`, `findings`, `assets`
  await recomputeRisk(tx, assetId, now, decisionId);
  const { correlationId } = by;
  // `campaigns`, `work_units`
  await rescoreRelated(tx, { assetId, decisionId, createdBy: principalId, correlationId }, now);
  by.audit({
    category: 'review',
    type: 'candidate_decided',
    target: { kind: 'candidate', id: candidateId },
    details: {
      decision: content.decision,
      decisionId,
      assetId,
      domainId: candidate.domainId,
      routedDomainId: content.routedDomainId,
      correctedInformationTypeId: content.correctedInformationTypeId,
      answered: answered.length,
    },
  });
  const { revision } = await readQuestion(tx, candidate);
  return { candidateId, decision: content.decision, status, revision, assertionId };
}

/**
 * Applies a decision to the questions of other owners about the asset. Throws `conflict` if another domain has
 * rejected the asset.
 */
async function followUp(
  tx: Tx,
  question: readonly [LockedCandidate, ...LockedCandidate[]],
  {
    content: { routedDomainId, correctedInformationTypeId: informationTypeId },
    status,
    sentTo,
    decisionId,
    statedDomainId: domainId,
    now,
  }: {
    content: DecisionContent;
    status: CandidateStatus;
    /** The domain that the asset was sent to until now. */
    sentTo: string | null;
    decisionId: string;
    statedDomainId: string;
    now: number;
  },
): Promise<void> {
  const [candidate] = question;
  const { assetId } = candidate;
  if (routedDomainId !== null && !(await routeToDomain(tx, assetId, routedDomainId, now)))
    throw new ServiceError('conflict', 'That domain has already rejected the asset.');
  if (sentTo !== null) await takeBackRoute(tx, assetId, sentTo, now);
  for (const answered of question) {
    if (status === 'rejected') await returnToSenders(tx, answered, now);
    else if (answered.status === 'rejected') await takeBackReturn(tx, answered, now);
  }
  if (informationTypeId !== null) {
    const corrected = { domainId, informationTypeId, decisionId };
    if (!(await confirmCorrected(tx, candidate, corrected, now)))
      throw new ServiceError(
        'conflict',
        'The domain of that type has already rejected the asset as this type.',
      );
  }
  if (status === 'confirmed' || status === 'routed') await withdrawRepresentatives(tx, candidate, now);
  await releaseCorrected(tx, candidate, now);
  await withdrawOverruled(tx, assetId, now);
}

/** The domain and the information type that the decision is about. */
async function statedOf(
  tx: Tx,
  candidate: LockedCandidate,
  others: readonly LockedCandidate[],
  { correctedInformationTypeId: corrected, routedDomainId: routed }: DecisionContent,
  visibility: Visibility,
): Promise<Pick<Made, 'domainId' | 'type'>> {
  if (corrected !== null) {
    // The corrected type may be one of several types of the question. The others are then rejected.
    const isAsAsked = corrected === candidate.informationTypeId && others.length === 0;
    const domainId = isAsAsked ? null : await domainOfApprovedType(tx, visibility, corrected);
    if (domainId === null) {
      const message = 'Must be another approved information type in one of your domains.';
      throw validationFailed([{ path: 'correctedInformationTypeId', message }]);
    }
    return { domainId, type: { informationTypeId: corrected } };
  }
  if (routed !== null) {
    if (routed === candidate.domainId || !(await isApprovedDomain(tx, routed)))
      throw validationFailed([{ path: 'routedDomainId', message: 'Must be another approved domain.' }]);
    // The decision is about the whole domain, whichever types the question is about.
    return { domainId: candidate.domainId, type: { informationTypeId: null } };
  }
  return { domainId: candidate.domainId, type: 'of_each' };
}
