import { isDeepStrictEqual } from 'node:util';
import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from '../governance/by.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import type { Ensemble } from '../inference/inference.ts';
import { type Issue, notFound, validationFailed } from '../kernel/errors.ts';
import { fewOf, tooFewToLearnFrom } from './enough-labels.ts';
import { thresholdsOf } from './ensembles.sql.ts';
import type { Proposal, ReleaseDetail } from './release-schema.ts';
import { insertRelease } from './releases.sql.ts';
import { showRelease } from './show-releases.ts';
import type { Sides } from './snapshot-schema.ts';
import { findSnapshot } from './snapshots.sql.ts';
import { disorderOf, patched } from './thresholds.ts';

/**
 * Stores a proposal to change the thresholds or weights in force. Throws `not_found` if there is no such snapshot, and
 * `validation_failed` if the proposal makes no sense.
 */
export async function proposeRelease(
  tx: Tx,
  { principal, audit, now }: By,
  visibility: Visibility,
  proposal: Proposal,
): Promise<ReleaseDetail> {
  const { datasetSnapshotId, configPatch, weights } = proposal;
  const found = datasetSnapshotId === undefined ? undefined : await findSnapshot(tx, datasetSnapshotId);
  if (found === null) throw notFound();
  const inForce = await loadActiveEnsemble(tx);
  const issues = [...faultsOfValues(proposal, inForce), ...faultsOfLabels(proposal, found?.unrevised)];
  if (issues.length > 0) throw validationFailed(issues);
  const thresholds = patched(inForce, configPatch);
  const learned = weights === 'keep' ? inForce.learned : null;
  const compared = { thresholds, learned, comparedVersion: inForce.version };
  const { principalId } = principal;
  const releaseId = await insertRelease(tx, proposal, compared, { principalId, audit, now });
  return showRelease(tx, releaseId, visibility);
}

/** What is wrong with the thresholds and weights that a proposal would put in force. */
function faultsOfValues({ configPatch, weights }: Proposal, inForce: Ensemble): Issue[] {
  const thresholds = patched(inForce, configPatch);
  const disorder = disorderOf(thresholds).map(({ of, message }) => {
    const named = of.find((name) => configPatch[name] !== undefined);
    return { path: named === undefined ? 'configPatch' : `configPatch.${named}`, message };
  });
  if (disorder.length > 0) return disorder;
  if (weights === 'learn' || !isDeepStrictEqual(thresholds, thresholdsOf(inForce))) return [];
  if (weights === 'hand_set') {
    const message = 'The weights in force are the hand-set ones already, and no threshold would change.';
    return inForce.learned === null ? [{ path: 'weights', message }] : [];
  }
  return [
    {
      path: 'configPatch',
      message:
        Object.keys(configPatch).length === 0
          ? 'Nothing would change. Name a threshold or boost with another value, or set weights to learn.'
          : 'Nothing would change: these values are in force already.',
    },
  ];
}

/** What is wrong with the labels that a proposal is evaluated on and learns from. */
function faultsOfLabels({ weights }: Proposal, unrevised: Sides | undefined): Issue[] {
  const fault = (message: string) => [{ path: 'datasetSnapshotId', message }];
  if (unrevised === undefined)
    return weights === 'learn' ? fault('Name the snapshot to learn the weights from.') : [];
  const { training, heldOut } = unrevised;
  if (heldOut.positiveExamples + heldOut.counterexamples === 0)
    return fault(
      'No label is left to evaluate on: the answers behind all held-out labels were reversed or withdrawn. Take another snapshot.',
    );
  return weights === 'learn' && fewOf(training).length > 0 ? fault(tooFewToLearnFrom(training)) : [];
}
