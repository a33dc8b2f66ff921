import type { Principal } from '../../../core/authz/principal.ts';
import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { withTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { promoteRelease, refusePromotion, rollBackRelease } from '../../../core/models/promote-release.ts';
import { ReleaseDetailSchema, ReleaseStepSchema } from '../../../core/models/release-schema.ts';
import { requireTaxonomy } from '../../../core/models/rescore.ts';
import type { Runtime } from '../../../core/runtime.ts';

const STEP = {
  method: 'POST',
  access: can('model.release.approve'),
  params: IdParams,
  body: ReleaseStepSchema,
  response: ReleaseDetailSchema,
} as const;

type Started = {
  runtime: Runtime;
  principal: Principal;
  afterCommit: (task: () => Promise<void>) => void;
};

/** Both steps change what is in force, so a rescore of the tenant follows. */
function followRescore({ runtime, principal: { tenantId }, afterCommit }: Started): void {
  ringAfterCommit({ runtime, afterCommit });
  // A rescore without assets ends at once.
  afterCommit(() => auditCampaignEnds(runtime, tenantId));
}

export const promote = endpoint({
  ...STEP,
  name: 'models-promote-release',
  path: '/api/models/releases/{id}/promote',
  summary: 'Put an approved release in force',
  description:
    'Makes a new version of the thresholds and rescores every asset from retained features; `rescore` shows the ' +
    'progress. Refused while another rescore is active or the taxonomy cannot be embedded, and if the thresholds in ' +
    'force have changed since the evaluation. A release whose evaluation is worse than what is in force needs the ' +
    'reason in `note`, by another person than its proposer; `promotionWarning` of the release says so.',
  // A refusal for the proposer is audited in a transaction of its own.
  transaction: 'none',
  errors: ['conflict', 'blocked_capability'],
  // A rollback does not need the taxonomy: it must be possible in an outage.
  prepare: async ({ runtime, principal: { tenantId }, params, body }) => {
    // Refused before the provider is asked.
    await withTx(runtime.db, { tenantId, mode: 'read' }, (tx) => refusePromotion(tx, params.id, body));
    await requireTaxonomy(runtime, tenantId);
  },
  handle: async (request) => {
    const { runtime, principal, visibility, params, body, correlationId, now } = request;
    const by = { principal, visibility, correlationId, now };
    const release = await promoteRelease(runtime, by, params.id, body);
    followRescore(request);
    return release;
  },
});

export const rollback = endpoint({
  ...STEP,
  name: 'models-rollback-release',
  path: '/api/models/releases/{id}/rollback',
  summary: 'Take back the release in force',
  description:
    'The thresholds before it come into force again, as a new version, and every asset is rescored from retained ' +
    'features. The release that was in force before is restored. Refused while another rescore is active.',
  transaction: 'write',
  errors: ['conflict'],
  handle: async (request) => {
    const release = await rollBackRelease(request.tx, request, request.params.id, request.body);
    followRescore(request);
    return release;
  },
});
