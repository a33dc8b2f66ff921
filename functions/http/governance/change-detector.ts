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
  summary: 'Change a declared detector, or switch it on or off',
  description: 'A change makes a new version. Scans that follow derive their features anew.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: CustomDetectorChangeSchema,
  response: ListedDetectorSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeDetector(tx, { principal, audit, now }, params.id, body),
});
