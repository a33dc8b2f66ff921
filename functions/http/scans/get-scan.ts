import { z } from 'zod';
import {
  CampaignSchema,
  DeadLetterSchema,
  StageCountSchema,
} from '../../../core/campaigns/campaign-schema.ts';
import { findCampaign, stageCounts } from '../../../core/campaigns/campaigns.sql.ts';
import { deadLetters } from '../../../core/campaigns/dead-letters.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';
import { someoneLeases } from '../../../core/work/scanners.sql.ts';

const MAX_DEAD_LETTERS = 50;

export const getScan = endpoint({
  name: 'scans-get',
  method: 'GET',
  path: '/api/scans/{id}',
  summary: 'One scan: status, work units, stage outcomes, dead letters',
  description:
    'A reader who governs neither the scope nor the tenant receives the work units and dead letters of assets of their ' +
    'own domains, and no stage outcomes.',
  access: can('scan.job.read'),
  transaction: 'read',
  params: IdParams,
  response: CampaignSchema.extend({
    stageOutcomes: z.array(StageCountSchema),
    deadLetters: z.array(DeadLetterSchema),
    waitingFor: z
      .literal('scanner')
      .nullable()
      .describe('`scanner`: work is due and every scanner is drained or offline'),
  }),
  handle: async ({ runtime, tx, visibility, params }) => {
    const campaign = await findCampaign(tx, visibility, params.id);
    if (campaign === null) throw notFound();
    const { status, workUnits } = campaign;
    const waits =
      (status === 'pending' || status === 'running') && workUnits.pending > 0 && workUnits.leased === 0;
    return {
      ...campaign,
      // Outcomes are counted for the campaign as a whole.
      stageOutcomes: campaign.readable === 'all' ? await stageCounts(tx, params.id) : [],
      deadLetters: await deadLetters(tx, visibility, campaign, MAX_DEAD_LETTERS),
      waitingFor: waits && !(await someoneLeases(tx, momentOf(runtime.clock))) ? ('scanner' as const) : null,
    };
  },
});
