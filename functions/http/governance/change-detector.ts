import {
  CustomDetectorChangeSchema,
  changeDetector,
  ListedDetectorSchema,
} from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const changeCustomDetector = endpoint({
  name: 'governance-change-detector',
  method: 'PATCH',
  path: '/api/governance/detectors/{id}',
  summary: 'Change, enable or disable a custom detector',
  description: 'A change creates a new version. Later scans derive their features again.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: CustomDetectorChangeSchema,
  response: ListedDetectorSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeDetector(tx, { principal, audit, now }, params.id, body),
});
