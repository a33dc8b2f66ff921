import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, limitUpTo, listOf, rowsToRead } from '../../../core/kernel/list.ts';
import { REVISABLE_MS } from '../../../core/review/decision.ts';
import {
  OWN_DECISION_STATES,
  OwnDecisionSchema,
  ownDecisions,
} from '../../../core/review/own-decisions.sql.ts';

export const listOwnDecisions = endpoint({
  name: 'review-list-decisions',
  method: 'GET',
  path: '/api/review/decisions',
  summary: 'Own answers, newest first',
  description: 'Those that are still revisable or deferred.',
  access: can('review.read'),
  transaction: 'read',
  query: z.strictObject({
    domainId: z.string().max(64).optional(),
    state: z.enum(OWN_DECISION_STATES).optional(),
    limit: limitUpTo(200),
  }),
  response: listOf(OwnDecisionSchema),
  handle: async ({ tx, principal, visibility, query: { limit, ...filter }, now }) =>
    bounded(
      await ownDecisions(tx, principal, visibility, filter, new Date(now - REVISABLE_MS), rowsToRead(limit)),
      limit,
    ),
});
