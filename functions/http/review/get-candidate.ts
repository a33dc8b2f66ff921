import { z } from 'zod';
import { ASKED_EXCERPTS } from '../../../core/assets/asset-schema.ts';
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
    'answer would re-rank. Answers 404 for a candidate that was withdrawn, for a rejected one that can no longer be ' +
    'revised, and for one that was routed to another domain, except to its sender while nobody there has answered. Reading its redacted excerpts is audited; `excerpts=none` leaves them out. ' +
    'Grants are grouped by their reach, and `reranks` counts the open questions of the domain that an answer scores again.',
  access: can('review.read'),
  transaction: 'read',
  params: IdParams,
  query: z.strictObject({ excerpts: z.enum(ASKED_EXCERPTS).default('all') }),
  response: CandidateDetailSchema,
  handle: ({ tx, principal, visibility, params, query, audit, now }) =>
    candidateDetail(tx, { principal, visibility, audit }, params.id, query.excerpts === 'all', now),
});
