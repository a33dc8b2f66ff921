import {
  CustomDefinitionSchema,
  createDetector,
  ListedDetectorSchema,
} from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const createCustomDetector = endpoint({
  name: 'governance-create-detector',
  method: 'POST',
  path: '/api/governance/detectors',
  summary: 'Create a custom detector',
  description: 'The detector must match its examples. It is off until a dry run was made and it is enabled.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  body: CustomDefinitionSchema,
  response: ListedDetectorSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => createDetector(tx, { principal, audit, now }, body),
});
