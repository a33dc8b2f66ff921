import { isDeepStrictEqual } from 'node:util';
import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { loadEnsemble, lockActiveEnsemble } from './ensembles.sql.ts';
import type { ReleaseDetail, ReleaseStep } from './release-schema.ts';
import {
  lockRelease,
  lockReleaseInForce,
  type Mover,
  moveRelease,
  refuseStep,
  type StoredRelease,
} from './releases.sql.ts';
import { rescoreUnder } from './rescore.ts';
import { showRelease } from './show-releases.ts';

type Promoter = By & { visibility: Visibility; correlationId: string };

/**
 * Puts the thresholds and weights of an approved release in force as the next version, and has every asset scored by it
 * from what is retained of it. Throws `not_found`, and `conflict` if the thresholds in force are not those that the
 * release was evaluated against, or while another rescore is active.
 */
export async function promoteRelease(
  tx: Tx,
  by: Promoter,
  releaseId: string,
  step: ReleaseStep,
): Promise<ReleaseDetail> {
  // Locked first by everybody who changes what is in force, so that no two wait for each other.
  const inForce = await lockActiveEnsemble(tx);
  const release = await locked(tx, releaseId);
  refuseStep(release, 'promote', step.revision);
  const compared = await loadEnsemble(tx, release.comparedVersion);
  if (!isDeepStrictEqual(compared, { ...inForce, version: compared.version }))
    throw new ServiceError(
      'conflict',
      'The thresholds in force have changed since the evaluation. Evaluate the release again.',
    );
  const former = await lockReleaseInForce(tx);
  const { campaignId, ensembleVersion } = await rescoreUnder(
    tx,
    { ...release.thresholds, learned: release.learned },
    releaseId,
    originOf(by),
    by.now,
  );
  const mover = moverOf(by, step);
  if (former !== null) await moveRelease(tx, former, 'supersede', { ...mover, note: '' });
  await moveRelease(tx, release, 'promote', mover, {
    promotedVersion: ensembleVersion,
    formerVersion: inForce.version,
    formerReleaseId: former?.releaseId ?? null,
    campaignId,
    ensembleVersion,
  });
  return showRelease(tx, releaseId, by.visibility);
}

/**
 * Takes back the release in force: the thresholds and weights before it come into force again as the next version, and
 * every asset is scored by it. The versions of the release stay. Throws `not_found` and `conflict`.
 */
export async function rollBackRelease(
  tx: Tx,
  by: Promoter,
  releaseId: string,
  step: ReleaseStep,
): Promise<ReleaseDetail> {
  await lockActiveEnsemble(tx);
  const release = await locked(tx, releaseId);
  refuseStep(release, 'rollback', step.revision);
  if (release.formerVersion === null) throw new Error('A promoted release has no former version');
  const former = await loadEnsemble(tx, release.formerVersion);
  const { campaignId, ensembleVersion } = await rescoreUnder(tx, former, releaseId, originOf(by), by.now);
  const mover = moverOf(by, step);
  await moveRelease(tx, release, 'rollback', mover, { campaignId, ensembleVersion });
  if (release.formerReleaseId !== null)
    await moveRelease(
      tx,
      await locked(tx, release.formerReleaseId),
      'restore',
      { ...mover, note: '' },
      { ensembleVersion },
    );
  return showRelease(tx, releaseId, by.visibility);
}

async function locked(tx: Tx, releaseId: string): Promise<StoredRelease> {
  const release = await lockRelease(tx, releaseId);
  if (release === null) throw notFound();
  return release;
}

const originOf = ({ principal, correlationId }: Promoter) => ({
  createdBy: principal.principalId,
  correlationId,
});

const moverOf = ({ principal, audit, now }: Promoter, { note }: ReleaseStep): Mover => ({
  principalId: principal.principalId,
  note,
  now,
  audit,
});
