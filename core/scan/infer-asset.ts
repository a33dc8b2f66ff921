import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { Features, Opinion } from '../inference/features.ts';
import {
  countingOpinion,
  INFERENCE_VERSION,
  type Inference,
  type InferenceInput,
  infer,
} from '../inference/inference.ts';
import { type LastScoring, type Scoring, storeScorings } from '../inference/scorings.sql.ts';
import { digest } from '../kernel/digest.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { decisionsOnCopies, decisionsOnCopiesOfEach } from '../review/decisions-on-copies.sql.ts';
import { reconsider } from '../review/reconsider.ts';
import {
  noteNewContent,
  recordInferences,
  type Suggestion,
  suggestionsOf,
} from '../review/record-inferences.sql.ts';
import { refusalsOf } from '../review/refusals.sql.ts';
import type { EffectiveSignals } from '../signals/suppression.ts';
import type { Sketches } from '../similarity/sketches.ts';
import { storeEffectiveSignals } from './suppressed.sql.ts';
import { type AboutAsset, effectiveSignalsOf, rulesAbout } from './suppressed-signals.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** An asset as inference reads it. */
export type InferredAsset = {
  assetId: AssetId;
  scopeId: ScopeId;
  name: string;
  path: string;
  /** SHA-256 of its bytes in hex. Null if no bytes were read. */
  contentHash: string | null;
  /** The content version at the source of the content that was read. */
  contentVersion: string;
  features: { key: string; value: Features };
  /** The sketches of the text that was just read. Null to use the stored ones. */
  sketches: Sketches | null;
  expectedDomainId: DomainId | null;
} & LastScoring;

/** What an inference depends on besides the asset's row, its features and the taxonomy. */
export type InferenceBasis = {
  /** Decisions on copies of the asset. */
  related: readonly RelatedDecision[];
  /** The domains that have refused the asset, sorted. */
  refusedBy: readonly DomainId[];
  about: AboutAsset;
};

/** Reads the basis of an inference. `sketches` as in `InferredAsset`. */
export async function inferenceBasis(
  tx: Tx,
  asset: Pick<InferredAsset, 'assetId' | 'scopeId' | 'path' | 'contentHash' | 'sketches'>,
  features: Features | null,
  { suppressions }: TaxonomyInUse,
): Promise<InferenceBasis> {
  const { assetId, scopeId, path, contentHash, sketches } = asset;
  const suppressible = {
    assetId,
    scopeId,
    path,
    signals: features?.signals ?? [],
    fingerprints: features?.fingerprints,
  };
  const [related, refusals, about] = await Promise.all([
    decisionsOnCopies(tx, assetId, contentHash, sketches),
    refusalsOf(tx, [assetId]),
    rulesAbout(tx, suppressible, sketches, suppressions.rules),
  ]);
  return { related, refusedBy: refusals.get(assetId) ?? [], about };
}

/**
 * A key that changes with everything that an inference depends on. A rule of suppression is part of it for the assets
 * that it is about, so that other assets are not inferred again when it changes.
 */
export const inferenceKeyOf = (
  { features, name, path, expectedDomainId }: InferredAsset,
  { related, refusedBy, about }: InferenceBasis,
  { index, revision, ensemble, answers }: TaxonomyInUse,
): string => {
  const opinion = countingOpinion(features.value, index);
  return digest(
    ...[features.key, name, path, revision, ensemble.version, INFERENCE_VERSION, expectedDomainId, related],
    ...[refusedBy, answers.unanswered, [...answers.domains], [...answers.types]],
    ...(about.rules.length === 0
      ? []
      : [about.rules.map(({ suppressionId }) => suppressionId), about.tiedByPeople]),
    ...(opinion === null ? [] : [opinion.provider, opinion.model, opinion.typeSet, answerKey(opinion)]),
  );
};

/** Members of what is stored come back in another order. */
const answerKey = ({ answer }: Opinion): string =>
  typeof answer === 'string' ? answer : answer.informationTypeId;

/** What an asset is scored by, with the signals that count after suppressions. */
export function inferenceInput(
  { features, expectedDomainId }: Pick<InferredAsset, 'features' | 'expectedDomainId'>,
  { related, refusedBy, about }: InferenceBasis,
  { index, ensemble, answers }: TaxonomyInUse,
): { input: InferenceInput; effective: EffectiveSignals } {
  const input = {
    features: features.value,
    taxonomy: index,
    ensemble,
    expectedDomainId,
    related,
    refusedBy,
    answers,
  };
  const effective = effectiveSignalsOf(input, about);
  return {
    input: { ...input, features: { ...features.value, signals: [...effective.signals] } },
    effective,
  };
}

