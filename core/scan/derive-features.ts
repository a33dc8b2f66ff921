import { performance } from 'node:perf_hooks';
import type { Connector, SourceItem } from '../connectors/connector.ts';
import type { ExcerptBounds } from '../detectors/redaction.ts';
import { type Features, nameFeatures, packEmbedding } from '../inference/features.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { AssetState, ContentOutcome, DataHandlingProfile, Observation } from './asset-state.sql.ts';
import { embedWithinCap } from './embed-within-cap.ts';
import { type Looking, type ReadContent, readContent, withoutText } from './read-content.ts';
import type { ScanParts } from './scan-parts.ts';
import { unembeddedKey } from './stage-keys.ts';
import type { StageKeys, Stages } from './stages.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** Bounds of the redacted excerpts kept per asset. */
const EXCERPTS: Readonly<Record<DataHandlingProfile, ExcerptBounds>> = {
  metadata_only: { max: 0, width: 0 },
  minimized_evidence: { max: 3, width: 120 },
  enhanced_evidence: { max: 10, width: 240 },
};
const MIB = 1024 * 1024;

/** Whether excerpts for a second opinion are wanted. `due`: the content is read again for them. */
export type WantedOpinion = 'not_wanted' | 'if_read' | 'due';

/** An asset whose content is read. */
export type Look = {
  parts: Pick<ScanParts, 'analysis' | 'clock' | 'config' | 'db' | 'metrics' | 'provider'>;
  tenantId: TenantId;
  connector: Connector;
  state: AssetState;
  item: SourceItem;
  keys: StageKeys;
  stages: Stages;
  opinion: WantedOpinion;
  signal: AbortSignal;
};

export type ContentAndFeatures = {
  outcome: ContentOutcome;
  features: Features;
  /** The key of the features: that of their stage, or another one if they have no embedding. */
  featuresKey: string;
  /** What to store. Null if nothing has changed. */
  stored: Observation['features'];
  /** Excerpts for a second opinion, if they are wanted and the content was read. */
  opinionExcerpts: readonly string[];
};

/**
 * Runs the stages `content` and `features`. The content is read only if it, or what features depend on, has changed.
 * Where the spending cap is reached, the features have no embedding and the outcome of their stage is `skipped`.
 */
export async function contentAndFeatures(
  look: Look,
  {
    index,
    detectors,
    homes,
    fingerprintKey,
  }: Pick<TaxonomyInUse, 'index' | 'detectors' | 'homes' | 'fingerprintKey'>,
): Promise<ContentAndFeatures> {
  const { state, item, keys, stages, parts, tenantId, opinion, signal } = look;
  const unembedded = unembeddedKey(keys.features, parts);
  const knownKey = [keys.features, unembedded].find((key) => stages.isKnown('features', key));
  const isContentKnown = stages.isKnown('content', keys.content);
  if (isContentKnown && state.features !== null && knownKey !== undefined && opinion !== 'due') {
    stages.hit('content');
    stages.hit('features');
    // After a rename only the features of the name are derived again. The content is not read.
    const features = { ...state.features.value, ...nameFeatures(item) };
    return { outcome: state.content, features, featuresKey: knownKey, stored: null, opinionExcerpts: [] };
  }
  const looking = {
    excerpts: EXCERPTS[state.profile],
    detectors,
    homes,
    fingerprintKey: state.profile === 'metadata_only' ? null : fingerprintKey,
    vocabulary: state.profile === 'metadata_only' ? null : [...index.rarities.keys()],
    forOpinion: opinion !== 'not_wanted',
  };
  // Content that gave no text is not fetched again. Its features are derived from names alone. An unsupported file with
  // parts gave their names.
  const isTextless =
    isContentKnown &&
    (state.content.state === 'failed' ||
      (state.content.state === 'unsupported' && state.content.unreadParts === null));
  if (isTextless) stages.hit('content');
  const { outcome, analysis, contains, analysisMs } = isTextless
    ? withoutText(state.content, item, looking)
    : await read(look, looking);
  const started = performance.now();
  const { provider } = parts;
  const known = state.features?.value;
  // Under this profile no text leaves the deployment.
  const isKeptIn = state.profile === 'metadata_only' && provider.mode === 'live';
  const vectors = await stages.attempt('features', () =>
    embedWithinCap(parts, tenantId, isKeptIn ? [] : [analysis.embeddingText], signal),
  );
  const vector = vectors?.[0];
  const featuresKey = vectors === null ? unembedded : keys.features;
  const value: Features = {
    ...analysis.features,
    embedding: vector ? packEmbedding({ provider: provider.name, model: provider.model, vector }) : null,
    // What was said of the same content holds still.
    ...(known?.opinion !== undefined &&
      known.contentHash === outcome.hash &&
      !isKeptIn && { opinion: known.opinion }),
  };
  stages.computed('features', performance.now() - started + analysisMs);
  if (vectors === null) stages.outcomes.features = 'skipped';
  const { sketches, excerpts } = analysis;
  const wordHashes = state.profile === 'metadata_only' ? [] : analysis.wordHashes;
  const comparable = { sketches, contains };
  return {
    outcome,
    features: value,
    featuresKey,
    stored: { key: featuresKey, value, excerpts, wordHashes, comparable },
    opinionExcerpts: analysis.opinionExcerpts,
  };
}

async function read(
  { parts: { analysis, config, metrics }, connector, state, item, stages, signal }: Look,
  looking: Looking,
): Promise<ReadContent> {
  const started = performance.now();
  const bounds = { maxBytes: config.SVC_EXTRACT_MAX_INPUT_MB * MIB, ...looking };
  const content = await stages.attempt('content', () =>
    readContent(connector, analysis, state.scopeExternalId, item, bounds, signal),
  );
  stages.computed('content', performance.now() - started - content.analysisMs);
  const { state: outcome, format } = content.outcome;
  if (outcome !== 'inaccessible' && outcome !== 'not_fetched') {
    metrics.count(`extraction:${format ?? 'unknown'}:${outcome}`);
  }
  return content;
}
