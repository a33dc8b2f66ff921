import { z } from 'zod';
import { SOURCE_FAMILIES } from '../../../core/connectors/connector.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { listScopes } from '../../../core/sources/scopes.sql.ts';

const LIMIT = 200;

export const listSources = endpoint({
  name: 'sources-list',
  method: 'GET',
  path: '/api/sources',
  summary:
    'Scopes that the caller may see, with coverage and cursor status. `assetCount` is of the whole scope, whichever ' +
    'of its assets the caller may see; `activeCampaignId` is the scan that is pending, running or paused; `expectation` is null where the governing domain is not one of theirs',
  access: can('scan.job.read'),
  transaction: 'read',
  response: listOf(
    z.object({
      scopeId: z.string(),
      name: z.string(),
      kind: z.string(),
      family: z.enum(SOURCE_FAMILIES),
      mode: z.enum(['mock', 'live']),
      externalId: z.string(),
      selected: z.boolean(),
      coverageState: z.enum(['baseline', 'delta', 'stale']).nullable(),
      deltaCursorStatus: z.enum(['none', 'valid', 'resync_required']),
      assetCount: z.int(),
      expectation: z.object({ domainId: z.string() }).nullable(),
      activeCampaignId: z.string().nullable(),
    }),
  ),
  handle: async ({ tx, visibility }) => bounded(await listScopes(tx, visibility, LIMIT + 1), LIMIT),
});
