import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { recomputeRisk } from '../findings/read.ts';
import { domainOfApprovedType, isApprovedDomain } from '../governance/read.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { markDecided } from '../similarity/read.ts';
import {
  confirmCorrected,
  releaseCorrected,
  returnToSenders,
  routeToDomain,
  takeBackReturn,
} from './consequences.sql.ts';
import {
  type CandidateStatus,
  contentOf,
  type Decision,
  type DecisionContent,
  type DecisionRequest,
  OUTCOMES,
  refusal,
  repeats,
} from './decision.ts';
import { insertDecision, type LockedCandidate, lockCandidate, standingDecision } from './decisions.sql.ts';
import { rescoreRelated } from './rescore-related.ts';

export type DecisionAnswer = {
  candidateId: string;
  decision: Decision;
  status: CandidateStatus;
  revision: number;
  assertionId: string;
};

/**
 * Records what an owner says of a candidate. The inference behind it stays as it is; the decision adds an assertion
 * that answers it, and has related assets scored again. The same said again by the same person changes nothing and gives
 * the same answer. Throws `not_found` (also for a candidate of a foreign domain), `validation_failed`, `conflict`.
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
  const standing = await standingDecision(tx, candidate);
  if (standing !== null && repeats(candidateId, standing, principalId, content)) {
    const { assertionId } = standing;
    return { candidateId, decision: content.decision, status, revision: candidate.revision, assertionId };
  }
  const refused = refusal(candidate, standing, { principalId, revision: request.revision }, now);
  if (refused !== null) throw new ServiceError('conflict', refused);

  const stated = await statedOf(tx, candidate, content, by.visibility);
  const { decisionId, ...recorded } = await insertDecision(tx, candidate, content, {
    principalId,
    status,
    statement,
    ...stated,
    now,
  });
  const { assetId } = candidate;
  const { routedDomainId, correctedInformationTypeId: informationTypeId } = content;
  if (routedDomainId !== null && !(await routeToDomain(tx, assetId, routedDomainId, now)))
    throw new ServiceError('conflict', 'That domain has said already that the asset is not its own.');
  if (candidate.informationTypeId === null) {
    if (status === 'rejected') await returnToSenders(tx, candidate, now);
    else if (candidate.status === 'rejected') await takeBackReturn(tx, candidate, now);
  }
  if (informationTypeId !== null)
    await confirmCorrected(tx, assetId, { domainId: stated.domainId, informationTypeId, decisionId }, now);
  await releaseCorrected(tx, assetId, now);
  await markDecided(tx, assetId);
  await recomputeRisk(tx, assetId, now);
  const { correlationId } = by;
  await rescoreRelated(tx, { assetId, decisionId, createdBy: principalId, correlationId }, now);
  by.audit({
    category: 'review',
    type: 'candidate_decided',
    target: { kind: 'candidate', id: candidateId },
    details: { decision: content.decision },
  });
  return { candidateId, decision: content.decision, status, ...recorded };
}

/** The domain and information type that the decision speaks of. */
async function statedOf(
  tx: Tx,
  candidate: LockedCandidate,
  { correctedInformationTypeId: corrected, routedDomainId: routed }: DecisionContent,
  visibility: Visibility,
): Promise<{ domainId: string; informationTypeId: string | null }> {
  if (corrected !== null) {
    const domainId =
      corrected === candidate.informationTypeId
        ? null
        : await domainOfApprovedType(tx, visibility, corrected);
    if (domainId === null) {
      const message = 'Not another approved information type of a domain of yours.';
      throw validationFailed([{ path: 'correctedInformationTypeId', message }]);
    }
    return { domainId, informationTypeId: corrected };
  }
  if (routed !== null) {
    if (routed === candidate.domainId || !(await isApprovedDomain(tx, routed)))
      throw validationFailed([{ path: 'routedDomainId', message: 'Not another approved domain.' }]);
    // It is said of the whole domain, whichever type was asked about.
    return { domainId: candidate.domainId, informationTypeId: null };
  }
  return { domainId: candidate.domainId, informationTypeId: candidate.informationTypeId };
}
