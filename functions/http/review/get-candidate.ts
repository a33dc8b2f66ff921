import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { candidateDetail } from '../../../core/review/candidate-detail.ts';
import { CandidateDetailSchema } from '../../../core/review/candidate-schema.ts';

export const getCandidate = endpoint({
  name: 'review-get-candidate',
  method: 'GET',
  path: '/api/review/candidates/{id}',
  summary: 'One candidate with its evidence',
  description:
    'The reasons of the model, signals, provenance, decisions, and the similar assets of its domain that an ' +
    'answer would re-rank. Answers 404 for a candidate that was withdrawn or routed away, and for a rejected ' +
    'one that can no longer be revised. Reading its redacted excerpts is audited.',
  access: can('review.read'),
  transaction: 'read',
  params: IdParams,
  response: CandidateDetailSchema,
  handle: ({ tx, principal, visibility, params, audit, now }) =>
    candidateDetail(tx, principal, visibility, params.id, audit, now),
});
