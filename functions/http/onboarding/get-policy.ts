import { z } from 'zod';
import { PolicySchema, readPolicy } from '../../../core/governance/policy-documents.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const getPolicyDocument = endpoint({
  name: 'onboarding-get-policy',
  method: 'GET',
  path: '/api/onboarding/policy-documents/{id}',
  summary: 'A policy document with its text and sections',
  description: 'In its newest version or the one asked for.',
  access: can('governance.policy.read'),
  transaction: 'read',
  params: z.strictObject({ id: z.string().max(64) }),
  query: z.strictObject({ version: z.coerce.number().int().min(1).max(1_000).optional() }),
  response: PolicySchema,
  handle: ({ tx, params, query }) => readPolicy(tx, params.id, query.version),
});
