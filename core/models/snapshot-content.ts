import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { TrainingLabel } from '../review/decision.ts';
import { type Side, splitByCluster } from './split.ts';

/** A label as a snapshot takes it over. */
export type SnapshotLabel = {
  datasetCandidateId: string;
  assetId: string;
  informationTypeId: string;
  label: TrainingLabel;
  confidence: number | null;
  ensembleVersion: number;
  cluster: number;
};

export type SnapshotItem = SnapshotLabel & { side: Side };

/**
 * The items of a snapshot in the order of their ids. The same labels, fraction and seed give the same items. Null if all
 * labels are in one cluster.
 */
export function itemsOf(
  labels: readonly SnapshotLabel[],
  evalFraction: number,
  seed: string,
): SnapshotItem[] | null {
  const sides = splitByCluster(
    labels.map(({ datasetCandidateId, cluster, informationTypeId, label }) => ({
      id: datasetCandidateId,
      cluster: String(cluster),
      stratum: `${informationTypeId} ${label}`,
    })),
    evalFraction,
    seed,
  );
  return (
    sides &&
    labels
      .map((each) => ({ ...each, side: sides.get(each.datasetCandidateId) ?? 'training' }))
      .sort((a, b) => (a.datasetCandidateId < b.datasetCandidateId ? -1 : 1))
  );
}

/** SHA-256 in hex of the canonical JSON (RFC 8785) of a snapshot's content. `items` are in the order of `itemsOf`. */
export const digestOf = (content: {
  seed: string;
  evalFraction: number;
  consentScope: string;
  items: readonly SnapshotItem[];
}): string =>
  createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex');
