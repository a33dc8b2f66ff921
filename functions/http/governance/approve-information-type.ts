import { approveInformationType } from '../../../core/governance/change-taxonomy.ts';
import { ApprovalSchema, ChangedInformationTypeSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const approveType = endpoint({
  name: 'governance-approve-information-type',
  method: 'POST',
  path: '/api/governance/information-types/{id}/approve',
  summary: 'Approve a drafted information type',
  description: 'Its domain must be approved first. Approving again changes nothing.',
  access: can('governance.taxonomy.approve'),
  transaction: 'write',
  params: IdParams,
  body: ApprovalSchema,
  response: ChangedInformationTypeSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    approveInformationType(tx, { principal, audit, now }, params.id, body.revision),
});
