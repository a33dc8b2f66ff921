import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { rollBackRelease } from '../../../core/models/promote-release.ts';
import { ReleaseDetailSchema, ReleaseStepSchema } from '../../../core/models/release-schema.ts';

export const rollback = endpoint({
  name: 'models-rollback-release',
  method: 'POST',
  path: '/api/models/releases/{id}/rollback',
  summary: 'Take back the release in force',
  description:
    'The thresholds before it come into force again, as a new version, and every asset is rescored from retained ' +
    'features. The release that was in force before is restored. Refused while another rescore is active.',
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
    const rolledBack = await rollBackRelease(tx, by, params.id, body);
    ringAfterCommit({ runtime, afterCommit });
    // A rescore without assets ends at once.
    afterCommit(() => auditCampaignEnds(runtime, tx.tenantId));
    return rolledBack;
  },
});
