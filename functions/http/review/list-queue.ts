import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, limitUpTo, listOf, rowsToRead } from '../../../core/kernel/list.ts';
import { CandidateSchema } from '../../../core/review/candidate-schema.ts';
import { listQueue } from '../../../core/review/candidates.sql.ts';

export const listReviewQueue = endpoint({
  name: 'review-list-queue',
  method: 'GET',
  path: '/api/review/queue',
  summary: 'Pending candidates, the most valuable answer first',
  description:
    'Candidates of the caller’s domains: those that a colleague sent first, then by band, risk of the asset, ' +
    'and number of similar assets that an answer would re-rank. Returns `limit` of them, or 200. A foreign ' +
    'domain has none.',
  access: can('review.read'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().max(64).optional(), limit: limitUpTo(200) }),
  response: listOf(CandidateSchema),
  handle: async ({ tx, visibility, query: { domainId = null, limit } }) =>
    bounded(await listQueue(tx, visibility, domainId, rowsToRead(limit)), limit),
});
