import { compareText } from '../kernel/compare-text.ts';
import { fold, isStopWord, stem, words } from '../kernel/words.ts';
import type { Nominee } from './nominees.ts';
import { directoryKey, type OwnerEvidence, type SampleCounts } from './owner-evidence.sql.ts';
import type { OwnerKind } from './owners.sql.ts';
import { createMatcher, type MatchedBy } from './source-identity.ts';

export const REASON_KINDS = ['decided', 'modified', 'access', 'group', 'manager', 'profile'] as const;
type ReasonKind = (typeof REASON_KINDS)[number];

/** How much of the score, at most, each kind of evidence gives. */
const WEIGHTS: Readonly<Record<ReasonKind, number>> = {
  decided: 0.3,
  modified: 0.25,
  access: 0.1,
  group: 0.1,
  manager: 0.05,
  profile: 0.2,
};
/** So many assets give half of what there is to be had. */
const HALF = 5;
/** So many words of the description say as much as the whole name. */
const WORDS_OF_DESCRIPTION = 5;

/** Names that a reason lists. */
const NAMED = 3;

/** Words of titles that say nothing of the field. */
const RANKS = new Set(
  'head chief officer manager director lead senior junior assistant vice president deputy team specialist'.split(
    ' ',
  ),
);

/** `count`: assets, people who are managed, or words of the title and department. */
type Reason = { kind: ReasonKind; text: string; count: number };

/** Ids are null for somebody whom only a source knows; the name is the source's. */
export type RankedOwner = {
  principalId: string | null;
  directoryId: string | null;
  displayName: string;
  score: number;
  holdsRole: boolean;
  currentKinds: OwnerKind[];
  reasons: Reason[];
};

/**
 * What the directory and sources say: who owns a group, by its id or name, and who manages a person, by the person's id. A
 * source knows an owner by an address.
 */
export type DirectoryLinks = {
  ownersOf: ReadonlyMap<string, readonly (DirectoryId | { email: string })[]>;
  managerOf: ReadonlyMap<string, DirectoryId>;
};
type DirectoryId = { directoryId: string };

const NO_LINKS: DirectoryLinks = { ownersOf: new Map(), managerOf: new Map() };

type Gathered = {
  nominee: Nominee | null;
  displayName: string;
  matchedBy: Set<MatchedBy>;
  modified: SampleCounts;
  access: SampleCounts;
  decided: number;
  /** The groups that the person owns, and the assets that these may write to. */
  groups: string[];
  ofGroups: SampleCounts;
  /** Whom of the active people the person manages, and how active these are together. */
  managed: string[];
  activity: number;
};

/** Everybody for whom something speaks, by score, then name. Who may not own is left out, by whatever name. */
export function rankOwners(
  domain: { name: string; description: string },
  nominees: readonly Nominee[],
  evidence: OwnerEvidence,
  links: DirectoryLinks,
): RankedOwner[] {
  const field = fieldOf(domain);
  return gather(nominees, evidence, links)
    .filter(({ nominee }) => nominee?.mayOwn !== false)
    .map((each) => rankedOwner(each, evidence.looked, field))
    .filter(({ reasons }) => reasons.length > 0)
    .sort(
      (a, b) =>
        b.score - a.score || compareText(a.displayName, b.displayName) || compareText(idOf(a), idOf(b)),
    );
}

/** The directory's ids of those who confirmed or changed most assets, at most `limit`. */
export const mostActive = (nominees: readonly Nominee[], evidence: OwnerEvidence, limit: number): string[] =>
  gather(nominees, evidence, NO_LINKS)
    .filter((each) => activityOf(each) > 0)
    .sort((a, b) => activityOf(b) - activityOf(a) || compareText(a.displayName, b.displayName))
    .flatMap(({ nominee }) => nominee?.directoryId ?? [])
    .slice(0, limit);

/** What speaks for each nominee, and for each whom only a source knows. */
function gather(
  nominees: readonly Nominee[],
  { looked, traces, groups, deciders }: OwnerEvidence,
  { ownersOf, managerOf }: DirectoryLinks,
): Gathered[] {
  // Somebody of the directory never makes it doubtful whom of the known people a source means.
  const matchKnown = createMatcher(nominees.filter(({ principalId }) => principalId !== null));
  const matchAll = createMatcher(nominees);
  const ofNominee = new Map(nominees.map((nominee) => [nominee, nothing(nominee, nominee.displayName)]));
  const ofStranger = new Map<string, Gathered>();
  const stranger = (identity: string): Gathered => {
    const present = ofStranger.get(fold(identity)) ?? nothing(null, identity);
    ofStranger.set(fold(identity), present);
    return present;
  };
  /** One asset may name the same person in two ways. */
  const add = (to: SampleCounts, { confirmed, inferred }: SampleCounts) => {
    to.confirmed = Math.min(looked.confirmed, to.confirmed + confirmed);
    to.inferred = Math.min(looked.inferred, to.inferred + inferred);
  };

  for (const { kind, identity, ...counts } of traces) {
    const found = matchKnown(identity) ?? matchAll(identity);
    const of = (found === null ? undefined : ofNominee.get(found.person)) ?? stranger(identity);
    if (found !== null) of.matchedBy.add(found.by);
    add(of[kind], counts);
  }
  const everybody = [...ofNominee.values()];
  const byPrincipal = new Map(everybody.map((each) => [each.nominee?.principalId, each]));
  for (const { principalId, count } of deciders) {
    const of = byPrincipal.get(principalId);
    if (of !== undefined) of.decided = count;
  }
  const byAddress = (email: string) => {
    const found = matchKnown(email) ?? matchAll(email);
    const isAddress = found?.by === 'mail' || found?.by === 'directory';
    return isAddress ? ofNominee.get(found.person) : undefined;
  };
  const byDirectory = new Map(everybody.map((each) => [each.nominee?.directoryId, each]));
  for (const group of groups) {
    for (const owner of ownersOf.get(directoryKey(group)) ?? []) {
      const of = 'directoryId' in owner ? byDirectory.get(owner.directoryId) : byAddress(owner.email);
      if (of === undefined) continue;
      if (!of.groups.includes(group.name)) of.groups.push(group.name);
      add(of.ofGroups, group);
    }
  }
  for (const each of everybody) {
    const manager = byDirectory.get(managerOf.get(each.nominee?.directoryId ?? '')?.directoryId ?? '');
    if (manager === undefined || activityOf(each) === 0) continue;
    manager.managed.push(each.displayName);
    manager.activity += activityOf(each);
  }
  return [...everybody, ...ofStranger.values()];
}

