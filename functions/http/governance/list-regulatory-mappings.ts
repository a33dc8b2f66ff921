import { z } from 'zod';
import { listedMappings, MappingSchema } from '../../../core/governance/regulatory-mappings.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listRegulatoryMappings = endpoint({
  name: 'governance-list-regulatory-mappings',
  method: 'GET',
  path: '/api/governance/regulatory-mappings',
  summary: 'Regulations mapped to domains',
  description:
    'Relevance is no legal determination. Domain-scoped callers see the mappings of their own domains.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  query: z.strictObject({ domainId: z.string().min(1).max(64).optional() }),
  response: listOf(MappingSchema),
  handle: async ({ tx, visibility, query }) =>
    bounded(
      await listedMappings(tx, visibility, { domainId: query.domainId ?? null, limit: LIMIT + 1 }),
      LIMIT,
    ),
});
