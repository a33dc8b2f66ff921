import { isDeepStrictEqual } from 'node:util';
import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Db, Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import type { Ensemble } from '../inference/inference.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { loadEnsemble, lockActiveEnsemble } from './ensembles.sql.ts';
import type { ReleaseDetail, ReleaseStep } from './release-schema.ts';
import {
  lockRelease,
  lockReleaseInForce,
  type Mover,
  moveRelease,
  refuseStep,
  releaseFor,
  type StoredRelease,
} from './releases.sql.ts';
import { rescoreUnder } from './rescore.ts';
import { evaluatedOverall, showRelease } from './show-releases.ts';
import { isReason, warningOf } from './worse.ts';

type Promoter = By & { visibility: Visibility; correlationId: string };

/** Throws what a promotion is refused for, as far as nothing is locked: `not_found` and `conflict`. */
export async function refusePromotion(tx: Tx, releaseId: string, step: ReleaseStep): Promise<void> {
  const release = await releaseFor(tx, releaseId, 'promote', step.revision);
  await isPromotedWorse(tx, release, await loadActiveEnsemble(tx), step);
}

/**
 * Puts the thresholds and weights of an approved release in force as the next version, and has every asset scored by it
 * from what is retained of it. A release that is worse than what is in force needs a reason in the note; its proposer is
 * refused then, and that is audited. Throws `not_found`, and `conflict` if the thresholds in force are not those that
 * the release was evaluated against, or while another rescore is active.
 */
export async function promoteRelease(
  { db }: { db: Db },
  by: { principal: Principal; visibility: Visibility; correlationId: string; now: number },
  releaseId: string,
  step: ReleaseStep,
): Promise<ReleaseDetail> {
  const { correlationId, now } = by;
  const { tenantId, principalId } = by.principal;
  const promoted = await withAuditedTx(
    db,
    { tenantId, principalId, correlationId, now },
    async (tx, events) => {
      // Locked first by everybody who changes what is in force, so that no two wait for each other.
      const inForce = await lockActiveEnsemble(tx);
      const release = await locked(tx, releaseId);
      const isWorse = await isPromotedWorse(tx, release, inForce, step);
      if (isWorse && release.proposedBy === principalId) {
        const target = { kind: 'release', id: releaseId };
        events.push({ category: 'model', type: 'release_self_promotion_refused', target });
        return null;
      }
      const promoter = { ...by, audit: events.push.bind(events) };
      await putInForce(tx, promoter, { release, inForce, isWorse }, step);
      return showRelease(tx, releaseId, by.visibility);
    },
  );
  if (promoted === null)
    throw new ServiceError(
      'conflict',
      'Separation of duties: this release is worse than what is in force, so a person who did not propose it must promote it.',
    );
  return promoted;
}

/**
 * Whether a promotion is of a release that is worse than what is in force. Throws `conflict` if the release does not
 * allow a promotion, was evaluated against other thresholds, or is worse and the note gives no reason.
 */
async function isPromotedWorse(
  tx: Tx,
  release: StoredRelease,
  inForce: Ensemble,
  { revision, note }: ReleaseStep,
): Promise<boolean> {
  refuseStep(release, 'promote', revision);
  const compared = await loadEnsemble(tx, release.comparedVersion);
  if (!isDeepStrictEqual(compared, { ...inForce, version: compared.version }))
    throw new ServiceError(
      'conflict',
      'The thresholds in force have changed since the evaluation. Evaluate the release again.',
    );
  const overall = await evaluatedOverall(tx, release);
  if (overall === null || !overall.isWorse) return false;
  if (!isReason(note)) throw new ServiceError('conflict', warningOf(overall.withoutRevised ?? overall));
  return true;
}

async function putInForce(
  tx: Tx,
  by: Promoter,
  { release, inForce, isWorse }: { release: StoredRelease; inForce: Ensemble; isWorse: boolean },
  step: ReleaseStep,
): Promise<void> {
  const { releaseId } = release;
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
    isWorse,
  });
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
