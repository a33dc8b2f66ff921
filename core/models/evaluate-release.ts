import type { AiProvider } from '../ai/provider.ts';
import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Config } from '../config/config.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { type AnswersSoFar, answersSoFar } from '../inference/answers-so-far.ts';
import { type Ensemble, scoreTypes } from '../inference/inference.ts';
import type { TaxonomyIndex } from '../inference/taxonomy-index.ts';
import type { LearnedWeights } from '../inference/weights.ts';
import type { Clock } from '../kernel/clock.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { AssetId } from '../kernel/ids.ts';
import { decisionsOnCopies } from '../review/decisions-on-copies.sql.ts';
import { refusalsOf } from '../review/refusals.sql.ts';
import type { InferredAsset } from '../scan/infer-asset.ts';
import { readRetained } from '../scan/rescore.sql.ts';
import { embeddedTaxonomy } from '../scan/taxonomy-cache.ts';
import { countsOf, tooFewToLearnFrom } from './enough-labels.ts';
import { lockActiveEnsemble, thresholdsOf } from './ensembles.sql.ts';
import {
  type Asking,
  askingOf,
  type ChangedCandidate,
  changesOf,
  countSkipped,
  judgeLabel,
  type Pair,
  type ScoredInput,
  type SkippedLabel,
  tally,
} from './evaluation.ts';
import type { StoredEvaluation, Training } from './evaluation-report.ts';
import { fitWeights } from './fit-weights.ts';
import { beginEvaluation, labelsOnSide, type SideLabel, sampleAssets, settledTypes } from './held-out.sql.ts';
import { exampleOf } from './label-examples.ts';
import { rankByWords } from './rank-words.ts';
import type { ReleaseDetail } from './release-schema.ts';
import { lockRelease, moveRelease, refuseStep, releaseFor, type StoredRelease } from './releases.sql.ts';
import { showRelease } from './show-releases.ts';
import { disorderOf, patched } from './thresholds.ts';

/** Labels or assets whose features are read at once. */
const BATCH = 50;
/** Time for the labels. One that has many decided copies takes 35 ms, and others 2 ms. */
const LABELS_MS = 20_000;
/** Time for the labels of the training side. Those that are not reached are not learned from. */
const TRAINING_MS = 10_000;
/** Assets whose candidates are compared, and the time for it. */
const QUEUE_ASSETS = 2_000;
const QUEUE_MS = 5_000;

export type EvaluationParts = {
  config: Config;
  db: Db;
  ai: AiProvider;
  clock: Clock;
  stopping: AbortSignal;
};

/**
 * Scores the held-out labels of a release's snapshot, and a sample of all assets, by the thresholds in force and by
 * those of the release, and stores the counts. A release that learns is fitted first. It reads retained features and no
 * source. It voids an earlier approval. Throws `not_found`, `conflict` if the release does not allow it or something
 * has changed meanwhile, and `blocked_capability` without an answer of the AI provider, or at the spending cap.
 */
export async function evaluateRelease(
  parts: EvaluationParts,
  by: { principal: Principal; visibility: Visibility; correlationId: string; now: number },
  releaseId: string,
): Promise<ReleaseDetail> {
  const { db, stopping } = parts;
  const { tenantId, principalId } = by.principal;
  const reading = { tenantId, mode: 'read', signal: stopping } as const;
  // Refused before the provider is asked.
  await withTx(db, reading, (tx) => releaseFor(tx, releaseId, 'evaluate', undefined));
  const { index, answers } = await embeddedTaxonomy(parts, tenantId, stopping);
  const seen = await withTx(db, reading, async (tx) => {
    const release = await releaseFor(tx, releaseId, 'evaluate', undefined);
    if (!(await beginEvaluation(tx)))
      throw new ServiceError('conflict', 'Another evaluation is running. Try again when it has ended.');
    const current = await loadActiveEnsemble(tx);
    const { candidate, training } = await proposedOf(tx, release, current, index);
    const compared = await evaluate(tx, release, { current, candidate }, index, answers);
    return { release, current, candidate, evaluation: { ...compared, training } };
  });
  const source = { tenantId, principalId, correlationId: by.correlationId, now: by.now };
  return withAuditedTx(db, source, async (tx, events) => {
    const { version } = await lockActiveEnsemble(tx);
    if (version !== seen.current.version)
      throw new ServiceError('conflict', 'The thresholds in force have changed meanwhile. Evaluate again.');
    const release = await lockRelease(tx, releaseId);
    if (release === null) throw notFound();
    refuseStep(release, 'evaluate', seen.release.revision);
    const audit = events.push.bind(events);
    await moveRelease(
      tx,
      release,
      'evaluate',
      { principalId, note: '', now: by.now, audit },
      {
        thresholds: thresholdsOf(seen.candidate),
        learned: seen.candidate.learned,
        comparedVersion: version,
        evaluation: seen.evaluation,
        evaluatedAt: new Date(by.now),
        decidedBy: null,
      },
    );
    return showRelease(tx, releaseId, by.visibility);
  });
}

