import { changeInformationType } from '../../../core/governance/change-taxonomy.ts';
import { ChangedInformationTypeSchema, TypeChangeSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const changeType = endpoint({
  name: 'governance-change-information-type',
  method: 'PATCH',
  path: '/api/governance/information-types/{id}',
  summary: 'Change an information type',
  description:
    'Its texts, its sensitivity or its indicators. An approved one stays approved, and scans that follow ' +
    'go by what is new; rescore for what no scan will look at.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: TypeChangeSchema,
  response: ChangedInformationTypeSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeInformationType(tx, { principal, audit, now }, params.id, body),
});
