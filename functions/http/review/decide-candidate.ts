import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { decide } from '../../../core/review/decide.ts';
import {
  DecisionAnswerSchema,
  DecisionRequestSchema,
  REVISABLE_DAYS,
} from '../../../core/review/decision.ts';

export const decideCandidate = endpoint({
  name: 'review-decide',
  method: 'POST',
  path: '/api/review/candidates/{id}/decision',
  summary: 'Answer a candidate: is this yours?',
  description:
    `An answer may be revised within ${REVISABLE_DAYS} days of being given, and one that routed the asset ` +
    'to another domain until somebody there has answered; should that domain refuse it, the sender is asked again. The same answer given ' +
    'again by the same person changes nothing. With `revision`, the answer is refused if what it would state ' +
    'has changed since, and the message says what; without it, the answer is about the question as it is ' +
    'now, and refused if somebody else has answered.',
  access: can('review.decide'),
  transaction: 'write',
  params: IdParams,
  body: DecisionRequestSchema,
  response: DecisionAnswerSchema,
  errors: ['conflict'],
  handle: ({ runtime, tx, principal, visibility, params, body, audit, now, correlationId, afterCommit }) => {
    // Similar assets may wait for a rescore.
    ringAfterCommit({ runtime, afterCommit });
    return decide(tx, { principal, visibility, correlationId, audit }, params.id, body, now);
  },
});
