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
  summary: 'Declare a detector',
  description: 'It must do what its examples say, and is off until it was run dry and enabled.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  body: CustomDefinitionSchema,
  response: ListedDetectorSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => createDetector(tx, { principal, audit, now }, body),
});
