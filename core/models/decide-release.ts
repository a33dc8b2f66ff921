import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Db } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { ReleaseDetail, ReleaseStep } from './release-schema.ts';
import { lockRelease, moveRelease, refuseStep } from './releases.sql.ts';
import { showRelease } from './show-releases.ts';

/**
 * Approves or rejects a release. Its proposer is refused, whatever their roles, and that is audited. Throws `not_found`
 * and `conflict`.
 */
export async function decideRelease(
  { db }: { db: Db },
  by: { principal: Principal; visibility: Visibility; correlationId: string; now: number },
  releaseId: string,
  trigger: 'approve' | 'reject',
  { revision, note }: ReleaseStep,
): Promise<ReleaseDetail> {
  const { correlationId, now } = by;
  const { tenantId, principalId } = by.principal;
  const decided = await withAuditedTx(
    db,
    { tenantId, principalId, correlationId, now },
    async (tx, events) => {
      const release = await lockRelease(tx, releaseId);
      if (release === null) throw notFound();
      if (release.proposedBy === principalId) {
        const target = { kind: 'release', id: releaseId };
        const details = { decision: trigger };
        events.push({ category: 'model', type: 'release_self_approval_refused', target, details });
        return null;
      }
      refuseStep(release, trigger, revision);
      const audit = events.push.bind(events);
      await moveRelease(tx, release, trigger, { principalId, note, now, audit }, { decidedBy: principalId });
      return showRelease(tx, releaseId, by.visibility);
    },
  );
  if (decided === null)
    throw new ServiceError(
      'conflict',
      'Separation of duties: a person who proposes a release cannot decide on it.',
    );
  return decided;
}