/** The outcome of a scoring. */
export type Inferred = {
  assetId: AssetId;
  /** The key of the inferences that hold now: new ones, or those of an earlier scoring with the same result. */
  inferenceKey: string;
  outcome: StageOutcome;
  /** The signals that count after suppressions. */
  signals: readonly Signal[];
};

/**
 * Scores an asset's features against the approved taxonomy, unless nothing has changed, and stores the inferences. If the
 * content was not read and the result is the stored one, it only notes the scoring. Reads no source.
 */
export async function inferAsset(
  tx: Tx,
  asset: InferredAsset,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Inferred> {
  const basis = await inferenceBasis(tx, asset, asset.features.value, taxonomy);
  const scored = score(asset, basis, taxonomy);
  await storeScored(tx, [scored], taxonomy, now);
  return scored.inferred;
}

/** The same for several assets at once, by their stored sketches. */
export async function inferAssets(
  tx: Tx,
  assets: readonly InferredAsset[],
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Inferred[]> {
  const [related, refusals, abouts] = await Promise.all([
    decisionsOnCopiesOfEach(tx, assets),
    refusalsOf(
      tx,
      assets.map(({ assetId }) => assetId),
    ),
    Promise.all(
      assets.map((asset) => rulesAbout(tx, suppressible(asset), null, taxonomy.suppressions.rules)),
    ),
  ]);
  const scored = assets.flatMap((asset, nth) => {
    const about = abouts[nth];
    if (about === undefined) return [];
    const { assetId } = asset;
    const basis = { related: related.get(assetId) ?? [], refusedBy: refusals.get(assetId) ?? [], about };
    return [score(asset, basis, taxonomy)];
  });
  await storeScored(tx, scored, taxonomy, now);
  return scored.map(({ inferred }) => inferred);
}

type ScoredAsset = {
  asset: InferredAsset;
  effective: EffectiveSignals;
  inferred: Inferred;
  /** Null if everything is as it was at the last scoring. */
  scoring: (Scoring & { inferences: Inference[]; suggestions: Suggestion[]; isStored: boolean }) | null;
};

function score(asset: InferredAsset, basis: InferenceBasis, taxonomy: TaxonomyInUse): ScoredAsset {
  const { assetId } = asset;
  const scoredKey = inferenceKeyOf(asset, basis, taxonomy);
  const { input, effective } = inferenceInput(asset, basis, taxonomy);
  const { signals } = effective;
  if (asset.inferenceKey !== null && asset.scoredKey === scoredKey) {
    const inferred: Inferred = { assetId, inferenceKey: asset.inferenceKey, outcome: 'cache_hit', signals };
    return { asset, effective, inferred, scoring: null };
  }
  const inferences = infer(input);
  const asks = { refusedBy: basis.refusedBy, signals, spellings: asset.features.value.spellings };
  const suggestions = suggestionsOf(inferences, asks, taxonomy.ensemble);
  const resultKey = digest(suggestions);
  // The result of changed content is always stored, so that nobody answers on evidence that they have not seen.
  const storedKey = isReadAgain(asset) || asset.resultKey !== resultKey ? null : asset.inferenceKey;
  const inferenceKey = storedKey ?? scoredKey;
  const key = { assetId, scoredKey, inferenceKey, resultKey };
  return {
    asset,
    effective,
    inferred: { assetId, inferenceKey, outcome: 'computed', signals },
    scoring: { ...key, inferences, suggestions, isStored: storedKey !== null },
  };
}

const isReadAgain = ({ sketches }: InferredAsset): boolean => sketches !== null;

async function storeScored(
  tx: Tx,
  scored: readonly ScoredAsset[],
  { ensemble }: TaxonomyInUse,
  now: number,
): Promise<void> {
  const computed = scored.flatMap(({ asset, effective, scoring }) =>
    scoring === null
      ? []
      : [{ ...asset, ...scoring, effective, signals: effective.signals, readAgain: isReadAgain(asset) }],
  );
  if (computed.length === 0) return;
  const isNew = computed.filter(({ isStored }) => !isStored);
  const readAgain = scored.flatMap(({ asset }) =>
    isReadAgain(asset) && asset.inferenceKey !== null ? [asset] : [],
  );
  // The statements are sent in this order, in one round trip.
  await Promise.all([
    readAgain.length > 0 && noteNewContent(tx, readAgain),
    isNew.length > 0 && recordInferences(tx, isNew, ensemble.version, now),
    storeScorings(tx, computed, ensemble.version, now),
    reconsider(tx, computed, ensemble, now),
    storeEffectiveSignals(
      tx,
      computed.map(({ assetId, effective }) => ({ assetId, ...effective })),
    ),
  ]);
}

const suppressible = ({ features: { value }, ...asset }: InferredAsset) => ({
  ...asset,
  signals: value.signals,
  fingerprints: value.fingerprints,
});
