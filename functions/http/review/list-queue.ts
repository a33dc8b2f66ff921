import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, limitUpTo, listOf, rowsToRead } from '../../../core/kernel/list.ts';
import { CandidateSchema } from '../../../core/review/candidate-schema.ts';
import { listQueue } from '../../../core/review/candidates.sql.ts';

export const listReviewQueue = endpoint({
  name: 'review-list-queue',
  method: 'GET',
  path: '/api/review/queue',
  summary: 'Pending candidates, by the value of an answer',
  description:
    'Those of the domains of the caller: those that a colleague sent, then by band, risk of the asset ' +
    'and how many like assets an answer would re-rank, which each one says; `limit` of them, or 200. ' +
    'None for a domain that is not theirs.',
  access: can('review.read'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().max(64).optional(), limit: limitUpTo(200) }),
  response: listOf(CandidateSchema),
  handle: async ({ tx, visibility, query: { domainId = null, limit } }) =>
    bounded(await listQueue(tx, visibility, domainId, rowsToRead(limit)), limit),
});
