import {
  type AssetFacts,
  type Seen,
  type StoredCandidate,
  type StoredSignal,
  standingOf,
  statedType,
  suggestionsIn,
} from './asset-facts.ts';
import { DAY_MS, EXPECTED_DOMAIN } from './history-steps.ts';

/**
 * The expected state, computed from the stored facts by an independent implementation of the rules in docs/risk.md
 * and docs/review.md.
 */

export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const;
/** The level of each information type, from 0 (public) to 3 (restricted). */
export type Levels = ReadonlyMap<string | null, number>;

/** The level that sure identifiers of a family imply for an asset. */
const FAMILY_LEVELS: Readonly<Record<string, number>> = {
  secret: 3,
  payment: 2,
  bank: 2,
  national_id: 2,
  tax_id: 2,
  health: 2,
};
/**
 * The lowest level that is a finding, for exposure and for the other components. An unconfirmed level counts one step
 * less.
 */
const LEAST_LEVELS = { exposure: { confirmed: 1, unconfirmed: 2 }, other: { confirmed: 2, unconfirmed: 3 } };

const highest = (all: readonly (number | null | undefined)[]): number | null =>
  all.reduce<number | null>((most, each) => (each != null && each > (most ?? -1) ? each : most), null);
const sureLevel = ({ family, confidence }: StoredSignal): number | null =>
  confidence >= 0.8 ? (FAMILY_LEVELS[family] ?? null) : null;
const isProven = ({ family, tiers }: StoredSignal): boolean =>
  family === 'secret' ||
  (tiers.checksum ?? 0) + (tiers.checksum_of_many ?? 0) + (tiers.checksum_and_context ?? 0) > 0;

/** The kinds of material changes since an answer, except a replaced text. */
export function changesSince(seen: Seen, stated: string | null, present: Seen, levels: Levels): string[] {
  if (seen.contentHash === present.contentHash) return [];
  const levelOf = ({ types, signals }: Seen): number =>
    highest([levels.get(types[0] ?? null), ...signals.map(sureLevel)]) ?? 0;
  const sure = (of: Seen) =>
    of.signals.filter((each) => sureLevel(each) !== null).map((each) => each.detectorId);
  const known = sure(seen);
  const [best] = present.types;
  return [
    ...(sure(present).some((each) => !known.includes(each)) ? ['new_identifiers'] : []),
    ...(levelOf(present) > Math.max(levelOf(seen), levels.get(stated) ?? 0) ? ['more_sensitive'] : []),
    ...(best !== undefined && ![stated, ...seen.types].includes(best) ? ['other_type'] : []),
  ];
}

/** A level that a domain assigns or is asked to confirm. */
type Taken = { domainId: string; isElsewhere: boolean; level: number; confidence: number | null };
/** An expected sensitivity of an asset, and whether an owner has confirmed it. */
export type Sensitivity = { level: number; confirmed: boolean; isElsewhere: boolean };

/**
 * The expected sensitivities of an asset: what owners have said about the questions of their domains, and the open
 * questions of other domains. If no owner has answered, identifiers count too.
 */
