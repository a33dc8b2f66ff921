import { performance } from 'node:perf_hooks';
import type { SourceItem } from '../connectors/connector.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { DETECTORS_VERSION } from '../detectors/index.ts';
import type { ExcerptBounds } from '../detectors/redaction.ts';
import { EXTRACTORS } from '../extractors/index.ts';
import { recomputeRisk } from '../findings/recompute.ts';
import { FEATURE_VERSION, type Features, nameFeatures, packEmbedding } from '../inference/features.ts';
import type { Stage } from '../kernel/vocabulary.ts';
import { storeSearchedWords } from '../search/store-searched-words.sql.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { StageOutcomes, UnitHandler, WorkUnit } from '../work/unit.ts';
import {
  type AssetState,
  type ContentOutcome,
  type DataHandlingProfile,
  loadAssetState,
  lockLoaded,
  type Observation,
  storeObservation,
  storeRefusal,
} from './asset-state.sql.ts';
import { inferAsset } from './infer-asset.ts';
import { markDeleted } from './inventory.sql.ts';
import { type Looking, type ReadContent, readContent, withoutText } from './read-content.ts';
import type { ScanParts } from './scan-parts.ts';
import { digest } from './stage-key.ts';
import type { TaxonomyInUse, TaxonomyLookup } from './taxonomy-cache.ts';

/** Redacted excerpts kept per asset. */
const EXCERPTS: Readonly<Record<DataHandlingProfile, ExcerptBounds>> = {
  metadata_only: { max: 0, width: 0 },
  minimized_evidence: { max: 3, width: 120 },
  enhanced_evidence: { max: 10, width: 240 },
};

const EXTRACTORS_VERSION = EXTRACTORS.map(({ format, version }) => `${format}:${version}`).join(',');
const MIB = 1024 * 1024;

/**
 * Looks at one asset, stage by stage: observe, permissions, labels, content, features, inference. A stage whose key
 * is that of its last outcome is a cache hit and does nothing. All reading comes first, then one transaction writes.
 */
export function processAsset(parts: ScanParts, taxonomyInUse: TaxonomyLookup): UnitHandler {
  return async (unit, signal) => {
    const { assetId } = unit.payload as { assetId: string };
    const state = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read' }, (tx) =>
      loadAssetState(tx, assetId),
    );
    if (state === null) return { observe: 'skipped' };
    const run = new AssetRun(parts, unit, state, signal);
    const item = await run.observe();
    if (item === null || item === 'denied') {
      await withLeasedTx(parts.db, unit, async (tx) => {
        await lockLoaded(tx, state);
        if (item === null) await markDeleted(tx, state.scopeId, [state.externalId]);
        else await storeRefusal(tx, state.assetId);
      });
      return run.outcomes;
    }
    const taxonomy = await taxonomyInUse(unit.tenantId, signal);
    const keys = run.keys(item, taxonomy);
    const permissions = await run.permissions(item, keys);
    const label = await run.label(item, keys);
    const content = await run.contentAndFeatures(item, keys, taxonomy);
    await withLeasedTx(parts.db, unit, async (tx) => {
      await lockLoaded(tx, state);
      const inferenceKey = await run.infer(tx, item, keys, content, taxonomy);
      await storeObservation(
        tx,
        state.assetId,
        {
          item,
          permissions,
          label,
          content: content.outcome,
          features: content.stored,
          stageKeys: { ...keys, inference: inferenceKey },
        },
        parts.clock(),
      );
      await recomputeRisk(tx, state.assetId, parts.clock());
      // Last, since whatever moves an asset in the index of words writes all its words anew.
      if (content.stored !== null) await storeSearchedWords(tx, state.assetId, content.stored);
    });
    return run.outcomes;
  };
}

/**
 * Whether another look at the same content may end otherwise. The source may allow now what it refused, and says so by
 * no version of the content; a busy machine may have had too little time or memory for the file.
 */
const mayEndOtherwise = ({ state, reason }: ContentOutcome): boolean =>
  state === 'inaccessible' || (state === 'failed' && (reason === 'time_bound' || reason === 'memory_bound'));

/** Key of each stage before inference. */
type StageKeys = { readonly [S in Exclude<Stage, 'inference'>]: string };

type ContentAndFeatures = {
  outcome: ContentOutcome;
  features: Features;
  /** What to store; null when nothing of it changed. */
  stored: Observation['features'];
};

/** One run over one asset: its state, its keys, and what became of each stage. */
class AssetRun {
  readonly outcomes: StageOutcomes = {};
  readonly #parts: ScanParts;
  readonly #unit: WorkUnit;
  readonly #state: AssetState;
  readonly #signal: AbortSignal;

  constructor(parts: ScanParts, unit: WorkUnit, state: AssetState, signal: AbortSignal) {
    this.#parts = parts;
    this.#unit = unit;
    this.#state = state;
    this.#signal = signal;
  }

  /** What each stage before inference depends on, and nothing else. */
  keys(item: SourceItem, { detectors, homes }: TaxonomyInUse): StageKeys {
    const { config, provider } = this.#parts;
    const content = digest(
      item.contentVersion,
      EXTRACTORS_VERSION,
      config.SVC_EXTRACT_MAX_INPUT_MB,
      config.SVC_EXTRACT_MAX_CHARACTERS,
      config.SVC_EXTRACT_MAX_MEMBERS,
      config.SVC_EXTRACT_MAX_INFLATED_MB,
      config.SVC_EXTRACT_MAX_DEPTH,
      config.SVC_OCR ? config.SVC_OCR_LANGUAGES.join() : '',
    );
    return {
      observe: item.sourceVersion,
      permissions: item.sourceVersion,
      labels: item.sourceVersion,
      content,
      features: digest(
        content,
        DETECTORS_VERSION,
        detectors.map(({ detectorId, version }) => [detectorId, version]),
        homes,
        FEATURE_VERSION,
        provider.name,
        provider.model,
        this.#state.configVersion,
      ),
    };
  }