/**
 * What is in force, with the changes of the release. Throws `conflict` if the bands are then not in order, or if there is
 * too little to learn from.
 */
async function proposedOf(
  tx: Tx,
  release: StoredRelease,
  current: Ensemble,
  taxonomy: TaxonomyIndex,
): Promise<{ candidate: Ensemble; training: Training | null }> {
  const thresholds = patched(current, release.configPatch);
  const [disorder] = disorderOf(thresholds);
  if (disorder !== undefined)
    throw new ServiceError(
      'conflict',
      `With the thresholds in force, ${disorder.message} Propose another release.`,
    );
  const candidate = { ...current, ...thresholds };
  if (release.weights === 'keep') return { candidate, training: null };
  if (release.weights === 'hand_set') return { candidate: { ...candidate, learned: null }, training: null };
  const { learned, training } = await learn(tx, release, candidate, taxonomy);
  return { candidate: { ...candidate, learned }, training };
}

/** Fits the weights to the training side of the release's snapshot. */
async function learn(
  tx: Tx,
  { snapshotId }: StoredRelease,
  ensemble: Ensemble,
  taxonomy: TaxonomyIndex,
): Promise<{ learned: LearnedWeights; training: Training }> {
  const labels = snapshotId === null ? [] : await labelsOnSide(tx, snapshotId, 'training');
  const unrevised = labels.filter(({ isRevised }) => !isRevised);
  const { used, skipped } = await useLabels(tx, unrevised, taxonomy, within(TRAINING_MS), (input, label) => {
    const answers = answersSoFar([], true);
    const scored = scoreTypes({ ...input, answers, ensemble: { ...ensemble, learned: null } });
    const document = { cluster: String(label.cluster), terms: input.features.terms };
    return exampleOf(scored, label, document);
  });
  const learned = fitWeights(used, await rankByWords(used));
  if (learned === null) throw new ServiceError('conflict', tooFewToLearnFrom(countsOf(used)));
  const revised = labels.length - unrevised.length;
  return { learned, training: { labels: used.length, revised, skipped: countSkipped(skipped) } };
}

async function evaluate(
  tx: Tx,
  { snapshotId }: StoredRelease,
  pair: Pair<Ensemble>,
  taxonomy: TaxonomyIndex,
  answers: AnswersSoFar,
): Promise<Omit<StoredEvaluation, 'training'>> {
  const labels = snapshotId === null ? [] : await labelsOnSide(tx, snapshotId, 'held_out');
  const { used, skipped } = await useLabels(tx, labels, taxonomy, within(LABELS_MS), (input, label) => {
    const judged = judgeLabel(input, { ...typeOf(label), isPositive: label.isPositive }, pair);
    return judged && { datasetCandidateId: label.datasetCandidateId, label: judged };
  });
  const { changes, ...queueAssets } = await compareQueue(
    tx,
    askingOf(pair, answers),
    taxonomy,
    within(QUEUE_MS),
  );
  const tallies = tally(
    used.map(({ label }) => label),
    skipped,
    changes,
  );
  const judged = Object.fromEntries(
    used.map(({ datasetCandidateId, label: { judged: each } }) => [
      datasetCandidateId,
      { current: each.current.isAsked, candidate: each.candidate.isAsked },
    ]),
  );
  return { tallies, judged, queueAssets };
}

