import { randomBytes } from 'node:crypto';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { nearDuplicateClusters } from '../similarity/near-duplicate-clusters.ts';
import { countsOf, type LabelCounts } from './enough-labels.ts';
import { digestOf, itemsOf, type SnapshotItem, type SnapshotLabel } from './snapshot-content.ts';
import { type Snapshot, type SnapshotRequest, warningsOf } from './snapshot-schema.ts';
import {
  type ApprovedLabel,
  countApprovedLabels,
  insertSnapshot,
  lockApprovedLabels,
} from './snapshots.sql.ts';
import type { Side } from './split.ts';

/** Labels in one snapshot. Comparing them by content takes a moment of the process and 10 MB. */
const MAX_LABELS = 5_000;

/**
 * Takes the approved labels whose decisions are valid into a new snapshot, and splits them. Labels of one asset, of
 * byte-identical copies and of near-duplicates stay on one side. Throws `conflict` if there is nothing to split.
 */
export async function createSnapshot(
  tx: Tx,
  { principal, audit, now }: By,
  { evalFraction, ...request }: SnapshotRequest,
): Promise<Snapshot> {
  const approved = await lockApprovedLabels(tx, MAX_LABELS);
  if (approved.length === 0)
    throw new ServiceError('conflict', 'No dataset candidate is approved. Approve some first.');
  const labels = clustered(approved);
  const seed = randomBytes(16).toString('hex');
  const items = itemsOf(labels, evalFraction, seed);
  if (items === null)
    throw new ServiceError(
      'conflict',
      'All approved labels are of one asset or of its copies, so none can be held out. Approve labels of other assets.',
    );
  const omittedLabels = approved.length < MAX_LABELS ? 0 : (await countApprovedLabels(tx)) - approved.length;
  const snapshot = {
    datasetSnapshotId: newId('dss', now),
    ...request,
    evalFraction,
    seed,
    digest: digestOf({ seed, evalFraction, consentScope: request.consentScope, items }),
    clusters: new Set(items.map(({ cluster }) => cluster)).size,
    training: onSide(items, 'training'),
    heldOut: onSide(items, 'held_out'),
    omittedLabels,
    createdBy: principal.principalId,
    createdAt: new Date(now).toISOString(),
  };
  await insertSnapshot(tx, snapshot, items);
  const { datasetSnapshotId, digest, clusters } = snapshot;
  audit({
    category: 'model',
    type: 'dataset_snapshot_created',
    target: { kind: 'dataset_snapshot', id: datasetSnapshotId },
    details: { labels: items.length, clusters, evalFraction, consentScope: request.consentScope, digest },
  });
  return { ...snapshot, revisedLabels: 0, warnings: warningsOf(snapshot, snapshot) };
}

/** Numbers the clusters in the order of their names. An asset is alike by its content now, or by that of its decision. */
function clustered(approved: readonly ApprovedLabel[]): SnapshotLabel[] {
  const assets = [...new Map(approved.map((label) => [label.assetId, label])).values()];
  const decided = approved.map(({ assetId, decidedHash }) => ({
    assetId,
    contentHash: decidedHash,
    shingles: null,
    bands: [],
  }));
  const clusters = nearDuplicateClusters([...assets, ...decided]);
  const numbers = new Map([...new Set(clusters.values())].sort().map((name, number) => [name, number]));
  return approved.map(({ contentHash: _, decidedHash: __, shingles: ___, bands: ____, ...label }) => ({
    ...label,
    cluster: numbers.get(clusters.get(label.assetId) ?? '') ?? 0,
  }));
}

const onSide = (items: readonly SnapshotItem[], side: Side): LabelCounts =>
  countsOf(
    items
      .filter((item) => item.side === side)
      .map(({ label }) => ({ isPositive: label === 'positive_example' })),
  );
