import { z } from 'zod';
import { BREAK_REASONS } from '../../../core/audit/verify.ts';
import { verifyChain } from '../../../core/audit/verify-chain.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const verifyAudit = endpoint({
  name: 'audit-verify',
  method: 'GET',
  path: '/api/audit/verify',
  summary: 'Check the whole audit chain of the tenant; reports how far it holds and where it first breaks',
  access: can('audit.read'),
  transaction: 'read',
  response: z.object({
    ok: z.boolean(),
    count: z.int(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    firstBreak: z.object({ seq: z.int(), reason: z.enum(BREAK_REASONS) }).nullable(),
  }),
  handle: ({ tx }) => verifyChain(tx),
});