/**
 * Scores each label by what was decided on copies before its own decision, as it was when its owner was asked.
 * @param use null if the taxonomy lacks the type
 */
async function useLabels<T>(
  tx: Tx,
  labels: readonly SideLabel[],
  taxonomy: TaxonomyIndex,
  isTimeLeft: () => boolean,
  use: (input: ScoredInput, label: SideLabel) => T | null,
): Promise<{ used: T[]; skipped: SkippedLabel[] }> {
  const used: T[] = [];
  const skipped: SkippedLabel[] = [];
  for (const batch of batchesOf(labels)) {
    if (!isTimeLeft()) {
      skipped.push(...batch.map((label) => ({ ...typeOf(label), reason: 'notReached' as const })));
      continue;
    }
    const assets = await retainedById(
      tx,
      batch.map(({ assetId }) => assetId),
    );
    await Promise.all(
      batch.map(async (label) => {
        const skip = (reason: SkippedLabel['reason']) => skipped.push({ ...typeOf(label), reason });
        const asset = assets.get(label.assetId);
        if (!label.isAboutPresentContent) return skip('contentChanged');
        if (asset === undefined) return skip('featuresMissing');
        const input = await inputOf(tx, asset, taxonomy, { decidedBefore: label.decidedAt, refusedBy: [] });
        const result = use(input, label);
        return result === null ? skip('typeNotApproved') : used.push(result);
      }),
    );
  }
  return { used, skipped };
}

/** Compares the candidates of a sample of assets, as many as there is time for. */
async function compareQueue(
  tx: Tx,
  pair: Pair<Asking>,
  taxonomy: TaxonomyIndex,
  isTimeLeft: () => boolean,
): Promise<{ changes: ChangedCandidate[] } & StoredEvaluation['queueAssets']> {
  const { assetIds, total } = await sampleAssets(tx, QUEUE_ASSETS);
  const changes: ChangedCandidate[] = [];
  let examined = 0;
  let featuresMissing = 0;
  for (const batch of batchesOf(assetIds)) {
    if (!isTimeLeft()) break;
    const [assets, settled, refusals] = await Promise.all([
      retainedById(tx, batch),
      settledTypes(tx, batch),
      refusalsOf(tx, batch),
    ]);
    const isSettled = new Set(
      settled.map(({ assetId, informationTypeId }) => `${assetId} ${informationTypeId}`),
    );
    await Promise.all(
      [...assets.values()].map(async (asset) => {
        const refusedBy = refusals.get(asset.assetId) ?? [];
        const input = await inputOf(tx, asset, taxonomy, { decidedBefore: null, refusedBy });
        const changed = changesOf(input, pair);
        changes.push(
          ...changed.filter(
            ({ informationTypeId }) => !isSettled.has(`${asset.assetId} ${informationTypeId}`),
          ),
        );
      }),
    );
    examined += batch.length;
    featuresMissing += batch.length - assets.size;
  }
  return { changes, examined, featuresMissing, total };
}

async function inputOf(
  tx: Tx,
  { assetId, contentHash, features, expectedDomainId }: InferredAsset,
  taxonomy: TaxonomyIndex,
  { decidedBefore, refusedBy }: { decidedBefore: Date | null; refusedBy: readonly string[] },
): Promise<ScoredInput> {
  const related = await decisionsOnCopies(tx, assetId, contentHash, null, decidedBefore);
  return { features: features.value, taxonomy, expectedDomainId, related, refusedBy };
}

const retainedById = async (tx: Tx, assetIds: readonly AssetId[]): Promise<Map<AssetId, InferredAsset>> =>
  new Map((await readRetained(tx, assetIds)).map((asset) => [asset.assetId, asset]));

const typeOf = ({ informationTypeId, domainId }: SideLabel) => ({ informationTypeId, domainId });

function within(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() < end;
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
}
