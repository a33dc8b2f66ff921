import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Connector, ContentRead, SourceItem } from '../connectors/connector.ts';
import type { ExcerptBounds } from '../detectors/redaction.ts';
import { WorkerNotStarted } from '../extractors/pool/worker-pool.ts';
import { type Features, nameFeatures, packEmbedding } from '../inference/features.ts';
import type { TenantId } from '../kernel/ids.ts';
import { inSpan } from '../observability/traces.ts';
import { MAX_CONTAINED } from '../similarity/comparable.ts';
import { OwnPartFailed } from '../work/failure.ts';
import { type Analysis, type AnalysisArgument, analyse } from './analyse.ts';
import type { AnalysisPool } from './analysis-pool.ts';
import type { AssetState, ContentOutcome, DataHandlingProfile, ReadContent } from './asset-state.sql.ts';
import { embedWithinCap } from './embed-within-cap.ts';
import { keepsTextIn } from './keeps-text-in.ts';
import type { ScanParts } from './scan-parts.ts';
import { type StageKeys, type Stages, unembeddedKey } from './stages.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** Bounds of the redacted excerpts kept per asset. */
const EXCERPTS: Readonly<Record<DataHandlingProfile, ExcerptBounds>> = {
  metadata_only: { max: 0, width: 0 },
  minimized_evidence: { max: 3, width: 120 },
  enhanced_evidence: { max: 10, width: 240 },
};
const MIB = 1024 * 1024;

/** An asset whose content is read. */
type Look = {
  parts: Pick<ScanParts, 'analysis' | 'clock' | 'config' | 'db' | 'metrics' | 'provider'>;
  tenantId: TenantId;
  connector: Connector;
  state: AssetState;
  item: SourceItem;
  keys: StageKeys;
  stages: Stages;
  /** Whether excerpts for a second opinion are wanted, if the content is read. */
  forOpinion: boolean;
  signal: AbortSignal;
};

/**
 * Runs the stages `content` and `features`. The content is read only if it, or what features depend on, has changed.
 * Where the spending cap is reached, the features have no embedding and the outcome of their stage is `skipped`.
 */
export async function readContent(look: Look, taxonomy: TaxonomyInUse): Promise<ReadContent> {
  const { state, item, keys, stages, parts, tenantId, signal } = look;
  const unembedded = unembeddedKey(keys.features, parts);
  const knownKey = [keys.features, unembedded].find((key) => stages.isKnown('features', key));
  const isContentKnown = stages.isKnown('content', keys.content);
  if (isContentKnown && state.features !== null && knownKey !== undefined) {
    stages.hit('content');
    stages.hit('features');
    // After a rename only the features of the name are derived again. The content is not read.
    const value = { ...state.features.value, ...nameFeatures(item) };
    return { outcome: state.content, features: { key: knownKey, value }, text: null };
  }
  const argument = argumentOf(look, taxonomy);
  // Content that gave no text is not fetched again. Its features are derived from names alone. An unsupported file with
  // parts gave their names.
  const isTextless =
    isContentKnown &&
    (state.content.state === 'failed' ||
      (state.content.state === 'unsupported' && state.content.unreadParts === null));
  if (isTextless) stages.hit('content');
  const { outcome, analysis, contains, analysisMs } = isTextless
    ? withoutText(state.content, argument)
    : await fetchOne(look, argument);
  const started = performance.now();
  const { provider } = parts;
  const known = state.features?.value;
  const isKeptIn = keepsTextIn(state.profile, provider);
  const vectors = await stages.attempt('features', () =>
    embedWithinCap(parts, tenantId, isKeptIn ? [] : [analysis.embeddingText], signal),
  );
  const vector = vectors?.[0];
  const value: Features = {
    ...analysis.features,
    embedding: vector ? packEmbedding({ provider: provider.name, model: provider.model, vector }) : null,
    // The opinion on the same content is still valid.
    ...(known?.opinion !== undefined &&
      known.contentHash === outcome.hash &&
      !isKeptIn && { opinion: known.opinion }),
  };
  stages.computed('features', performance.now() - started + analysisMs);
  if (vectors === null) stages.outcomes.features = 'skipped';
  const { sketches, excerpts, opinionExcerpts } = analysis;
  const wordHashes = state.profile === 'metadata_only' ? [] : analysis.wordHashes;
  return {
    outcome,
    features: { key: vectors === null ? unembedded : keys.features, value },
    text: { excerpts, wordHashes, comparable: { sketches, contains }, opinionExcerpts },
  };
}

