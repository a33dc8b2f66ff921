import { z } from 'zod';
import { withAuditedTx } from '../../../core/audit/audited-tx.ts';
import type { AuditEntry } from '../../../core/audit/event.ts';
import { apartOf, batchOf, eachApart, MAX_BATCH } from '../../../core/http/each-apart.ts';
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
  handle: ({ runtime, principal, visibility, body, now, correlationId, afterCommit, countNotFound }) => {
    ringAfterCommit({ runtime, afterCommit });
    const { tenantId, principalId } = principal;
    return eachApart(
      body.questions,
      ({ candidateId }) => candidateId,
      ({ candidateId, revision }) =>
        withAuditedTx(runtime.db, { tenantId, principalId, correlationId, now }, (tx, events) => {
          const by = {
            principal,
            visibility,
            correlationId,
            audit: (entry: AuditEntry) => events.push(entry),
          };
          return decide(tx, by, candidateId, { ...body.answer, revision }, now);
        }),
      countNotFound,
    );
  },
});
