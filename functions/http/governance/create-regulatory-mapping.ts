import {
  draftMapping,
  MappingDraftSchema,
  MappingSchema,
} from '../../../core/governance/regulatory-mappings.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const createRegulatoryMapping = endpoint({
  name: 'governance-create-regulatory-mapping',
  method: 'POST',
  path: '/api/governance/regulatory-mappings',
  summary: 'Draft the mapping of a regulation to a domain',
  description: 'It may cite a section of a policy.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  body: MappingDraftSchema,
  response: MappingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => draftMapping(tx, { principal, audit, now }, body),
});
