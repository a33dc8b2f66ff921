import { ListedDetectorSchema, listDetectors } from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';

export const listAllDetectors = endpoint({
  name: 'governance-list-detectors',
  method: 'GET',
  path: '/api/governance/detectors',
  summary: 'The built-in and the custom detectors',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(ListedDetectorSchema),
  handle: async ({ tx, principal }) => ({ items: await listDetectors(tx, principal), truncated: false }),
});