const nothing = (nominee: Nominee | null, displayName: string): Gathered => ({
  nominee,
  displayName,
  matchedBy: new Set(),
  decided: 0,
  modified: { confirmed: 0, inferred: 0 },
  access: { confirmed: 0, inferred: 0 },
  groups: [],
  ofGroups: { confirmed: 0, inferred: 0 },
  managed: [],
  activity: 0,
});

/** What somebody did to assets. */
const activityOf = ({ decided, modified }: Gathered): number => decided + weighed(modified);

const idOf = ({ principalId, directoryId }: RankedOwner) => principalId ?? directoryId ?? '';

/** The stems that stand for the domain's field: those of its name, and those of its description besides. */
type Field = { name: ReadonlySet<string>; description: ReadonlySet<string> };

function fieldOf({ name, description }: { name: string; description: string }): Field {
  const ofName = new Set(meaningfulStems(name));
  return {
    name: ofName,
    description: new Set(meaningfulStems(description).filter((each) => !ofName.has(each))),
  };
}

const meaningfulStems = (text: string): string[] =>
  words(text)
    .filter((word) => word.length > 1 && !isStopWord(word) && !RANKS.has(word))
    .map(stem);

function rankedOwner(
  { nominee, displayName, matchedBy, modified, access, decided, ...linked }: Gathered,
  looked: SampleCounts,
  field: Field,
): RankedOwner {
  const said = new Set(nominee === null ? [] : meaningfulStems(`${nominee.title} ${nominee.department}`));
  const { share: profile, shared } = sharedWords(said, field);
  const { groups, ofGroups, managed, activity } = linked;
  const strengths: Record<ReasonKind, number> = {
    decided: saturating(decided),
    modified: saturating(weighed(modified)),
    access: saturating(weighed(access)),
    group: saturating(weighed(ofGroups)),
    manager: saturating(activity),
    profile,
  };
  const score = REASON_KINDS.reduce((sum, kind) => sum + WEIGHTS[kind] * strengths[kind], 0);
  const matched =
    matchedBy.size === 0 ? '' : `; taken for this person by ${[...matchedBy].map(inWords).join(' and ')}`;
  const assets = (counts: SampleCounts) =>
    `${counts.confirmed} of ${looked.confirmed} confirmed and ${counts.inferred} of ${looked.inferred} inferred assets`;
  const texts: Record<ReasonKind, { count: number; text: string }> = {
    decided: { count: decided, text: `Confirmed ${decided} of ${looked.confirmed} assets.` },
    modified: { count: total(modified), text: `Changed last ${assets(modified)}${matched}.` },
    access: { count: total(access), text: `Owns or may write to ${assets(access)}${matched}.` },
    group: {
      count: total(ofGroups),
      text: `Owns groups that own or may write to ${assets(ofGroups)}: ${listed(groups)}.`,
    },
    manager: {
      count: managed.length,
      text: `Manages people who confirmed or changed assets: ${listed(managed)}.`,
    },
    profile: {
      count: shared.length,
      text: `Title or department and the domain share: ${shared.join(', ')}.`,
    },
  };
  const reasons = REASON_KINDS.map((kind) => ({ kind, ...texts[kind] })).filter(({ count }) => count > 0);
  return {
    principalId: nominee?.principalId ?? null,
    directoryId: nominee?.directoryId ?? null,
    displayName,
    score: Math.round(score * 1_000) / 1_000,
    holdsRole: nominee?.holdsRole ?? false,
    currentKinds: nominee?.currentKinds ?? [],
    reasons,
  };
}

/** The whole name of the domain is all that can be said; words of its description add up to that. */
function sharedWords(
  said: ReadonlySet<string>,
  { name, description }: Field,
): { share: number; shared: string[] } {
  const ofName = [...said].filter((each) => name.has(each));
  const ofDescription = [...said].filter((each) => description.has(each));
  const share = ofName.length / Math.max(1, name.size) + ofDescription.length / WORDS_OF_DESCRIPTION;
  return { share: Math.min(1, share), shared: [...ofName, ...ofDescription] };
}

const total = ({ confirmed, inferred }: SampleCounts) => confirmed + inferred;
/** What only the model says counts half. */
const weighed = ({ confirmed, inferred }: SampleCounts) => confirmed + inferred / 2;
const saturating = (count: number) => count / (count + HALF);

const listed = (names: readonly string[]): string =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`${names.length - NAMED} more`] : [])].join(', ');

const inWords = (by: MatchedBy): string => by.replace('_', ' ');
