import { ListedCampaignSchema } from '../../../core/campaigns/campaign-schema.ts';
import { listCampaigns } from '../../../core/campaigns/campaigns.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 50;

export const listScans = endpoint({
  name: 'scans-list',
  method: 'GET',
  path: '/api/scans',
  summary: 'The latest scans of scopes that the caller may see',
  description:
    'Of deltas that the service started itself and that completed without failures, only the newest of each scope is ' +
    'listed. Rescores that followed a decision and completed without failures are omitted.',
  access: can('scan.job.read'),
  transaction: 'read',
  response: listOf(ListedCampaignSchema),
  handle: async ({ tx, visibility }) => bounded(await listCampaigns(tx, visibility, LIMIT + 1), LIMIT),
});
