import { z } from 'zod';
import { DeadLetterSchema, StageCountSchema } from '../../../core/campaigns/campaign-schema.ts';
import { findCampaign, narrowedTo, stageCounts } from '../../../core/campaigns/campaigns.sql.ts';
import { deadLetters } from '../../../core/campaigns/dead-letters.sql.ts';
import { CampaignStateSchema, withProgress } from '../../../core/campaigns/progress.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { LeftOutCountSchema, OnlySchema } from '../../../core/narrowing/narrowing-schema.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';

const MAX_DEAD_LETTERS = 50;
const NOTHING = { only: null, leftOut: [], used: null };

export const getScan = endpoint({
  name: 'scans-get',
  method: 'GET',
  path: '/api/scans/{id}',
  summary: 'One scan: status, progress, stage outcomes, dead letters',
  description:
    'A reader who governs neither the scope nor the tenant receives the work units and dead letters of assets of their ' +
    'own domains, no rate, no stage outcomes, and nothing of what it is narrowed to, leaves out and uses.',
  access: can('scan.job.read'),
  transaction: 'read',
  params: IdParams,
  response: CampaignStateSchema.extend({
    only: OnlySchema.nullable().describe('What it is narrowed to; null: to nothing'),
    leftOut: z
      .array(LeftOutCountSchema)
      .describe('What it has left out so far, by rule and by what it is narrowed to'),
    used: z
      .object({
        calls: z.int().describe('Calls to the source so far'),
        bytesRead: z.int().describe('Bytes of content so far'),
      })
      .nullable()
      .describe('Null to a reader who governs neither the scope nor the tenant'),
    stageOutcomes: z.array(StageCountSchema),
    deadLetters: z.array(DeadLetterSchema),
  }),
  handle: async ({ runtime, tx, visibility, params }) => {
    const campaign = await findCampaign(tx, visibility, params.id);
    if (campaign === null) throw notFound();
    // These are of the scope as a whole, as outcomes are.
    const whole = campaign.readable === 'all' ? await narrowedTo(tx, campaign.campaignId) : NOTHING;
    return {
      ...(await withProgress(tx, campaign, momentOf(runtime.clock))),
      ...whole,
      // Outcomes are counted for the campaign as a whole.
      stageOutcomes: campaign.readable === 'all' ? await stageCounts(tx, params.id) : [],
      deadLetters: await deadLetters(tx, visibility, campaign, MAX_DEAD_LETTERS),
    };
  },
});
