import { z } from 'zod';
import { AUDIT_CATEGORIES } from '../../../core/audit/event.ts';
import { listAuditEvents } from '../../../core/audit/read.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

const Category = z.enum(AUDIT_CATEGORIES);

export const listAudit = endpoint({
  name: 'audit-list',
  method: 'GET',
  path: '/api/audit',
  summary: 'The most recent audit events of the tenant, newest first',
  access: can('audit.read'),
  transaction: 'read',
  query: z.strictObject({ category: Category.optional() }),
  response: listOf(
    z.object({
      seq: z.int(),
      hash: z.string(),
      previousHash: z.string(),
      at: z.iso.datetime(),
      category: Category,
      type: z.string(),
      principalId: z.string().nullable(),
      correlationId: z.string(),
      target: z.object({ kind: z.string(), id: z.string() }).nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      policyDecision: z.string().nullable(),
    }),
  ),
  handle: async ({ tx, query }) => bounded(await listAuditEvents(tx, query.category, LIMIT + 1), LIMIT),
});
