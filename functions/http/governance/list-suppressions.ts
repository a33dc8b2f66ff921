import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { SuppressionSchema } from '../../../core/suppressions/suppression-schema.ts';
import { SUPPRESSION_STATUSES } from '../../../core/suppressions/suppression-states.ts';
import { listSuppressions } from '../../../core/suppressions/suppressions.sql.ts';

const LIMIT = 200;

export const listSuppressionRules = endpoint({
  name: 'governance-list-suppressions',
  method: 'GET',
  path: '/api/governance/suppressions',
  summary: 'Suppressions, the newest first',
  description:
    'Owners see the rules of their domains. Rules of the whole tenant are seen by tenant-wide readers.',
  access: can('governance.suppression.read'),
  transaction: 'read',
  query: z.strictObject({ status: z.enum(SUPPRESSION_STATUSES).optional() }),
  response: listOf(SuppressionSchema),
  handle: async ({ tx, visibility, query }) =>
    bounded(
      await listSuppressions(tx, visibility, { status: query.status ?? null, limit: LIMIT + 1 }),
      LIMIT,
    ),
});
