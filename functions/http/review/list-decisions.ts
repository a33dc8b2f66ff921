import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';
import { REVISABLE_MS } from '../../../core/review/decision.ts';
import {
  countDecisions,
  DECISION_SORTS,
  DecisionFilterSchema,
  ListedDecisionSchema,
  listDecisions,
} from '../../../core/review/decision-list.sql.ts';

export const listReviewDecisions = endpoint({
  name: 'review-list-decisions',
  method: 'GET',
  path: '/api/review/decisions',
  summary: 'Decisions of the caller or of all',
  description:
    'Decisions in the caller’s domains. `state` selects decisions that are still revisable, or deferred. `total` counts up to ' +
    '10,000.',
  access: can('review.read'),
  transaction: 'read',
  query: DecisionFilterSchema.extend({
    sort: z.enum(DECISION_SORTS).default('-decided'),
    limit: limitUpTo(200),
  }),
  response: countedListOf(ListedDecisionSchema),
  handle: async ({ tx, principal, visibility, query: { limit, sort, ...filter }, now }) => {
    const { principalId } = principal;
    const reader = { principalId, visibility, revisableSince: new Date(now - REVISABLE_MS) };
    const decisions = await listDecisions(tx, reader, filter, rowsToRead(limit), { sort });
    return { ...bounded(decisions, limit), ...(await countDecisions(tx, reader, filter)) };
  },
});
