import { TAXONOMY_LIMITS } from '../../../core/governance/change-taxonomy.ts';
import { listTaxonomy } from '../../../core/governance/taxonomy.sql.ts';
import { ListedDomainSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';

export const listGovernanceTaxonomy = endpoint({
  name: 'governance-list-taxonomy',
  method: 'GET',
  path: '/api/governance/taxonomy',
  summary: 'Business domains and their information types',
  description: 'Domain-scoped callers see their own domains.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(ListedDomainSchema),
  handle: ({ tx, visibility }) => listTaxonomy(tx, visibility, TAXONOMY_LIMITS),
});
