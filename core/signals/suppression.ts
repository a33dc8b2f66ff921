import type { Signal } from '../detectors/detector.ts';
import type { Fingerprints } from '../detectors/fingerprints.ts';
import { likenessOf, type Signatures } from '../similarity/likeness.ts';

export const SUPPRESSION_KINDS = ['detector_in_scope', 'template', 'value'] as const;

/** A rule that the finds of a detector are no identifiers: in a place, in documents of a template, or of one value. */
export type Suppression = {
  suppressionId: string;
  detectorId: string;
  /** It applies to assets of this domain alone. Null: to the whole tenant. */
  domainId: string | null;
} & SuppressionTarget;

export type SuppressionTarget =
  /** `folder` with all folders in it; null: the whole scope. */
  | { kind: 'detector_in_scope'; scopeId: string; folder: string | null }
  /** The signatures of the example, and the keys of sketches that can be similar to them. */
  | ({ kind: 'template'; bands: readonly number[] } & Signatures)
  | { kind: 'value'; fingerprint: string };

/** A tenant's active rules. `version` rises with every rule that comes into force or ends. */
export type SuppressionSet = { version: number; rules: readonly Suppression[] };

/** What a rule takes of one signal: numbers of hits. */
export type SuppressedSignal = Pick<Suppression, 'suppressionId' | 'domainId' | 'detectorId'> & {
  removed: number;
  remaining: number;
};

/** The signals that count, and what rules have taken of the others. */
export type EffectiveSignals = { signals: readonly Signal[]; suppressed: readonly SuppressedSignal[] };

/** What of an asset decides whether a rule is about it. */
export type SuppressibleAsset = {
  scopeId: string;
  /** In its scope, with its name. */
  path: string;
  signals: readonly Signal[];
  /** Absent if the features are of a release before, or if the profile keeps none. */
  fingerprints: Fingerprints | undefined;
};

/**
 * Whether a rule is about an asset, apart from its domain.
 * @param signatures of the asset's text; they matter to rules of templates
 */
export function isAbout(
  rule: Suppression,
  { scopeId, path, signals, fingerprints }: SuppressibleAsset,
  signatures: Signatures | null,
): boolean {
  if (!signals.some(({ detectorId }) => detectorId === rule.detectorId)) return false;
  switch (rule.kind) {
    case 'detector_in_scope':
      return scopeId === rule.scopeId && (rule.folder === null || path.startsWith(`${rule.folder}/`));
    case 'template':
      return signatures !== null && likenessOf(rule, signatures) !== null;
    case 'value':
      return fingerprints?.[rule.detectorId]?.[rule.fingerprint] !== undefined;
  }
}

/**
 * Whether a rule of a domain may change an asset of these domains. It changes no asset that is also of another one.
 * @param domainIds without any rule, the domains that the model suggests, that people named, and that the scope is
 * expected to hold
 */
export const isWithin = (domainId: string, domainIds: ReadonlySet<string>): boolean =>
  domainIds.size === 1 && domainIds.has(domainId);

/** Applies rules that are about an asset to its signals. The signals themselves stay as they are. */
export function suppress(
  signals: readonly Signal[],
  fingerprints: Fingerprints | undefined,
  rules: readonly Suppression[],
): EffectiveSignals {
  const suppressed: SuppressedSignal[] = [];
  const kept = signals.flatMap((signal): Signal[] => {
    const own = rules.filter(({ detectorId }) => detectorId === signal.detectorId);
    const [whole] = own.filter(({ kind }) => kind !== 'value');
    if (whole !== undefined) {
      suppressed.push(taken(whole, signal.count, 0));
      return [];
    }
    let rest: Signal | null = signal;
    const gone = new Set<string>();
    for (const rule of own) {
      if (rest === null || rule.kind !== 'value' || gone.has(rule.fingerprint)) continue;
      gone.add(rule.fingerprint);
      const before: number = rest.count;
      rest = withoutValues(signal, fingerprints?.[signal.detectorId] ?? {}, gone);
      const remaining = rest?.count ?? 0;
      if (remaining < before) suppressed.push(taken(rule, before - remaining, remaining));
    }
    return rest === null ? [] : [rest];
  });
  return { signals: kept, suppressed };
}

const taken = (
  { suppressionId, domainId, detectorId }: Suppression,
  removed: number,
  remaining: number,
): SuppressedSignal => ({ suppressionId, domainId, detectorId, removed, remaining });

/**
 * A signal without the hits of some values, or null if none remain. Only the most frequent values have a fingerprint.
 * While hits of others remain, the confidence stays as it is.
 */
function withoutValues(
  signal: Signal,
  values: Fingerprints[string],
  gone: ReadonlySet<string>,
): Signal | null {
  const tiers = { ...signal.tiers };
  let known = 0;
  let removed = 0;
  let confidence = 0;
  for (const [fingerprint, hits] of Object.entries(values)) {
    for (const [tier, count] of Object.entries(hits.tiers) as [keyof Signal['tiers'], number][]) {
      known += count;
      if (!gone.has(fingerprint)) continue;
      removed += count;
      tiers[tier] = (tiers[tier] ?? 0) - count;
      if (tiers[tier] <= 0) delete tiers[tier];
    }
    if (!gone.has(fingerprint)) confidence = Math.max(confidence, hits.confidence);
  }
  if (removed === 0) return signal;
  if (removed >= signal.count) return null;
  return {
    ...signal,
    tiers,
    count: signal.count - removed,
    confidence: known < signal.count ? signal.confidence : confidence,
    // They do not say which value they are of.
    positions: [],
  };
}
