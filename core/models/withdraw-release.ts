import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { ReleaseDetail, ReleaseStep } from './release-schema.ts';
import { lockRelease, moveRelease, refuseStep } from './releases.sql.ts';
import { showRelease } from './show-releases.ts';

/**
 * Ends a release that is not promoted, for the person who proposed it. Throws `not_found`, and `conflict` for everybody
 * else.
 */
export async function withdrawRelease(
  tx: Tx,
  { principal: { principalId }, visibility, audit, now }: By & { visibility: Visibility },
  releaseId: string,
  { revision, note }: ReleaseStep,
): Promise<ReleaseDetail> {
  const release = await lockRelease(tx, releaseId);
  if (release === null) throw notFound();
  if (release.proposedBy !== principalId)
    throw new ServiceError(
      'conflict',
      'Only the person who proposed a release can withdraw it. Reject it instead.',
    );
  refuseStep(release, 'withdraw', revision);
  await moveRelease(tx, release, 'withdraw', { principalId, note, now, audit });
  return showRelease(tx, releaseId, visibility);
}
