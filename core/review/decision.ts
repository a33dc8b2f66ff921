import { z } from 'zod';

const SIMPLE_DECISIONS = ['mine', 'mine_not_sensitive', 'not_a_match', 'need_more_evidence'] as const;

const common = {
  note: z.string().trim().max(2_000).optional(),
  /** Whether the answer may become an example for the model; never without being said. */
  trainingEligible: z.boolean().default(false),
  /** The revision that the owner looked at; refused when it is no longer the candidate's. */
  revision: z.int().nonnegative().optional(),
};

const Id = z.string().min(1).max(64);

/** What an owner says of a candidate. A corrected type and a routed domain go with their decision and no other. */
export const DecisionRequestSchema = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.enum(SIMPLE_DECISIONS), ...common }),
  z.strictObject({
    decision: z.literal('mine_different_type'),
    correctedInformationTypeId: Id,
    ...common,
  }),
  z.strictObject({ decision: z.literal('another_domain'), routedDomainId: Id, ...common }),
]);

export type DecisionRequest = z.infer<typeof DecisionRequestSchema>;
export type Decision = DecisionRequest['decision'];

export const DecisionSchema = z.enum([...SIMPLE_DECISIONS, 'mine_different_type', 'another_domain']);

export const CandidateStatusSchema = z.enum([
  'pending',
  'deferred',
  'confirmed',
  'rejected',
  'routed',
  'withdrawn',
]);

export type CandidateStatus = z.infer<typeof CandidateStatusSchema>;

export type Statement = 'belongs_to' | 'does_not_belong_to' | 'belongs_not_sensitive' | 'needs_more_evidence';

/** What a decision makes of its candidate, and what it states in the provenance chain. */
export const OUTCOMES: Readonly<Record<Decision, { status: CandidateStatus; statement: Statement }>> = {
  mine: { status: 'confirmed', statement: 'belongs_to' },
  mine_different_type: { status: 'confirmed', statement: 'belongs_to' },
  another_domain: { status: 'routed', statement: 'does_not_belong_to' },
  mine_not_sensitive: { status: 'confirmed', statement: 'belongs_not_sensitive' },
  not_a_match: { status: 'rejected', statement: 'does_not_belong_to' },
  need_more_evidence: { status: 'deferred', statement: 'needs_more_evidence' },
};

/** A decision as it is kept. */
export type DecisionContent = {
  decision: Decision;
  correctedInformationTypeId: string | null;
  routedDomainId: string | null;
  note: string | null;
  trainingEligible: boolean;
};

export const contentOf = (request: DecisionRequest): DecisionContent => ({
  decision: request.decision,
  correctedInformationTypeId:
    request.decision === 'mine_different_type' ? request.correctedInformationTypeId : null,
  routedDomainId: request.decision === 'another_domain' ? request.routedDomainId : null,
  note: request.note ?? null,
  trainingEligible: request.trainingEligible,
});

/**
 * The decision by which a candidate has its status. `isOwn`: it answered the question about this candidate, rather than
 * named its type when it corrected another one. `isAboutPresentContent`: the asset still holds what it was given on.
 */
export type StandingDecision = DecisionContent & {
  isOwn: boolean;
  isAboutPresentContent: boolean;
  principalId: string;
  decidedAt: Date;
};

/**
 * Whether the same person answers the same question the same way again, as a client does that lost the answer. Said of
 * another content it is an answer of its own.
 */
export const repeats = (standing: StandingDecision, principalId: string, content: DecisionContent): boolean =>
  standing.isOwn &&
  standing.isAboutPresentContent &&
  standing.principalId === principalId &&
  standing.decision === content.decision &&
  standing.correctedInformationTypeId === content.correctedInformationTypeId &&
  standing.routedDomainId === content.routedDomainId &&
  standing.note === content.note &&
  standing.trainingEligible === content.trainingEligible;

export const REVISABLE_DAYS = 30;
export const REVISABLE_MS = REVISABLE_DAYS * 24 * 60 * 60 * 1000;

/**
 * Why a candidate takes no further decision, or null when it does. An open question may be answered at any time. An
 * answer may be revised for 30 days, one that sent the asset to another domain until somebody there has answered. What
 * another person said is followed only by who has seen it, and says so by its revision: of two who answer at once, one does.
 * @param by who answers, and the revision that they looked at, if they say so
 * @param isAnsweredThere whether somebody of the domain that a routed asset was sent to has answered
 * @param now milliseconds
 */
export function refusal(
  { status, revision }: { status: CandidateStatus; revision: number },
  standing: Pick<StandingDecision, 'decidedAt' | 'principalId'> | null,
  by: { principalId: string; revision: number | undefined },
  isAnsweredThere: boolean,
  now: number,
): string | null {
  if (by.revision !== undefined && by.revision !== revision)
    return 'The candidate has changed meanwhile; read it again.';
  if (by.revision === undefined && standing !== null && standing.principalId !== by.principalId)
    return 'Somebody else has answered; read it again, and name the revision that you have read.';
  switch (status) {
    case 'pending':
    case 'deferred':
      return null;
    case 'routed':
      return isAnsweredThere ? 'The domain that the asset was sent to has answered.' : null;
    case 'withdrawn':
      return 'The candidate has been withdrawn: nothing supports it any more.';
    case 'confirmed':
    case 'rejected':
      return standing !== null && now - standing.decidedAt.getTime() <= REVISABLE_MS
        ? null
        : `A decision may be revised within ${REVISABLE_DAYS} days.`;
  }
}