  async observe(): Promise<SourceItem | 'denied' | null> {
    const { scopeExternalId, externalId, stageKeys } = this.#state;
    const started = performance.now();
    const item = await this.#connector().getItem(scopeExternalId, externalId, this.#signal);
    if (item === 'denied') this.outcomes.observe = 'failed';
    else
      this.#measured(
        'observe',
        performance.now() - started,
        item !== null && stageKeys.observe === item.sourceVersion,
      );
    return item;
  }

  permissions(item: SourceItem, keys: StageKeys) {
    return this.#unlessCached('permissions', keys, (connector, scope) =>
      connector.getPermissions(scope, item.externalId, this.#signal),
    );
  }

  label(item: SourceItem, keys: StageKeys) {
    return this.#unlessCached('labels', keys, (connector, scope) =>
      connector.getLabel(scope, item.externalId, this.#signal),
    );
  }

  async contentAndFeatures(
    item: SourceItem,
    keys: StageKeys,
    { detectors, homes }: TaxonomyInUse,
  ): Promise<ContentAndFeatures> {
    const { stageKeys, content: known, features: retained } = this.#state;
    const settled = !mayEndOtherwise(known) && stageKeys.content === keys.content;
    if (settled && retained?.key === keys.features) {
      this.#hit('content');
      this.#hit('features');
      // A rename is told by the listing alone: what names say is taken anew, the content is not.
      return { outcome: known, features: { ...retained.value, ...nameFeatures(item) }, stored: null };
    }
    const looking = { excerpts: EXCERPTS[this.#state.profile], detectors, homes };
    const { outcome, analysis, contains, analysisMs } =
      settled && (known.state === 'unsupported' || known.state === 'failed')
        ? this.#textless(item, known, looking)
        : await this.#read(item, looking);
    const embedding = performance.now();
    const { provider } = this.#parts;
    const [vector] = await provider.embed([analysis.embeddingText], this.#signal);
    const value: Features = {
      ...analysis.features,
      embedding: vector ? packEmbedding({ provider: provider.name, model: provider.model, vector }) : null,
    };
    this.#measured('features', performance.now() - embedding + analysisMs, false);
    const { sketches, excerpts } = analysis;
    const wordHashes = this.#state.profile === 'metadata_only' ? [] : analysis.wordHashes;
    return {
      outcome,
      features: value,
      stored: { key: keys.features, value, excerpts, wordHashes, comparable: { sketches, contains } },
    };
  }

  /** The same content that gave no text gives none again: features come from names alone, and nothing is fetched. */
  #textless(item: SourceItem, known: ContentOutcome, looking: Looking): ReadContent {
    this.#hit('content');
    return withoutText(known, item, looking);
  }

  async #read(item: SourceItem, looking: Looking): Promise<ReadContent> {
    const { analysis, config, metrics } = this.#parts;
    const maxBytes = config.SVC_EXTRACT_MAX_INPUT_MB * MIB;
    const started = performance.now();
    const read = await readContent(
      this.#connector(),
      analysis,
      this.#state.scopeExternalId,
      item,
      { maxBytes, ...looking },
      this.#signal,
    );
    this.#measured('content', performance.now() - started - read.analysisMs, false);
    const { state, format } = read.outcome;
    if (state !== 'inaccessible' && state !== 'not_fetched') {
      metrics.count(`extraction:${format ?? 'unknown'}:${state}`);
    }
    return read;
  }

  /** Scores the features against the approved taxonomy, unless nothing that it depends on has changed. */
  async infer(
    tx: Tx,
    item: SourceItem,
    keys: StageKeys,
    content: ContentAndFeatures,
    taxonomy: TaxonomyInUse,
  ): Promise<string> {
    const { assetId, expectedDomainId, stageKeys } = this.#state;
    const { key, outcome } = await inferAsset(
      tx,
      {
        assetId,
        name: item.name,
        path: item.path,
        contentHash: content.outcome.hash,
        contentVersion: item.contentVersion,
        features: { key: keys.features, value: content.features },
        sketches: content.stored?.comparable.sketches ?? null,
        expectedDomainId,
        inferenceKey: stageKeys.inference,
      },
      taxonomy,
      this.#parts.clock(),
    );
    this.outcomes.inference = outcome;
    return key;
  }

  async #unlessCached<T>(
    stage: 'permissions' | 'labels',
    keys: StageKeys,
    read: (connector: ReturnType<ScanParts['connectorFor']>, scopeExternalId: string) => Promise<T>,
  ): Promise<T | null> {
    if (this.#state.stageKeys[stage] === keys[stage]) {
      this.#hit(stage);
      return null;
    }
    const started = performance.now();
    const value = await read(this.#connector(), this.#state.scopeExternalId);
    this.#measured(stage, performance.now() - started, false);
    return value;
  }

  #connector() {
    return this.#parts.connectorFor(this.#unit.tenantId, this.#state.family);
  }

  #hit(stage: Exclude<Stage, 'inference'>): void {
    this.outcomes[stage] = 'cache_hit';
    this.#parts.metrics.count(`stage_outcome:${stage}:cache_hit`);
  }

  #measured(stage: Exclude<Stage, 'inference'>, milliseconds: number, unchanged: boolean): void {
    this.#parts.metrics.observe(`stage_latency_ms:${stage}`, milliseconds);
    if (unchanged) {
      this.#hit(stage);
      return;
    }
    this.outcomes[stage] = 'computed';
    this.#parts.metrics.count(`stage_outcome:${stage}:computed`);
  }
}
