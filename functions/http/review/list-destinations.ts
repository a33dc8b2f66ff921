import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import {
  CorrectionSchema,
  corrections,
  DestinationSchema,
  destinations,
} from '../../../core/review/destinations.sql.ts';

const LIMIT = 1_000;

export const listReviewDestinations = endpoint({
  name: 'review-list-destinations',
  method: 'GET',
  path: '/api/review/destinations',
  summary: 'Domains to route to, and types to correct to',
  access: can('review.decide'),
  transaction: 'read',
  response: z.object({ domains: listOf(DestinationSchema), informationTypes: listOf(CorrectionSchema) }),
  handle: async ({ tx, visibility }) => ({
    domains: bounded(await destinations(tx, LIMIT + 1), LIMIT),
    informationTypes: bounded(await corrections(tx, visibility, LIMIT + 1), LIMIT),
  }),
});
