import type { Signal } from '../detectors/detector.ts';
import { highestLevel, isSure, type Level, levelOfSignal } from '../findings/sensitivity.ts';
import type { Decision } from './decision.ts';

/** What an answer depends on in an asset's content. */
export type Evidence = {
  /** The bytes (SHA-256, in hex), or null if none were read. */
  contentHash: string | null;
  contentVersion: string;
  signals: readonly Pick<Signal, 'detectorId' | 'family' | 'confidence'>[];
  /** What the model suggests, most likely first. */
  types: readonly { informationTypeId: string; level: Level }[];
};

/** An answer and the evidence that it was given on. `evidence` is null if a former release did not keep it. */
export type Judged = {
  decision: Decision;
  /** The type that the answer names: the corrected one, or the one that was asked about. */
  statedType: { informationTypeId: string; level: Level } | null;
  contentVersion: string;
  evidence: Evidence | null;
};

export const MATERIAL_CHANGES = [
  'new_identifiers',
  'more_sensitive',
  'other_type',
  'text_replaced',
  'text_not_comparable',
] as const;

/**
 * What has changed in an asset's content since an answer. It names detectors, types and levels, and quotes no
 * content. `level` is from 0 (public) to 3 (restricted).
 */
export type MaterialChange =
  | { kind: 'new_identifiers'; detectorIds: string[] }
  | { kind: 'more_sensitive'; judgedLevel: Level; level: Level }
  | { kind: 'other_type'; informationTypeId: string }
  | { kind: 'text_replaced' }
  | { kind: 'text_not_comparable' };

/** Answers that rate an asset below the model's inference, whatever type they name. */
const LOWERING: readonly Decision[] = ['mine_not_sensitive', 'not_a_match', 'another_domain'];
/** Texts with a lower estimated similarity count as different texts. */
export const LEAST_ALIKE = 0.5;

/**
 * The differences between the present content and that of an answer which matter to the answer. Empty if the content
 * is the same. docs/review.md states the rule.
 * @param likeness similarity of the former text and the present one, 0 to 1; null if one is too short to compare
 */
export function materialChanges(
  judged: Judged,
  present: Evidence,
  likeness: number | null,
): MaterialChange[] {
  if (isSameContent(judged, present)) return [];
  const changes: MaterialChange[] = [];
  const known = judged.evidence ?? { signals: [], types: [] };

  const seen = new Set(surely(known.signals));
  const detectorIds = surely(present.signals).filter((detectorId) => !seen.has(detectorId));
  if (detectorIds.length > 0) changes.push({ kind: 'new_identifiers', detectorIds });

  const statedLevel = judged.statedType?.level ?? 3;
  const judgedLevel = highestLevel([levelOf(known), judged.statedType?.level ?? null]) ?? 0;
  const level = levelOf(present) ?? 0;
  if (level > judgedLevel) changes.push({ kind: 'more_sensitive', judgedLevel, level });

  const suggested = [judged.statedType, ...known.types].map((type) => type?.informationTypeId);
  const [best] = present.types;
  if (best !== undefined && !suggested.includes(best.informationTypeId))
    changes.push({ kind: 'other_type', informationTypeId: best.informationTypeId });

  // An answer that rates the asset below its evidence applies only to the text that was read. If the content is still
  // public, there is nothing to ask again.
  const isLowered = LOWERING.includes(judged.decision) || statedLevel < (levelOf(known) ?? 0);
  // Pictures have no text to compare. An answer that the model never supported cannot lose its support.
  const isUnsupported = best === undefined && (known.types.length > 0 || likeness !== null);
  if ((isLowered && level > 0) || isUnsupported) {
    if (likeness === null) changes.push({ kind: 'text_not_comparable' });
    else if (likeness < LEAST_ALIKE) changes.push({ kind: 'text_replaced' });
  }
  return changes;
}

/** Compares the bytes. If no bytes were read, it compares the content versions of the source. */
function isSameContent({ evidence, contentVersion }: Judged, present: Evidence): boolean {
  if (evidence?.contentHash != null && present.contentHash !== null)
    return evidence.contentHash === present.contentHash;
  return contentVersion === present.contentVersion;
}

/** Sure signals that make an asset sensitive, or that come from the tenant's own detectors. */
const surely = (signals: Evidence['signals']): string[] =>
  signals
    .filter((signal) => levelOfSignal(signal) !== null || (signal.family === 'custom' && isSure(signal)))
    .map(({ detectorId }) => detectorId)
    .sort();

const levelOf = ({ signals, types }: Pick<Evidence, 'signals' | 'types'>): Level | null =>
  highestLevel([types[0]?.level ?? null, ...signals.map(levelOfSignal)]);
