import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { ScopeSchema } from '../../../core/sources/scope-schema.ts';
import { shownScopes } from '../../../core/sources/shown-scopes.ts';

const LIMIT = 200;

export const listSources = endpoint({
  name: 'sources-list',
  method: 'GET',
  path: '/api/sources',
  summary: 'Scopes that the caller may see',
  description:
    'Contains coverage and cursor status. `assetCount` counts the assets that the caller may see; an asset in ' +
    'two of their domains counts in each. `activeCampaignId` is the scan that is pending, running or paused. ' +
    '`expectation` is null if the governing domain is not one of the caller’s.',
  access: can('scan.job.read'),
  transaction: 'read',
  response: listOf(ScopeSchema),
  handle: async ({ runtime, tx, visibility }) =>
    bounded(await shownScopes(runtime, tx, visibility, LIMIT + 1), LIMIT),
});
