import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { promoteRelease } from '../../../core/models/promote-release.ts';
import { ReleaseDetailSchema, ReleaseStepSchema } from '../../../core/models/release-schema.ts';

export const promote = endpoint({
  name: 'models-promote-release',
  method: 'POST',
  path: '/api/models/releases/{id}/promote',
  summary: 'Put an approved release in force',
  description:
    'Makes a new version of the thresholds and rescores every asset from retained features; `rescore` shows the ' +
    'progress. Refused while another rescore is active, and if the thresholds in force have changed since the evaluation.',
  access: can('model.release.approve'),
  transaction: 'write',
  params: IdParams,
  body: ReleaseStepSchema,
  response: ReleaseDetailSchema,
  errors: ['conflict'],
  handle: async ({
    runtime,
    tx,
    principal,
    visibility,
    params,
    body,
    audit,
    now,
    correlationId,
    afterCommit,
  }) => {
    const by = { principal, visibility, audit, now, correlationId };
    const promoted = await promoteRelease(tx, by, params.id, body);
    ringAfterCommit({ runtime, afterCommit });
    // A rescore without assets ends at once.
    afterCommit(() => auditCampaignEnds(runtime, tx.tenantId));
    return promoted;
  },
});
