import { z } from 'zod';
import { DeadLetterSchema, StageCountSchema } from '../../../core/campaigns/campaign-schema.ts';
import { findCampaign, stageCounts } from '../../../core/campaigns/campaigns.sql.ts';
import { deadLetters } from '../../../core/campaigns/dead-letters.sql.ts';
import { CampaignStateSchema, withProgress } from '../../../core/campaigns/progress.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';

const MAX_DEAD_LETTERS = 50;

export const getScan = endpoint({
  name: 'scans-get',
  method: 'GET',
  path: '/api/scans/{id}',
  summary: 'One scan: status, progress, stage outcomes, dead letters',
  description:
    'A reader who governs neither the scope nor the tenant receives the work units and dead letters of assets of their ' +
    'own domains, no rate, and no stage outcomes.',
  access: can('scan.job.read'),
  transaction: 'read',
  params: IdParams,
  response: CampaignStateSchema.extend({
    stageOutcomes: z.array(StageCountSchema),
    deadLetters: z.array(DeadLetterSchema),
  }),
  handle: async ({ runtime, tx, visibility, params }) => {
    const campaign = await findCampaign(tx, visibility, params.id);
    if (campaign === null) throw notFound();
    return {
      ...(await withProgress(tx, campaign, momentOf(runtime.clock))),
      // Outcomes are counted for the campaign as a whole.
      stageOutcomes: campaign.readable === 'all' ? await stageCounts(tx, params.id) : [],
      deadLetters: await deadLetters(tx, visibility, campaign, MAX_DEAD_LETTERS),
    };
  },
});
