import { app } from '@azure/functions';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { runtime } from '../../core/runtime.ts';

/** Audits ends of campaigns that whoever ended them did not live to audit. */
app.timer('sweep-campaign-ends', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepCampaignEnds(parts, parts.stopping);
  },
});
