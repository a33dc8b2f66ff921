import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { ReleaseSchema } from '../../../core/models/release-schema.ts';
import { showReleases } from '../../../core/models/show-releases.ts';

const LIMIT = 50;

export const listGovernedReleases = endpoint({
  name: 'models-list-governed-releases',
  method: 'GET',
  path: '/api/models/governed-releases',
  summary: 'Releases with their state, the newest first',
  description: 'Owners see the evaluation of their own domains.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(ReleaseSchema),
  handle: async ({ tx, visibility }) => bounded(await showReleases(tx, visibility, LIMIT + 1), LIMIT),
});
