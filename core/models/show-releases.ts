import type { Visibility } from '../authz/principal.ts';
import { type CampaignRow, findCampaign } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { sumOf } from './evaluation.ts';
import { groupOf, reportOf, visibleTallies } from './evaluation-report.ts';
import type { Release, ReleaseDetail } from './release-schema.ts';
import { findRelease, listReleases, releaseHistory, type StoredRelease } from './releases.sql.ts';

const MAX_STEPS = 100;

/** The newest releases as the reader may see them; at most `limit`. */
export async function showReleases(tx: Tx, visibility: Visibility, limit: number): Promise<Release[]> {
  const stored = await listReleases(tx, limit);
  return Promise.all(
    stored.map(async (release) => ({
      ...shown(release, await rescoreOf(tx, release, visibility)),
      evaluation: release.evaluation && groupOf(sumOf(visibleTallies(release.evaluation, visibility))),
    })),
  );
}

/** A release with its evaluation and history. Throws `not_found`. */
export async function showRelease(tx: Tx, releaseId: string, visibility: Visibility): Promise<ReleaseDetail> {
  const release = await findRelease(tx, releaseId);
  if (release === null) throw notFound();
  return {
    ...shown(release, await rescoreOf(tx, release, visibility)),
    evaluation: release.evaluation && reportOf(release.evaluation, visibility),
    history: await releaseHistory(tx, releaseId, MAX_STEPS),
  };
}

/** The rescore of a release. It is of the whole tenant, so readers of domains do not see it. */
const rescoreOf = async (tx: Tx, { campaignId }: StoredRelease, visibility: Visibility) =>
  campaignId === null || visibility.kind !== 'tenant' ? null : findCampaign(tx, visibility, campaignId);

const shown = (release: StoredRelease, rescore: CampaignRow | null): Omit<Release, 'evaluation'> => ({
  releaseId: release.releaseId,
  status: release.status,
  configPatch: release.configPatch,
  thresholds: release.thresholds,
  comparedVersion: release.comparedVersion,
  datasetSnapshotId: release.snapshotId,
  rationale: release.rationale,
  proposedBy: release.proposedBy,
  decidedBy: release.decidedBy,
  evaluatedAt: release.evaluatedAt?.toISOString() ?? null,
  promotedVersion: release.promotedVersion,
  rescore,
  revision: release.revision,
  createdAt: release.createdAt.toISOString(),
  updatedAt: release.updatedAt.toISOString(),
});
