import { performance } from 'node:perf_hooks';
import { monthOf } from '../ai-usage/month.ts';
import type { Config } from '../config/config.ts';
import type { SourceItem } from '../connectors/connector.ts';
import { FINGERPRINT_VERSION } from '../detectors/fingerprints.ts';
import { DETECTORS_VERSION } from '../detectors/index.ts';
import type { Extractor } from '../extractors/extractor.ts';
import { EXTRACTORS } from '../extractors/index.ts';
import { tableSample } from '../extractors/table/table-sample.ts';
import { FEATURE_VERSION } from '../inference/features.ts';
import { digest } from '../kernel/digest.ts';
import type { Stage } from '../kernel/vocabulary.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { StageOutcomes } from '../work/unit.ts';
import type { AssetState, ContentOutcome } from './asset-state.sql.ts';
import type { ScanParts } from './scan-parts.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** The stages that read the source or derive from it. Inference follows them, in the transaction that writes. */
export type ReadingStage = Exclude<Stage, 'inference'>;

/** A digest of everything that each stage depends on. */
export type StageKeys = { readonly [S in ReadingStage]: string };

const versionsOf = (extractors: readonly Extractor[]) =>
  extractors.map(({ format, version }) => `${format}:${version}`).join(',');
/** A table is read by its own extractor, and nothing else is. */
const TABLE_VERSION = versionsOf([tableSample]);
const EXTRACTORS_VERSION = versionsOf(EXTRACTORS.filter((each) => each !== tableSample));

/** The keys of all stages before inference. */
export function stageKeysOf(
  item: SourceItem,
  { configVersion }: Pick<AssetState, 'configVersion'>,
  { detectors, homes }: Pick<TaxonomyInUse, 'detectors' | 'homes'>,
  { config, provider }: Pick<ScanParts, 'config' | 'provider'>,
): StageKeys {
  const version = item.kind === 'table' ? TABLE_VERSION : EXTRACTORS_VERSION;
  const content = digest(item.contentVersion, version, ...extractionBounds(config));
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
      FINGERPRINT_VERSION,
      provider.name,
      provider.model,
      configVersion,
    ),
  };
}

/**
 * The key of features that have no embedding because the spending cap is reached. They are derived again in another
 * month, or with another cap.
 */
export const unembeddedKey = (
  featuresKey: string,
  { config, clock }: Pick<ScanParts, 'config' | 'clock'>,
): string => digest(featuresKey, monthOf(clock()).name, config.SVC_AI_MONTHLY_CAP ?? null);

const extractionBounds = (config: Config) => [
  config.SVC_EXTRACT_MAX_INPUT_MB,
  config.SVC_EXTRACT_MAX_CHARACTERS,
  config.SVC_EXTRACT_MAX_MEMBERS,
  config.SVC_EXTRACT_MAX_INFLATED_MB,
  config.SVC_EXTRACT_MAX_DEPTH,
  config.SVC_OCR ? config.SVC_OCR_LANGUAGES.join() : '',
];

/**
 * The keys of the outcomes that are still valid. A doubtful label, content that is worth another attempt and missing features have
 * none.
 */
export function knownKeys({
  stageKeys,
  isLabelDoubtful,
  content,
  features,
}: AssetState): Partial<Record<Stage, string>> {
  const { content: contentKey, labels, features: _, ...others } = stageKeys;
  return {
    ...others,
    ...(labels !== undefined && !isLabelDoubtful && { labels }),
    ...(contentKey !== undefined && !isRetryable(content) && { content: contentKey }),
    ...(features !== null && { features: features.key }),
  };
}

/**
 * Whether another attempt at the same content may have another result. A source may now allow what it denied before,
 * and its versions do not show that. A file that exceeded time or memory may succeed on a less busy machine.
 */
const isRetryable = ({ state, reason }: ContentOutcome): boolean =>
  state === 'inaccessible' || (state === 'failed' && (reason === 'time_bound' || reason === 'memory_bound'));

/** Runs the stages of one asset and records the outcome and duration of each. */
export class Stages {
  readonly outcomes: StageOutcomes = {};
  readonly #known: Partial<Record<Stage, string>>;
  readonly #metrics: Metrics;
  readonly #onFailure: (name: ReadingStage) => void;

  /**
   * @param known keys of the outcomes that are still valid
   * @param onFailure called with the stage that threw
   */
  constructor(
    known: Partial<Record<Stage, string>>,
    metrics: Metrics,
    onFailure: (name: ReadingStage) => void,
  ) {
    this.#known = { ...known };
    this.#metrics = metrics;
    this.#onFailure = onFailure;
  }

  /** Whether the key is that of a valid outcome. */
  isKnown(name: ReadingStage, key: string): boolean {
    return this.#known[name] === key;
  }

  /** Makes a stage run although its key has not changed. */
  forget(name: ReadingStage): void {
    delete this.#known[name];
  }

  /** Runs a stage. Returns null without running it if its key has not changed. */
  async stage<T>(name: ReadingStage, key: string, run: () => Promise<T>): Promise<T | null> {
    if (this.isKnown(name, key)) {
      this.hit(name);
      return null;
    }
    const started = performance.now();
    const value = await this.attempt(name, run);
    this.computed(name, performance.now() - started);
    return value;
  }

  /** Runs the work of a stage, without an outcome. */
  async attempt<T>(name: ReadingStage, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#onFailure(name);
      throw error;
    }
  }

  /** @param milliseconds the time that this took, if it needed the source */
  hit(name: ReadingStage, milliseconds?: number): void {
    this.#ended(name, 'cache_hit', milliseconds);
  }

  computed(name: ReadingStage, milliseconds: number): void {
    this.#ended(name, 'computed', milliseconds);
  }

  /** Whether every stage that has ended was a cache hit. */
  areAllHits(): boolean {
    return Object.values(this.outcomes).every((outcome) => outcome === 'cache_hit');
  }

  #ended(name: ReadingStage, outcome: 'computed' | 'cache_hit', milliseconds?: number): void {
    this.outcomes[name] = outcome;
    this.#metrics.count(`stage_outcome:${name}:${outcome}`);
    if (milliseconds !== undefined) this.#metrics.observe(`stage_latency_ms:${name}`, milliseconds);
  }
}
