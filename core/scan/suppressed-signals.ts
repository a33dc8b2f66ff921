import type { Tx } from '../db/tx.ts';
import { type InferenceInput, infer, isCandidate } from '../inference/inference.ts';
import type { AssetId } from '../kernel/ids.ts';
import {
  type EffectiveSignals,
  isAbout,
  isWithin,
  type SuppressibleAsset,
  type Suppression,
  suppress,
} from '../signals/suppression.ts';
import type { Sketches } from '../similarity/sketches.ts';
import { domainsTiedByPeople, storedSignatures } from './suppressed.sql.ts';

/** The rules that are about an asset, and the domains that people tied it to where a rule is of one domain. */
export type AboutAsset = { rules: readonly Suppression[]; tiedByPeople: readonly string[] };

/**
 * Reads which rules are about an asset. Without a rule for one of its detectors it reads nothing.
 * @param sketches of the text that was just read. Null to use the stored ones.
 */
export async function rulesAbout(
  tx: Tx,
  { assetId, ...asset }: SuppressibleAsset & { assetId: AssetId },
  sketches: Sketches | null,
  rules: readonly Suppression[],
): Promise<AboutAsset> {
  const kinds = new Set(asset.signals.map(({ detectorId }) => detectorId));
  const possible = rules.filter(({ detectorId }) => kinds.has(detectorId));
  const signatures = !possible.some(({ kind }) => kind === 'template')
    ? null
    : sketches === null
      ? await storedSignatures(tx, assetId)
      : {
          shingles: sketches.shingles?.signature ?? null,
          template: sketches.template?.signature ?? null,
        };
  const about = possible.filter((rule) => isAbout(rule, asset, signatures));
  const tiedByPeople = about.some(({ domainId }) => domainId !== null)
    ? await domainsTiedByPeople(tx, assetId)
    : [];
  return { rules: about, tiedByPeople };
}

/**
 * Applies the rules about an asset. A rule of a domain looks at the domains that the asset has without any rule, so
 * that it does not undo its own condition.
 */
export function effectiveSignalsOf(
  input: InferenceInput,
  { rules, tiedByPeople }: AboutAsset,
): EffectiveSignals {
  const { signals, fingerprints } = input.features;
  if (!rules.some(({ domainId }) => domainId !== null)) return suppress(signals, fingerprints, rules);
  const { expectedDomainId, ensemble } = input;
  const domainIds = new Set([
    ...tiedByPeople,
    ...(expectedDomainId === null ? [] : [expectedDomainId]),
    ...infer(input).flatMap(({ confidence, domainId }) =>
      isCandidate(confidence, ensemble) ? [domainId] : [],
    ),
  ]);
  const applied = rules.filter(({ domainId }) => domainId === null || isWithin(domainId, domainIds));
  return suppress(signals, fingerprints, applied);
}
