import type { Visibility } from '../authz/principal.ts';
import { type CampaignRow, findCampaign } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import type { LearnedWords } from '../inference/learned-words.ts';
import {
  HAND_SET_STARTING_POINT,
  HAND_SET_WEIGHTS,
  type LearnedWeights,
  WEIGHTED_NAMES,
  weightsOf,
} from '../inference/weights.ts';
import { notFound } from '../kernel/errors.ts';
import { type EvaluatedGroup, overallOf, reportOf } from './evaluation-report.ts';
import type { Release, ReleaseDetail, ShownWeights } from './release-schema.ts';
import { nextReleaseState } from './release-states.ts';
import { findRelease, listReleases, releaseHistory, type StoredRelease } from './releases.sql.ts';
import { revisedLabels } from './revised-labels.sql.ts';
import { findSnapshot } from './snapshots.sql.ts';
import { warningOf } from './worse.ts';

const MAX_STEPS = 100;

/** The newest releases as the reader may see them; at most `limit`. */
export async function showReleases(tx: Tx, visibility: Visibility, limit: number): Promise<Release[]> {
  const stored = await listReleases(tx, limit);
  const revised = await revisedLabels(
    tx,
    stored.map(({ releaseId }) => releaseId),
  );
  return Promise.all(
    stored.map(async (release) => {
      const evaluation =
        release.evaluation &&
        overallOf({ ...release.evaluation, revised: revised.get(release.releaseId) ?? [] }, visibility);
      return {
        ...shown(release, await rescoreOf(tx, release, visibility), visibility),
        promotionWarning: warningFor(release, evaluation, visibility),
        evaluation,
      };
    }),
  );
}

/** A release with its evaluation and history. Throws `not_found`. */
export async function showRelease(tx: Tx, releaseId: string, visibility: Visibility): Promise<ReleaseDetail> {
  const release = await findRelease(tx, releaseId);
  if (release === null) throw notFound();
  const revised = (await revisedLabels(tx, [releaseId])).get(releaseId) ?? [];
  const evaluation = release.evaluation && reportOf({ ...release.evaluation, revised }, visibility);
  const history = await releaseHistory(tx, releaseId, MAX_STEPS);
  return {
    ...shown(release, await rescoreOf(tx, release, visibility), visibility),
    promotionWarning: warningFor(release, evaluation?.overall ?? null, visibility),
    snapshotWarnings: await warningsFor(tx, release, visibility),
    learnedWeights: release.learned && weightsFor(release.learned, visibility),
    evaluation,
    history:
      visibility.kind === 'tenant'
        ? history
        : history.map((step) => ({ ...step, isWorse: null, note: null })),
  };
}

/** What an evaluation says of all domains at this moment. Null of a release that is not evaluated. */
export async function evaluatedOverall(
  tx: Tx,
  { releaseId, evaluation }: StoredRelease,
): Promise<EvaluatedGroup | null> {
  if (evaluation === null) return null;
  const revised = (await revisedLabels(tx, [releaseId])).get(releaseId) ?? [];
  return overallOf({ ...evaluation, revised }, { kind: 'tenant' });
}

/** The warning before a promotion. It is of all domains, so readers of some do not see it. */
function warningFor({ status }: StoredRelease, overall: EvaluatedGroup | null, visibility: Visibility) {
  const isBefore = nextReleaseState(status, 'evaluate') !== null;
  return overall?.isWorse && isBefore && visibility.kind === 'tenant'
    ? warningOf(overall.withoutRevised ?? overall)
    : null;
}

/** What limits the use of a release's snapshot. It is of all domains, so readers of some do not see it. */
async function warningsFor(tx: Tx, { snapshotId }: StoredRelease, visibility: Visibility) {
  if (snapshotId === null || visibility.kind !== 'tenant') return null;
  return (await findSnapshot(tx, snapshotId))?.snapshot.warnings ?? null;
}

/** Learned weights as a reader may see them: counts of labels only to those who see all domains. */
function weightsFor(learned: LearnedWeights, visibility: Visibility): ShownWeights {
  const isTenant = visibility.kind === 'tenant';
  const weights = weightsOf(learned);
  const start = {
    feature: 'starting_point',
    handSetWeight: -HAND_SET_STARTING_POINT,
    learnedWeight: learned.shift - HAND_SET_STARTING_POINT,
    support: isTenant ? learned.labels : null,
  };
  const others = WEIGHTED_NAMES.map((feature) => ({
    feature,
    handSetWeight: HAND_SET_WEIGHTS[feature],
    learnedWeight: weights[feature],
    support: isTenant ? learned.factors[feature].support : null,
  }));
  const words = learned.words && {
    feature: 'learned_words',
    handSetWeight: 0,
    learnedWeight: learned.words.weight,
    support: isTenant ? sumOfDocuments(learned.words) : null,
  };
  return {
    labels: start.support,
    features: [start, ...others, ...(words === undefined ? [] : [words])],
    types: Object.entries(learned.types)
      .filter(([, { domainId }]) => isTenant || visibility.domainIds.some((own) => own === domainId))
      .map(([informationTypeId, { domainId, offset, support }]) => ({
        domainId,
        informationTypeId,
        offset,
        support,
      })),
  };
}

const sumOfDocuments = ({ types }: LearnedWords): number =>
  Object.values(types).reduce((sum, { documents }) => sum + documents, 0);

/** The rescore of a release. It is of the whole tenant, so readers of domains do not see it. */
const rescoreOf = async (tx: Tx, { campaignId }: StoredRelease, visibility: Visibility) =>
  campaignId === null || visibility.kind !== 'tenant' ? null : findCampaign(tx, visibility, campaignId);

const shown = (
  release: StoredRelease,
  rescore: CampaignRow | null,
  visibility: Visibility,
): Omit<Release, 'evaluation' | 'promotionWarning'> => ({
  releaseId: release.releaseId,
  status: release.status,
  configPatch: release.configPatch,
  thresholds: release.thresholds,
  weights: release.weights,
  comparedVersion: release.comparedVersion,
  datasetSnapshotId: release.snapshotId,
  rationale: visibility.kind === 'tenant' ? release.rationale : null,
  proposedBy: release.proposedBy,
  decidedBy: release.decidedBy,
  evaluatedAt: release.evaluatedAt?.toISOString() ?? null,
  promotedVersion: release.promotedVersion,
  rescore,
  revision: release.revision,
  createdAt: release.createdAt.toISOString(),
  updatedAt: release.updatedAt.toISOString(),
});
