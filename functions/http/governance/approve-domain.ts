import { approveDomain } from '../../../core/governance/change-taxonomy.ts';
import { ApprovalSchema, ChangedDomainSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const approveBusinessDomain = endpoint({
  name: 'governance-approve-domain',
  method: 'POST',
  path: '/api/governance/domains/{id}/approve',
  summary: 'Approve a drafted domain',
  description: 'Its information types are approved one by one. Approving again changes nothing.',
  access: can('governance.taxonomy.approve'),
  transaction: 'write',
  params: IdParams,
  body: ApprovalSchema,
  response: ChangedDomainSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    approveDomain(tx, { principal, audit, now }, params.id, body.revision),
});
