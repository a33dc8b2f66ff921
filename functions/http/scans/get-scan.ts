import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { CampaignSchema, DeadLetterSchema, StageCountSchema } from '../../../core/sources/campaign-schema.ts';
import { findCampaign, stageCounts } from '../../../core/work/campaigns.sql.ts';
import { deadLetters } from '../../../core/work/dead-letters.sql.ts';

const DEAD_LETTERS_MAX = 50;

export const getScan = endpoint({
  name: 'scans-get',
  method: 'GET',
  path: '/api/scans/{id}',
  summary: 'One scan: status, work units, stage outcomes, dead letters',
  access: can('scan.job.read'),
  transaction: 'read',
  params: z.strictObject({ id: z.string().max(64) }),
  response: CampaignSchema.extend({
    stageOutcomes: z.array(StageCountSchema),
    deadLetters: z.array(DeadLetterSchema),
  }),
  handle: async ({ tx, visibility, params }) => {
    const campaign = await findCampaign(tx, visibility, params.id);
    if (campaign === null) throw notFound();
    return {
      ...campaign,
      stageOutcomes: await stageCounts(tx, params.id),
      deadLetters: await deadLetters(tx, params.id, DEAD_LETTERS_MAX),
    };
  },
});
