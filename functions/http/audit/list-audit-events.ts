import { z } from 'zod';
import { AUDIT_CATEGORIES } from '../../../core/audit/event.ts';
import {
  AUDIT_SORTS,
  AuditFilterSchema,
  countAuditEvents,
  listAuditEvents,
} from '../../../core/audit/event-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';

export const listAudit = endpoint({
  name: 'audit-list',
  method: 'GET',
  path: '/api/audit',
  summary: 'The most recent audit events of the tenant, newest first',
  description:
    '`limit` of them, or 200. `category` and the time choose a part of the trail. The other filters are applied to its first ' +
    '50,000 events in the order of the list: narrow the time to reach others, or export them. `total` counts up to 10,000.',
  access: can('audit.read'),
  transaction: 'read',
  query: AuditFilterSchema.extend({ sort: z.enum(AUDIT_SORTS).default('-at'), limit: limitUpTo(200) }),
  response: countedListOf(
    z.object({
      seq: z.int(),
      hash: z.string(),
      previousHash: z.string(),
      at: z.iso.datetime(),
      category: z.enum(AUDIT_CATEGORIES),
      type: z.string(),
      principalId: z.string().nullable(),
      correlationId: z.string(),
      target: z.object({ kind: z.string(), id: z.string() }).nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      policyDecision: z.string().nullable(),
    }),
  ),
  handle: async ({ tx, query: { limit, sort, ...filter } }) => {
    const events = await listAuditEvents(tx, filter, rowsToRead(limit), { sort });
    const counted = await countAuditEvents(tx, filter, { sort });
    const { items, truncated } = bounded(events, limit);
    return { items, truncated: truncated || !counted.totalIsExact, ...counted };
  },
});
