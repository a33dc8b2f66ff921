import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { SourceItem } from '../connectors/connector.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { DETECTORS_VERSION } from '../detectors/index.ts';
import type { ExcerptBounds } from '../detectors/redaction.ts';
import { EXTRACTORS } from '../extractors/index.ts';
import type { Stage } from '../kernel/vocabulary.ts';
import { decisionsOnCopies } from '../review/read.ts';
import { recordInferences } from '../review/record-inferences.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { StageOutcomes, UnitHandler, WorkUnit } from '../work/unit.ts';
import {
  type AssetState,
  type ContentOutcome,
  type DataHandlingProfile,
  loadAssetState,
  type Observation,
  storeObservation,
} from './asset-state.sql.ts';
import { FEATURE_VERSION, type Features, nameFeatures, packEmbedding } from './features.ts';
import { INFERENCE_VERSION, infer } from './inference.ts';
import { markDeleted } from './inventory.sql.ts';
import { readContent } from './read-content.ts';
import type { ScanParts } from './scan-parts.ts';
import { createTaxonomyCache, type TaxonomyInUse } from './taxonomy-cache.ts';

/** Redacted excerpts kept per asset. */
const EXCERPTS: Readonly<Record<DataHandlingProfile, ExcerptBounds>> = {
  metadata_only: { max: 0, width: 0 },
  minimized_evidence: { max: 3, width: 120 },
  enhanced_evidence: { max: 10, width: 240 },
};

const EXTRACTORS_VERSION = EXTRACTORS.map(({ format, version }) => `${format}:${version}`).join(',');
const MIB = 1024 * 1024;

const digest = (...parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Looks at one asset, stage by stage: observe, permissions, labels, content, features, inference. A stage whose key
 * is that of its last outcome is a cache hit and does nothing. All reading comes first, then one transaction writes.
 */
export function processAsset(parts: ScanParts): UnitHandler {
  const taxonomyInUse = createTaxonomyCache(parts.db, parts.provider, parts.clock);
  return async (unit, signal) => {
    const { assetId } = unit.payload as { assetId: string };
    const state = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read' }, (tx) =>
      loadAssetState(tx, assetId),
    );
    if (state === null) return { observe: 'skipped' };
    const run = new AssetRun(parts, unit, state, signal);
    const item = await run.observe();
    if (item === null) {
      await withLeasedTx(parts.db, unit, (tx) => markDeleted(tx, state.scopeId, [state.externalId], []));
      return run.outcomes;
    }
    const keys = run.keys(item);
    const permissions = await run.permissions(item, keys);
    const label = await run.label(item, keys);
    const content = await run.contentAndFeatures(item, keys);
    const taxonomy = await taxonomyInUse(unit.tenantId, signal);
    await withLeasedTx(parts.db, unit, async (tx) => {
      const inferenceKey = await run.infer(tx, item, keys, content, taxonomy);
      await storeObservation(
        tx,
        state,
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
  keys(item: SourceItem): StageKeys {
    const { config, provider } = this.#parts;
    const content = digest(
      item.contentVersion,
      EXTRACTORS_VERSION,
      config.SVC_EXTRACT_MAX_INPUT_MB,
      config.SVC_EXTRACT_MAX_CHARACTERS,
      config.SVC_EXTRACT_MAX_MEMBERS,
      config.SVC_EXTRACT_MAX_INFLATED_MB,
    );
    return {
      observe: item.sourceVersion,
      permissions: item.sourceVersion,
      labels: item.sourceVersion,
      content,
      features: digest(
        content,
        DETECTORS_VERSION,
        FEATURE_VERSION,
        provider.name,
        provider.model,
        this.#state.configVersion,
      ),
    };
  }

  async observe(): Promise<SourceItem | null> {
    const { scopeExternalId, externalId, stageKeys } = this.#state;
    const started = performance.now();
    const item = await this.#connector().getItem(scopeExternalId, externalId, this.#signal);
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

  async contentAndFeatures(item: SourceItem, keys: StageKeys): Promise<ContentAndFeatures> {
    const { stageKeys, content: known, features: retained } = this.#state;
    const settled = !mayEndOtherwise(known) && stageKeys.content === keys.content;
    if (settled && retained?.key === keys.features) {
      this.#hit('content');
      this.#hit('features');
      // A rename is told by the listing alone: what names say is taken anew, the content is not.
      return { outcome: known, features: { ...retained.value, ...nameFeatures(item) }, stored: null };
    }
    const started = performance.now();
    const { outcome, analysis, analysisMs } = await readContent(
      this.#connector(),
      this.#parts.analysis,
      this.#state.scopeExternalId,
      item,
      {
        maxBytes: this.#parts.config.SVC_EXTRACT_MAX_INPUT_MB * MIB,
        excerpts: EXCERPTS[this.#state.profile],
      },
      this.#signal,
    );
    this.#measured('content', performance.now() - started - analysisMs, false);
    const { state, format } = outcome;
    if (state !== 'inaccessible' && state !== 'not_fetched') {
      this.#parts.metrics.count(`extraction:${format ?? 'unknown'}:${state}`);
    }
    const embedding = performance.now();
    const { provider } = this.#parts;
    const [vector] = await provider.embed([analysis.embeddingText], this.#signal);
    const value: Features = {
      ...analysis.features,
      embedding: vector ? packEmbedding({ provider: provider.name, model: provider.model, vector }) : null,
    };
    this.#measured('features', performance.now() - embedding + analysisMs, false);
    return { outcome, features: value, stored: { key: keys.features, value, excerpts: analysis.excerpts } };
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
    const related = await decisionsOnCopies(tx, assetId, content.outcome.hash);
    const key = digest(
      keys.features,
      item.name,
      item.path,
      taxonomy.revision,
      taxonomy.ensemble.version,
      INFERENCE_VERSION,
      expectedDomainId,
      related,
    );
    if (stageKeys.inference === key) {
      this.outcomes.inference = 'cache_hit';
      return key;
    }
    const inferences = infer({
      features: content.features,
      taxonomy: taxonomy.index,
      ensemble: taxonomy.ensemble,
      expectedDomainId,
      related,
    });
    await recordInferences(tx, {
      assetId,
      inferences,
      ensemble: taxonomy.ensemble,
      inferenceKey: key,
      now: this.#parts.clock(),
    });
    this.outcomes.inference = 'computed';
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
