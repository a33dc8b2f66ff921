import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { LEVEL_NAMES } from '../findings/sensitivity.ts';
import { type Ensemble, type Inference, isCandidate } from '../inference/inference.ts';
import type { AssetId } from '../kernel/ids.ts';
import { estimatedJaccard } from '../similarity/sketch.ts';
import type { Sketches } from '../similarity/sketches.ts';
import type { Decision } from './decision.ts';
import { type Evidence, type MaterialChange, materialChanges } from './material-change.ts';
import {
  type Answered,
  answersOn,
  type Reconsidered,
  storedShingles,
  storeReconsidered,
} from './reconsider.sql.ts';
import { candidateBand } from './record-inferences.sql.ts';
import { basisOf } from './summary.ts';

const CONFIRMING: readonly Decision[] = ['mine', 'mine_different_type', 'mine_not_sensitive'];

/**
 * Asks again what owners answered about content that the asset no longer has, where it differs in what matters to the
 * answer (`materialChanges`). Nothing that was said is changed; an answer about the same content stands. Call it when the
 * inferences of the present content are recorded, holding the row of the asset.
 */
export async function reconsider(
  tx: Tx,
  present: {
    assetId: AssetId;
    contentHash: string | null;
    contentVersion: string;
    signals: readonly Signal[];
    /** Null: those that are stored. */
    sketches: Sketches | null;
    inferences: readonly Inference[];
    inferenceKey: string;
  },
  ensemble: Ensemble,
  now: number,
): Promise<void> {
  const { assetId, signals, sketches } = present;
  const answers = await answersOn(tx, assetId);
  if (answers.length === 0) return;
  const shingles = sketches ? (sketches.shingles?.signature ?? null) : await storedShingles(tx, assetId);
  const suggested = present.inferences.filter(({ confidence }) => isCandidate(confidence, ensemble));
  const evidence: Evidence = {
    contentHash: present.contentHash,
    contentVersion: present.contentVersion,
    signals,
    types: suggested.map(({ informationTypeId, sensitivity }) => ({
      informationTypeId,
      level: LEVEL_NAMES.indexOf(sensitivity) as Evidence['types'][number]['level'],
    })),
  };
  const reconsidered = answers.flatMap((answer): Reconsidered[] => {
    const likeness =
      answer.shingles === null || shingles === null ? null : estimatedJaccard(answer.shingles, shingles);
    const changes = materialChanges(judgedBy(answer), evidence, likeness);
    const inference = suggested.find((each) => each.informationTypeId === answer.informationTypeId);
    const status = statusAfter(answer, changes, inference !== undefined);
    if (status === null) return [];
    const supported = inference && {
      confidence: inference.confidence,
      band: candidateBand(inference.confidence, ensemble),
      basis: basisOf(inference.contributions, signals),
    };
    return [{ candidateId: answer.candidateId, status, changes, supported: supported ?? null }];
  });
  if (reconsidered.length > 0) await storeReconsidered(tx, assetId, present.inferenceKey, reconsidered, now);
}

const judgedBy = ({ evidence, contentHash, ...answer }: Answered) => ({
  ...answer,
  evidence: evidence && { ...evidence, contentHash, contentVersion: answer.contentVersion },
});

/**
 * Where a candidate stands after material changes; null where its answer stands. What was confirmed is asked again, whether
 * or not the model still says so; a correction to another type is asked again with that type. What was refused or sent away
 * is asked again where the model suggests it again; the refusal of a colleague's question, which no model can repeat, does
 * not stand in the way of the next one.
 */
export function statusAfter(
  { status, informationTypeId, decision, statedType }: Answered,
  changes: readonly MaterialChange[],
  isSupported: boolean,
): Reconsidered['status'] | null {
  if (changes.length === 0) return null;
  if (isSupported) return 'pending';
  if (CONFIRMING.includes(decision))
    return statedType === null || statedType.informationTypeId === informationTypeId
      ? 'pending'
      : 'withdrawn';
  return status === 'rejected' && informationTypeId === null ? 'withdrawn' : null;
}
