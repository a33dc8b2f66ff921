import type { Capability } from '../../../core/authz/capabilities.ts';
import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { controlCampaign, markCancelled } from '../../../core/campaigns/campaign-control.sql.ts';
import { CampaignSchema } from '../../../core/campaigns/campaign-schema.ts';
import { findCampaign } from '../../../core/campaigns/campaigns.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import type { CampaignAction } from '../../../core/work/campaign-states.ts';
import { bellsFor } from '../../../core/work/doorbell.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';

/** One endpoint for each action, because each has its own capability. */
const control = (
  action: CampaignAction,
  {
    capability,
    type,
    ...texts
  }: { capability: Capability; type: string; summary: string; description: string },
) =>
  endpoint({
    name: `scans-${action}`,
    method: 'POST',
    path: `/api/scans/{id}/${action}`,
    ...texts,
    access: can(capability),
    transaction: 'write',
    params: IdParams,
    response: CampaignSchema,
    errors: ['conflict'],
    handle: async ({ runtime, tx, visibility, params, audit, now, afterCommit }) => {
      const status = await controlCampaign(tx, visibility, params.id, action, now);
      const campaign = await findCampaign(tx, visibility, params.id);
      if (campaign === null) throw notFound();
      audit({
        category: 'scan',
        type,
        target: { kind: 'campaign', id: campaign.campaignId },
        details: { kind: campaign.kind, status },
      });
      const { campaignId, workUnits } = campaign;
      const { config, db } = runtime;
      if (status === 'running')
        ringAfterCommit({ runtime, afterCommit }, bellsFor(workUnits.pending, config.SVC_WORKER_LEASE_BATCH));
      // Marks the units of an ordinary scan before the answer. The sweep marks the rest of a large one.
      if (status === 'cancelled')
        afterCommit(async () => {
          await markCancelled(db, { tenantId: tx.tenantId, campaignId }, momentOf(runtime.clock));
          await auditCampaignEnds(runtime, tx.tenantId);
        });
      if (status === 'completed') afterCommit(() => auditCampaignEnds(runtime, tx.tenantId));
      return campaign;
    },
  });

export const pauseScan = control('pause', {
  capability: 'scan.job.pause',
  type: 'scan_paused',
  summary: 'Pause a running scan',
  description: 'Nothing more of it is leased, and units under way finish.',
});

export const resumeScan = control('resume', {
  capability: 'scan.job.resume',
  type: 'scan_resumed',
  summary: 'Resume a paused scan',
  description: 'One whose units have all finished is completed at once.',
});

export const cancelScan = control('cancel', {
  capability: 'scan.job.cancel',
  type: 'scan_cancelled',
  summary: 'Cancel a scan that has not ended',
  description: 'What is pending is cancelled, and units under way finish.',
});
