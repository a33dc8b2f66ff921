import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf, writtenInteger } from '../../../core/kernel/list.ts';
import { listTrends, TrendSchema } from '../../../core/landscape/trends.sql.ts';

const LIMIT = 20;
const MAX_DAYS = 400;
const DAY_MS = 24 * 3_600_000;

export const showTrends = endpoint({
  name: 'landscape-trends',
  method: 'GET',
  path: '/api/trends',
  summary: 'Counts by day, of the tenant and of domains',
  description:
    'The series of the whole tenant, for a reader of the whole tenant alone, and of the domains of the caller with the ' +
    `most assets; at most ${LIMIT} series. A timer measures every hour, and the last measurement of a day (UTC) stays. ` +
    'A foreign domain has no series.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: z.strictObject({
    domainId: z.string().min(1).max(64).optional().describe('The series of this domain alone'),
    days: writtenInteger(1, MAX_DAYS).default(30).describe('The number of days up to today'),
  }),
  response: listOf(TrendSchema),
  handle: async ({ tx, visibility, now, query: { domainId, days } }) =>
    bounded(
      await listTrends(tx, visibility, { domainId, since: now - (days - 1) * DAY_MS, limit: LIMIT + 1 }),
      LIMIT,
    ),
});
