import { decideMapping, MappingSchema } from '../../../core/governance/regulatory-mappings.ts';
import { ApprovalSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const approveRegulatoryMapping = endpoint({
  name: 'governance-approve-regulatory-mapping',
  method: 'POST',
  path: '/api/governance/regulatory-mappings/{id}/approve',
  summary: 'Approve a drafted mapping',
  description: 'Its domain must be approved first. Approving again changes nothing.',
  access: can('governance.taxonomy.approve'),
  transaction: 'write',
  params: IdParams,
  body: ApprovalSchema,
  response: MappingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    decideMapping(tx, { principal, audit, now }, params.id, { decision: 'approve', revision: body.revision }),
});
