import { z } from 'zod';
import { PolicySchema, readPolicy } from '../../../core/governance/policy-documents.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const getPolicyDocument = endpoint({
  name: 'onboarding-get-policy',
  method: 'GET',
  path: '/api/onboarding/policy-documents/{id}',
  summary: 'A policy document with its text and sections',
  description: 'The newest version, or the requested one.',
  access: can('governance.policy.read'),
  transaction: 'read',
  params: IdParams,
  query: z.strictObject({ version: z.coerce.number().int().min(1).max(1_000).optional() }),
  response: PolicySchema,
  handle: ({ tx, params, query }) => readPolicy(tx, params.id, query.version),
});
