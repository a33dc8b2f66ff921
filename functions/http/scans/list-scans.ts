import { z } from 'zod';
import {
  CAMPAIGN_SORTS,
  CampaignFilterSchema,
  ListedCampaignSchema,
} from '../../../core/campaigns/campaign-schema.ts';
import { countCampaigns, listCampaigns } from '../../../core/campaigns/campaigns.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf } from '../../../core/kernel/list.ts';

const LIMIT = 50;

export const listScans = endpoint({
  name: 'scans-list',
  method: 'GET',
  path: '/api/scans',
  summary: 'The latest scans of scopes that the caller may see',
  description:
    'Of deltas that the service started itself and that completed without failures, only the newest of each scope is ' +
    'listed. Rescores that followed a decision and completed without failures are omitted. `total` counts up to 10,000.',
  access: can('scan.job.read'),
  transaction: 'read',
  query: CampaignFilterSchema.extend({ sort: z.enum(CAMPAIGN_SORTS).default('-created') }),
  response: countedListOf(ListedCampaignSchema),
  handle: async ({ tx, visibility, query: { sort, ...filter } }) => {
    const campaigns = await listCampaigns(tx, visibility, LIMIT + 1, { filter, sort });
    return { ...bounded(campaigns, LIMIT), ...(await countCampaigns(tx, visibility, filter)) };
  },
});
