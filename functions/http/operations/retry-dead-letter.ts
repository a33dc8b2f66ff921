import { CampaignSchema } from '../../../core/campaigns/campaign-schema.ts';
import { findCampaign } from '../../../core/campaigns/campaigns.sql.ts';
import { retryDeadLetter } from '../../../core/campaigns/dead-letters.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { notFound } from '../../../core/kernel/errors.ts';

export const retryDeadLetterEndpoint = endpoint({
  name: 'operations-retry-dead-letter',
  method: 'POST',
  path: '/api/ops/dead-letters/{id}/retry',
  summary: 'Retry a dead work unit',
  description: 'Returns its campaign, which resumes if it had completed.',
  access: can('operations.manage'),
  transaction: 'write',
  params: IdParams,
  response: CampaignSchema,
  errors: ['conflict'],
  handle: async ({ runtime, tx, visibility, params, audit, now, afterCommit }) => {
    const campaignId = await retryDeadLetter(tx, visibility, params.id, now);
    const campaign = await findCampaign(tx, visibility, campaignId);
    if (campaign === null) throw notFound();
    audit({
      category: 'scan',
      type: 'dead_letter_retried',
      target: { kind: 'dead_letter', id: params.id },
      details: { campaignId },
    });
    ringAfterCommit({ runtime, afterCommit });
    return campaign;
  },
});
