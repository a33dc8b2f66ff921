import { z } from 'zod';
import { listTaxonomy } from '../../../core/governance/taxonomy.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';

const LIMITS = { domains: 200, types: 2_000 };

const Status = z.enum(['draft', 'approved']);

export const listGovernanceTaxonomy = endpoint({
  name: 'governance-list-taxonomy',
  method: 'GET',
  path: '/api/governance/taxonomy',
  summary: 'Business domains and their information types; domain-scoped callers see their own domains',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      inclusion: z.string(),
      exclusion: z.string(),
      status: Status,
      informationTypes: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          definition: z.string(),
          sensitivityRationale: z.string(),
          expectedLocationNote: z.string(),
          sensitivity: z.enum(['public', 'internal', 'confidential', 'restricted']),
          indicators: z.object({ detectors: z.array(z.string()), keywords: z.array(z.string()) }),
          status: Status,
        }),
      ),
    }),
  ),
  handle: ({ tx, visibility }) => listTaxonomy(tx, visibility, LIMITS),
});
