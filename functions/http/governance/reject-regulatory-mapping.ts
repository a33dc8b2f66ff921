import { decideMapping, MappingSchema } from '../../../core/governance/regulatory-mappings.ts';
import { ApprovalSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const rejectRegulatoryMapping = endpoint({
  name: 'governance-reject-regulatory-mapping',
  method: 'POST',
  path: '/api/governance/regulatory-mappings/{id}/reject',
  summary: 'Reject a drafted or approved mapping',
  description: 'The same regulation may be drafted again.',
  access: can('governance.taxonomy.approve'),
  transaction: 'write',
  params: IdParams,
  body: ApprovalSchema,
  response: MappingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    decideMapping(tx, { principal, audit, now }, params.id, { decision: 'reject', revision: body.revision }),
});
