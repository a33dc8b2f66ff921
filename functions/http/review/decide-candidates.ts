import { z } from 'zod';
import { apartOf, batchOf, eachInTx, MAX_BATCH } from '../../../core/http/each-apart.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { decide } from '../../../core/review/decide.ts';
import { AnswerSchema, DecisionAnswerSchema, ReadQuestionSchema } from '../../../core/review/decision.ts';

export const decideCandidates = endpoint({
  name: 'review-decide-many',
  method: 'POST',
  path: '/api/review/decisions',
  summary: 'Give one answer to several questions',
  description:
    `For a series of similar assets: at most ${MAX_BATCH} questions, each named with the revision that the caller has ` +
    'read. Each is answered, audited and refused apart, as by a request of its own. No question is answered that is not ' +
    'named. The same answers given again change nothing.',
  access: can('review.decide'),
  // Each decision has a transaction of its own.
  transaction: 'none',
  body: z.strictObject({
    answer: AnswerSchema,
    questions: batchOf(ReadQuestionSchema, ({ candidateId }) => candidateId),
  }),
  response: apartOf(DecisionAnswerSchema),
  handle: (request) => {
    const { runtime, principal, visibility, body, now, correlationId, afterCommit } = request;
    ringAfterCommit({ runtime, afterCommit });
    return eachInTx(
      request,
      body.questions,
      ({ candidateId }) => candidateId,
      (tx, audit, { candidateId, revision }) =>
        decide(
          tx,
          { principal, visibility, correlationId, audit },
          candidateId,
          { ...body.answer, revision },
          now,
        ),
    );
  },
});
