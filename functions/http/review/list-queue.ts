import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { limitUpTo } from '../../../core/kernel/list.ts';
import { MAX_WITH_EXCERPTS, QueueSchema, readQueue } from '../../../core/review/queue.ts';
import { QUEUE_SORTS, QueueFilterSchema } from '../../../core/review/queue-filter.sql.ts';

export const listReviewQueue = endpoint({
  name: 'review-list-queue',
  method: 'GET',
  path: '/api/review/queue',
  summary: 'Pending candidates, the most valuable answer first',
  description:
    'Candidates of the caller’s domains: those that a colleague sent first, then by band, risk of the asset, ' +
    'and number of similar assets that an answer would re-rank. Returns `limit` of them, or 200. A foreign ' +
    'domain has none. `expectation` and `outlook` say how many are expected to be theirs, from the last answers ' +
    `of each domain. With \`excerpts=first\`, at most ${MAX_WITH_EXCERPTS} questions have their first redacted excerpt. ` +
    'Reading them is audited, once for each asset. `q` finds questions with all of its first ten words (the ' +
    'last may be begun) in the name, path or format of the asset, the name of its scope, or that of a type. `q` and a ' +
    'filter by type, scope, band, risk or reason are applied to the first 2,000 candidates of each domain in the order of ' +
    'the queue. `truncated` says whether there may be further questions; the export applies them to all.',
  access: can('review.read'),
  transaction: 'read',
  query: QueueFilterSchema.extend({
    sort: z.enum(QUEUE_SORTS).default('-value'),
    limit: limitUpTo(200),
    excerpts: z.enum(['none', 'first']).default('none'),
  }),
  response: QueueSchema,
  handle: ({ tx, principal, visibility, audit, query: { limit, sort, excerpts, ...filter } }) =>
    readQueue(tx, { principal, visibility, audit }, { filter, sort, limit, excerpts: excerpts === 'first' }),
});
