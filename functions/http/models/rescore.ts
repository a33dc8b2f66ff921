import { z } from 'zod';
import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { requireTaxonomy, startRescore } from '../../../core/models/rescore.ts';

export const rescore = endpoint({
  name: 'models-rescore',
  method: 'POST',
  path: '/api/models/rescore',
  summary: 'Rescore every asset of the tenant',
  description:
    'Uses retained features and does not read the sources. Creates a new version of the thresholds in force. ' +
    'Refused while the taxonomy cannot be embedded, because every asset would lose its semantic comparison.',
  access: can('model.release.approve'),
  transaction: 'write',
  response: z.object({ campaignId: z.string(), ensembleVersion: z.int() }),
  location: ({ campaignId }) => `/api/scans/${campaignId}`,
  errors: ['conflict', 'blocked_capability'],
  prepare: ({ runtime, principal }) => requireTaxonomy(runtime, principal.tenantId),
  handle: async ({ runtime, tx, principal, audit, now, correlationId, afterCommit }) => {
    const started = await startRescore(tx, { createdBy: principal.principalId, correlationId }, now);
    audit({
      category: 'model',
      type: 'rescore_started',
      target: { kind: 'campaign', id: started.campaignId },
      details: { ensembleVersion: started.ensembleVersion },
    });
    ringAfterCommit({ runtime, afterCommit });
    // A rescore without assets ends at once.
    afterCommit(() => auditCampaignEnds(runtime, tx.tenantId));
    return started;
  },
});
