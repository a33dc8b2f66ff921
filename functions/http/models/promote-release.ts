import type { Principal } from '../../../core/authz/principal.ts';
import { auditCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { withTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { promoteRelease, rollBackRelease } from '../../../core/models/promote-release.ts';
import {
  ReleaseDetailSchema,
  type ReleaseStep,
  ReleaseStepSchema,
} from '../../../core/models/release-schema.ts';
import { releaseFor } from '../../../core/models/releases.sql.ts';
import { requireTaxonomy } from '../../../core/models/rescore.ts';
import type { Runtime } from '../../../core/runtime.ts';

type Step = { runtime: Runtime; principal: Principal; params: { id: string }; body: ReleaseStep };

/** What `POST /api/models/rescore` is refused for. A rollback is not: it must be possible in an outage. */
const needsTaxonomy = {
  errors: ['conflict', 'blocked_capability'],
  prepare: async ({ runtime, principal: { tenantId }, params, body }: Step) => {
    // Refused before the provider is asked.
    await withTx(runtime.db, { tenantId, mode: 'read' }, (tx) =>
      releaseFor(tx, params.id, 'promote', body.revision),
    );
    await requireTaxonomy(runtime, tenantId);
  },
} as const;

/** Both steps change what is in force, so a rescore of the tenant follows. */
const changeInForce = (
  step: 'promote' | 'rollback',
  change: typeof promoteRelease,
  texts: { summary: string; description: string },
  needs: typeof needsTaxonomy | { errors: ['conflict'] },
) =>
  endpoint({
    name: `models-${step}-release`,
    method: 'POST',
    path: `/api/models/releases/{id}/${step}`,
    ...texts,
    access: can('model.release.approve'),
    transaction: 'write',
    params: IdParams,
    body: ReleaseStepSchema,
    response: ReleaseDetailSchema,
    ...needs,
    handle: async (request) => {
      const { runtime, tx, params, body, afterCommit } = request;
      const release = await change(tx, request, params.id, body);
      ringAfterCommit({ runtime, afterCommit });
      // A rescore without assets ends at once.
      afterCommit(() => auditCampaignEnds(runtime, tx.tenantId));
      return release;
    },
  });

export const promote = changeInForce(
  'promote',
  promoteRelease,
  {
    summary: 'Put an approved release in force',
    description:
      'Makes a new version of the thresholds and rescores every asset from retained features; `rescore` shows the ' +
      'progress. Refused while another rescore is active or the taxonomy cannot be embedded, and if the thresholds in ' +
      'force have changed since the evaluation.',
  },
  needsTaxonomy,
);

export const rollback = changeInForce(
  'rollback',
  rollBackRelease,
  {
    summary: 'Take back the release in force',
    description:
      'The thresholds before it come into force again, as a new version, and every asset is rescored from retained ' +
      'features. The release that was in force before is restored. Refused while another rescore is active.',
  },
  { errors: ['conflict'] },
);