type Argument = Omit<AnalysisArgument, 'contentHash'>;

function argumentOf(
  { state: { profile }, item: { name, path }, forOpinion }: Look,
  { index, detectors, homes, fingerprintKey }: TaxonomyInUse,
): Argument {
  const keepsNothing = profile === 'metadata_only';
  return {
    name,
    path,
    excerpts: EXCERPTS[profile],
    detectors,
    homes,
    fingerprintKey: keepsNothing ? null : fingerprintKey,
    vocabulary: keepsNothing ? null : [...index.rarities.keys()],
    forOpinion,
  };
}

/** The content state, the analysis, the hashes of the files inside, and the milliseconds that the analysis took. */
type Fetched = {
  outcome: ContentOutcome;
  analysis: Analysis;
  contains: readonly string[];
  analysisMs: number;
};

/** The result for content without text. */
const withoutText = (outcome: ContentOutcome, argument: Argument): Fetched => ({
  outcome,
  analysis: analyse(null, { ...argument, contentHash: outcome.hash }),
  contains: [],
  analysisMs: 0,
});

async function fetchOne(
  { parts: { analysis, config, metrics }, connector, state, item, stages, signal }: Look,
  argument: Argument,
): Promise<Fetched> {
  const started = performance.now();
  const maxBytes = config.SVC_EXTRACT_MAX_INPUT_MB * MIB;
  const fetched = await stages.attempt('content', () =>
    fetchAndAnalyse(connector, analysis, state.scopeExternalId, item, maxBytes, argument, signal),
  );
  stages.computed('content', performance.now() - started - fetched.analysisMs);
  const { state: outcome, format } = fetched.outcome;
  if (outcome !== 'inaccessible' && outcome !== 'not_fetched') {
    metrics.count(`extraction:${format ?? 'unknown'}:${outcome}`);
  }
  return fetched;
}

/**
 * Fetches, extracts and analyses the content of one item. Every problem of a file becomes a content state.
 * @throws {OwnPartFailed} if no worker thread could be started
 * @throws {ThreadFault} if an extractor, a detector or the analysis has a bug
 */
export async function fetchAndAnalyse(
  connector: Connector,
  pool: AnalysisPool,
  scopeExternalId: string,
  item: SourceItem,
  maxBytes: number,
  argument: Argument,
  signal: AbortSignal,
): Promise<Fetched> {
  const without = (outcome: Omit<ContentOutcome, 'unreadParts'>) =>
    withoutText({ ...outcome, unreadParts: null }, argument);
  if (item.notRead === 'package') {
    return without({ state: 'unsupported', reason: item.notRead, format: null, hash: null });
  }
  if (item.notRead !== undefined) {
    return without({ state: 'inaccessible', reason: item.notRead, format: null, hash: null });
  }
  // A folder that could not be read is listed as an inaccessible asset, so that the gap is visible.
  const content: ContentRead =
    item.kind === 'folder'
      ? { state: 'inaccessible' }
      : await connector.readContent(scopeExternalId, item.externalId, maxBytes, signal);
  if (content.state === 'inaccessible') {
    return without({ state: 'inaccessible', reason: content.reason ?? null, format: null, hash: null });
  }
  if (content.state === 'too_large') {
    return without({ state: 'failed', reason: 'size_bound', format: null, hash: null });
  }
  const hash = createHash('sha256').update(content.bytes).digest('hex');
  const file = {
    name: item.name,
    mimeType: item.mimeType,
    bytes: content.bytes,
    isTable: item.kind === 'table',
  };
  const ended = await inSpan('analysis', {}, async (span) => {
    const extracted = await pool.extract(file, { ...argument, contentHash: hash });
    span.describe({ 'svc.content.state': extracted.state });
    return extracted;
  }).catch((error: unknown) => {
    throw error instanceof WorkerNotStarted ? new OwnPartFailed('no_threads') : error;
  });
  const outcome = {
    state: ended.state,
    reason: ended.reason,
    format: ended.format,
    hash,
    unreadParts: ('unreadParts' in ended ? ended.unreadParts : undefined) ?? null,
  };
  if (!('analysis' in ended)) return withoutText(outcome, argument);
  const contains = ('contains' in ended ? ended.contains : undefined) ?? [];
  return {
    outcome,
    analysis: ended.analysis,
    contains: contains.slice(0, MAX_CONTAINED),
    analysisMs: ended.analysisMs,
  };
}
