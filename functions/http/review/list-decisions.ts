import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, limitUpTo, listOf, rowsToRead } from '../../../core/kernel/list.ts';
import { REVISABLE_MS } from '../../../core/review/decision.ts';
import {
  DECIDED_BY,
  DECISION_STATES,
  ListedDecisionSchema,
  listDecisions,
} from '../../../core/review/decision-list.sql.ts';

export const listReviewDecisions = endpoint({
  name: 'review-list-decisions',
  method: 'GET',
  path: '/api/review/decisions',
  summary: 'Decisions of the caller or of all',
  description: '`state` selects decisions that are still revisable, or deferred.',
  access: can('review.read'),
  transaction: 'read',
  query: z.strictObject({
    by: z.enum(DECIDED_BY).default('me'),
    domainId: z.string().max(64).optional(),
    state: z.enum(DECISION_STATES).optional(),
    limit: limitUpTo(200),
  }),
  response: listOf(ListedDecisionSchema),
  handle: async ({ tx, principal, visibility, query: { limit, ...filter }, now }) =>
    bounded(
      await listDecisions(tx, principal, visibility, filter, new Date(now - REVISABLE_MS), rowsToRead(limit)),
      limit,
    ),
});
