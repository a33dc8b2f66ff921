import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { SourceItem } from '../connectors/connector.ts';
import { DETECTORS_VERSION } from '../detectors/index.ts';
import { EXTRACTORS } from '../extractors/index.ts';
import { FEATURE_VERSION } from '../inference/features.ts';
import type { Stage } from '../kernel/vocabulary.ts';
import type { AssetState, ContentOutcome } from './asset-state.sql.ts';
import type { ScanParts } from './scan-parts.ts';
import type { StageKeys } from './stages.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

const EXTRACTORS_VERSION = EXTRACTORS.map(({ format, version }) => `${format}:${version}`).join(',');

/** A stage's key: the same for the same parts in the same order. The parts are JSON. */
export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** The key of each stage before inference. */
export function stageKeysOf(
  item: SourceItem,
  { configVersion }: Pick<AssetState, 'configVersion'>,
  { detectors, homes }: Pick<TaxonomyInUse, 'detectors' | 'homes'>,
  { config, provider }: Pick<ScanParts, 'config' | 'provider'>,
): StageKeys {
  const content = digest(item.contentVersion, EXTRACTORS_VERSION, ...extractionBounds(config));
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
      configVersion,
    ),
  };
}

const extractionBounds = (config: Config) => [
  config.SVC_EXTRACT_MAX_INPUT_MB,
  config.SVC_EXTRACT_MAX_CHARACTERS,
  config.SVC_EXTRACT_MAX_MEMBERS,
  config.SVC_EXTRACT_MAX_INFLATED_MB,
  config.SVC_EXTRACT_MAX_DEPTH,
  config.SVC_OCR ? config.SVC_OCR_LANGUAGES.join() : '',
];

/** The keys of the outcomes that still hold: not of content that a second look may read, nor of features that are gone. */
export function knownKeys({ stageKeys, content, features }: AssetState): Partial<Record<Stage, string>> {
  const { content: contentKey, features: _, ...others } = stageKeys;
  return {
    ...others,
    ...(contentKey !== undefined && !isRetryable(content) && { content: contentKey }),
    ...(features !== null && { features: features.key }),
  };
}

/**
 * Whether another look at the same content may end otherwise. The source may allow now what it refused, and no version of
 * the content says so; a busy machine may have had too little time or memory for the file.
 */
const isRetryable = ({ state, reason }: ContentOutcome): boolean =>
  state === 'inaccessible' || (state === 'failed' && (reason === 'time_bound' || reason === 'memory_bound'));
