import { changeDomain } from '../../../core/governance/change-taxonomy.ts';
import { ChangedDomainSchema, DomainChangeSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const changeBusinessDomain = endpoint({
  name: 'governance-change-domain',
  method: 'PATCH',
  path: '/api/governance/domains/{id}',
  summary: 'Change the texts of a domain',
  description:
    'An approved domain stays approved. Later scans use the new texts; a rescore applies them to assets that ' +
    'no scan will read.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: DomainChangeSchema,
  response: ChangedDomainSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeDomain(tx, { principal, audit, now }, params.id, body),
});
