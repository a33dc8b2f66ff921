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
    'Changes its texts, sensitivity or indicators. An approved type stays approved. Later scans use the ' +
    'change; a rescore applies it to assets that no scan will read.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: TypeChangeSchema,
  response: ChangedInformationTypeSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeInformationType(tx, { principal, audit, now }, params.id, body),
});
