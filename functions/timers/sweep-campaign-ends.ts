import { app } from '@azure/functions';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { runtime } from '../../core/runtime.ts';

/** Audits ends of campaigns whose process died before it could. */
app.timer('sweep-campaign-ends', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await sweepCampaignEnds(parts, parts.stopping);
  },
});
