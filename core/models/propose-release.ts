import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { notFound, validationFailed } from '../kernel/errors.ts';
import type { Proposal, ReleaseDetail } from './release-schema.ts';
import { insertRelease, snapshotExists } from './releases.sql.ts';
import { showRelease } from './show-releases.ts';
import { areInOrder, patched } from './thresholds.ts';

/**
 * Stores a proposal to change the thresholds in force. Throws `validation_failed` if the bands would not be in order or
 * it learns without a snapshot, and `not_found` if there is no such snapshot.
 */
export async function proposeRelease(
  tx: Tx,
  { principal, audit, now }: By,
  visibility: Visibility,
  proposal: Proposal,
): Promise<ReleaseDetail> {
  const { datasetSnapshotId, configPatch, weights } = proposal;
  if (weights === 'learn' && datasetSnapshotId === undefined)
    throw validationFailed([
      { path: 'datasetSnapshotId', message: 'Name the snapshot to learn the weights from.' },
    ]);
  if (datasetSnapshotId !== undefined && !(await snapshotExists(tx, datasetSnapshotId))) throw notFound();
  const inForce = await loadActiveEnsemble(tx);
  const thresholds = patched(inForce, configPatch);
  if (!areInOrder(thresholds)) {
    const path = configPatch.reviewLowThreshold === undefined ? 'reviewHighThreshold' : 'reviewLowThreshold';
    const message = `reviewLowThreshold (${thresholds.reviewLowThreshold}) must not exceed reviewHighThreshold (${thresholds.reviewHighThreshold}).`;
    throw validationFailed([{ path: `configPatch.${path}`, message }]);
  }
  const learned = weights === 'keep' ? inForce.learned : null;
  const compared = { thresholds, learned, comparedVersion: inForce.version };
  const { principalId } = principal;
  const releaseId = await insertRelease(tx, proposal, compared, { principalId, audit, now });
  return showRelease(tx, releaseId, visibility);
}