export function sensitivitiesOf(facts: AssetFacts, levels: Levels): Sensitivity[] {
  const suggested = suggestionsIn(facts);
  const taken = (candidate: StoredCandidate, level: number | undefined, more: object = {}): Taken[] => {
    const isElsewhere = candidate.domain_id !== EXPECTED_DOMAIN && (level ?? 0) > 0;
    const said = { domainId: candidate.domain_id, isElsewhere, confidence: null, ...more };
    return level === undefined ? [] : [{ ...said, level }];
  };
  const confirmed = facts.candidates.flatMap((candidate) => {
    const decision = standingOf(facts, candidate);
    if (candidate.status !== 'confirmed' || decision === null) return [];
    const isPublic = decision.decision === 'mine_not_sensitive';
    return taken(candidate, isPublic ? 0 : levels.get(statedType(candidate, decision)));
  });
  const open = facts.candidates.flatMap((candidate) => {
    const { status, information_type_id: type, inference_id, domain_id } = candidate;
    const suggestion = suggested.find((each) => each.information_type_id === type);
    // An owner's earlier answer that is asked again, whatever the model suggests.
    const isByPerson = inference_id === null && ['pending', 'deferred'].includes(status);
    const isSuggested = suggestion !== undefined && ['pending', 'deferred', 'routed'].includes(status);
    const domainId = standingOf(facts, candidate)?.routed_domain_id ?? domain_id;
    if (!(isByPerson || isSuggested) || confirmed.some((each) => each.domainId === domainId)) return [];
    return taken(candidate, levels.get(type), { domainId, confidence: suggestion?.confidence ?? null });
  });
  const odds = ({ confidence }: Taken): number => (confidence === null ? 0 : confidence / (1 - confidence));
  const likely = open.filter(
    (each) =>
      each.confidence !== null &&
      open.every((other) => other.domainId !== each.domainId || odds(other) <= 10 * odds(each)),
  );
  const named = open.filter(({ confidence }) => confidence === null);
  const identifiers = confirmed.length > 0 ? [] : facts.signals.map(sureLevel);
  const said = [
    { confirmed: true, by: confirmed, level: highest(confirmed.map(({ level }) => level)) },
    {
      confirmed: false,
      by: open,
      level: highest([...[...likely, ...named].map(({ level }) => level), ...identifiers]),
    },
  ];
  return said.flatMap(({ level, by, ...each }) =>
    level === null ? [] : [{ ...each, level, isElsewhere: by.some(({ isElsewhere }) => isElsewhere) }],
  );
}

/** The proven level, unless owners have confirmed it or a higher one. Null if there is none. */
export function provenLevel(facts: AssetFacts, sensitivities: readonly Sensitivity[]): number | null {
  const proven = highest(facts.signals.filter(isProven).map(sureLevel));
  const confirmed = sensitivities.find((each) => each.confirmed)?.level;
  return proven !== null && (confirmed === undefined || confirmed < proven) ? proven : null;
}

/** Facts that are not stored with an asset. */
export type Known = {
  now: number;
  /** When a scan last saw a change of its content, and when it was last assessed for certain. */
  contentModifiedAt: number;
  judgedAt: number;
  /** By domain, since when a routed question has waited. */
  waitingSince: ReadonlyMap<string, number>;
  hasOwner: (domainId: string) => boolean;
};

const NO_OWNER_AFTER = 7 * DAY_MS;
const STALE_AFTER = 365 * DAY_MS;

/** The kinds of findings that must exist. `maybe` are those of which no assessment need know yet. */
export function causesOf(
  facts: AssetFacts,
  sensitivities: readonly Sensitivity[],
  { now, contentModifiedAt, judgedAt, waitingSince, hasOwner }: Known,
): { causes: ReadonlySet<string>; maybe: ReadonlySet<string> } {
  const causes = new Set<string>();
  const maybe = new Set<string>();
  const isForAnyone = facts.grants.some(({ principalKind }) => principalKind === 'anyone');
  if (isForAnyone && provenLevel(facts, sensitivities) !== null) causes.add('exposure');
  for (const { level, confirmed, isElsewhere } of sensitivities) {
    const isAtLeast = (least: (typeof LEAST_LEVELS)[keyof typeof LEAST_LEVELS]) =>
      level >= (confirmed ? least.confirmed : least.unconfirmed);
    if (isForAnyone && isAtLeast(LEAST_LEVELS.exposure)) causes.add('exposure');
    if (!isAtLeast(LEAST_LEVELS.other)) continue;
    // There are as many labels as levels, so each level requires the label of its rank.
    if (facts.labelState === 'unlabeled' || (facts.labelRank ?? 0) < level) causes.add('label');
    if (isElsewhere) causes.add('location');
    if (isForAnyone && judgedAt - contentModifiedAt > STALE_AFTER) causes.add('stale_access');
    else if (isForAnyone && now - contentModifiedAt > STALE_AFTER) maybe.add('stale_access');
  }
  const isLate = ({ information_type_id, status, domain_id }: StoredCandidate) =>
    information_type_id === null &&
    status === 'pending' &&
    !hasOwner(domain_id) &&
    now - (waitingSince.get(domain_id) ?? now) > NO_OWNER_AFTER;
  if (facts.candidates.some(isLate)) causes.add('no_owner');
  return { causes, maybe };
}
