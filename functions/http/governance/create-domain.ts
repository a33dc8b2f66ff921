import { draftDomain } from '../../../core/governance/change-taxonomy.ts';
import { DomainDraftSchema, DomainSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const createDomain = endpoint({
  name: 'governance-create-domain',
  method: 'POST',
  path: '/api/governance/domains',
  summary: 'Draft a business domain',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  body: DomainDraftSchema,
  response: DomainSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => draftDomain(tx, { principal, audit, now }, body),
});
