import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sweepCampaignEnds } from '../../core/work/audit-campaign-ends.ts';

/** Audits ends of campaigns that whoever ended them did not live to audit. */
app.timer('sweep-campaign-ends', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepCampaignEnds(parts, parts.stopping);
  },
});
