import { draftInformationType } from '../../../core/governance/change-taxonomy.ts';
import { InformationTypeSchema, TypeDraftSchema } from '../../../core/governance/taxonomy-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const createInformationType = endpoint({
  name: 'governance-create-information-type',
  method: 'POST',
  path: '/api/governance/information-types',
  summary: 'Draft an information type in a domain',
  description: 'The domain may be approved or a draft.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  body: TypeDraftSchema,
  response: InformationTypeSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => draftInformationType(tx, { principal, audit, now }, body),
});
