import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { LEVEL_NAMES } from '../findings/sensitivity.ts';
import type { Features } from '../inference/features.ts';
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

/** What is known of an asset now. */
type Present = {
  assetId: AssetId;
  contentHash: string | null;
  contentVersion: string;
  signals: readonly Signal[];
  /** Null to use the stored ones. */
  sketches: Sketches | null;
  inferences: readonly Inference[];
  inferenceKey: string;
  features: { value: Pick<Features, 'spellings'> };
};

/**
 * Asks questions again whose answers were given on content that the asset no longer has, if a change matters to the
 * answer (`materialChanges`). Past decisions stay as they are. Call it after the inferences on the present content
 * are recorded, with the rows of the assets locked.
 */
export async function reconsider(
  tx: Tx,
  presents: readonly Present[],
  ensemble: Ensemble,
  now: number,
): Promise<void> {
  const answers = Map.groupBy(
    await answersOn(
      tx,
      presents.map(({ assetId }) => assetId),
    ),
    ({ assetId }) => assetId,
  );
  for (const present of presents)
    await reconsiderAsset(tx, present, answers.get(present.assetId) ?? [], ensemble, now);
}

async function reconsiderAsset(
  tx: Tx,
  present: Present,
  answers: readonly Answered[],
  ensemble: Ensemble,
  now: number,
): Promise<void> {
  if (answers.length === 0) return;
  const { assetId, signals, sketches } = present;
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
      basis: basisOf(inference.contributions, signals, present.features.value.spellings),
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
 * The new status of a candidate after material changes, or null if its answer remains valid. If the model suggests the type,
 * the candidate is asked again (`pending`). Otherwise a confirmed candidate is asked again, a candidate that was
 * corrected to another type is withdrawn, and a rejected or routed one stays as it is. A rejected question of a
 * colleague is withdrawn, so that the next colleague can ask it: the model cannot repeat it.
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
