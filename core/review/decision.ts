import { z } from 'zod';
import { type CandidateStatus, CandidateStatusSchema } from './candidate-states.ts';
import { type Member, whatChanged } from './question-changes.ts';

export const SIMPLE_DECISIONS = ['mine', 'mine_not_sensitive', 'not_a_match', 'need_more_evidence'] as const;

const common = {
  note: z.string().trim().max(2_000).optional(),
  /** Whether the answer may become a training example for the model. */
  trainingEligible: z.boolean().default(false),
};

const Id = z.string().min(1).max(64);

const answerWith = <T extends z.ZodRawShape>(more: T) =>
  z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.enum(SIMPLE_DECISIONS), ...common, ...more }),
    z.strictObject({
      decision: z.literal('mine_different_type'),
      correctedInformationTypeId: Id,
      ...common,
      ...more,
    }),
    z.strictObject({ decision: z.literal('another_domain'), routedDomainId: Id, ...common, ...more }),
  ]);

/**
 * The body of a decision. `correctedInformationTypeId` and `routedDomainId` are accepted only with the decision that
 * needs them.
 */
export const DecisionRequestSchema = answerWith({
  /** The revision that the owner read. The decision is refused if the question has another one by now. */
  revision: z.int().nonnegative().optional(),
});

/** One answer to several questions. The owner has read a revision of each. */
export const AnswerSchema = answerWith({});
export const ReadQuestionSchema = z.strictObject({ candidateId: Id, revision: z.int().nonnegative() });

export type DecisionRequest = z.infer<typeof DecisionRequestSchema>;
export type Decision = DecisionRequest['decision'];

export const DecisionSchema = z.enum([...SIMPLE_DECISIONS, 'mine_different_type', 'another_domain']);

export const DecisionAnswerSchema = z.object({
  candidateId: z.string(),
  decision: DecisionSchema,
  status: CandidateStatusSchema,
  revision: z.int(),
  assertionId: z.string(),
});

export type Statement = 'belongs_to' | 'does_not_belong_to' | 'belongs_not_sensitive' | 'needs_more_evidence';

/** The status that each decision gives its candidate, and the statement that it adds to the provenance chain. */
export const OUTCOMES: Readonly<Record<Decision, { status: CandidateStatus; statement: Statement }>> = {
  mine: { status: 'confirmed', statement: 'belongs_to' },
  mine_different_type: { status: 'confirmed', statement: 'belongs_to' },
  another_domain: { status: 'routed', statement: 'does_not_belong_to' },
  mine_not_sensitive: { status: 'confirmed', statement: 'belongs_not_sensitive' },
  not_a_match: { status: 'rejected', statement: 'does_not_belong_to' },
  need_more_evidence: { status: 'deferred', statement: 'needs_more_evidence' },
};

export type TrainingLabel = 'positive_example' | 'counterexample';

/**
 * What each decision teaches the model about the types that it names: that the asset is of the type, that it is not, or
 * nothing.
 */
export const TRAINING_LABELS: Readonly<Record<Decision, TrainingLabel | null>> = {
  mine: 'positive_example',
  mine_different_type: 'positive_example',
  mine_not_sensitive: 'positive_example',
  not_a_match: 'counterexample',
  another_domain: null,
  need_more_evidence: null,
};

/** A decision as it is stored. */
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
 * The decision by which a candidate has its status. `isOwn`: it was given on this candidate. Otherwise it corrected
 * another candidate and named the type of this one. `isAboutPresentContent`: the asset still has the content that the
 * decision was given on.
 */
export type CurrentDecision = DecisionContent & {
  isOwn: boolean;
  isAboutPresentContent: boolean;
  principalId: string;
  decidedAt: Date;
};

/**
 * Whether a request repeats the current decision, as a client does that did not receive the response. The same
 * decision on changed content is a new one.
 */
export const repeats = (current: CurrentDecision, principalId: string, content: DecisionContent): boolean =>
  current.isOwn &&
  current.isAboutPresentContent &&
  current.principalId === principalId &&
  current.decision === content.decision &&
  current.correctedInformationTypeId === content.correctedInformationTypeId &&
  current.routedDomainId === content.routedDomainId &&
  current.note === content.note &&
  current.trainingEligible === content.trainingEligible;

export const REVISABLE_DAYS = 30;
export const REVISABLE_MS = REVISABLE_DAYS * 24 * 60 * 60 * 1000;

/**
 * Why a candidate accepts no further decision, or null if it does. An open question can be answered at any time. An
 * answer can be revised for 30 days, and a routing until somebody of the other domain has answered. To revise the
 * answer of another person, the caller must name the revision that they have read. If two people answer at once, only
 * one of them therefore succeeds.
 * @param candidate its status, the revision of its question, and the candidates of the asset in the domain, for the reason
 * @param by who answers, and the revision that they name, if any
 * @param isAnsweredThere whether the domain that a routed asset was sent to has answered
 * @param now milliseconds
 */
export function refusal(
  {
    status,
    revision,
    members = [],
  }: { status: CandidateStatus; revision: number; members?: readonly Member[] },
  current: Pick<CurrentDecision, 'decidedAt' | 'principalId'> | null,
  by: { principalId: string; revision: number | undefined },
  isAnsweredThere: boolean,
  now: number,
): string | null {
  if (by.revision !== undefined && by.revision !== revision)
    return whatChanged(members, revision, by.revision);
  if (by.revision === undefined && current !== null && current.principalId !== by.principalId)
    return 'Somebody else has answered. Read the candidate again and name its revision.';
  switch (status) {
    case 'pending':
    case 'deferred':
      return null;
    case 'routed':
      return isAnsweredThere ? 'The domain that the asset was sent to has answered.' : null;
    case 'withdrawn':
      return 'The candidate has been withdrawn, because nothing supports it any more.';
    case 'confirmed':
    case 'rejected':
      return current !== null && now - current.decidedAt.getTime() <= REVISABLE_MS
        ? null
        : `A decision can be revised only within ${REVISABLE_DAYS} days.`;
  }
}
