import { fold, isStopWord, stem, words } from '../kernel/words.ts';
import type { Nominee } from './nominees.ts';
import type { OwnerEvidence, SampleCounts } from './owner-evidence.sql.ts';
import type { OwnerKind } from './owners.sql.ts';
import { createMatcher, type MatchedBy } from './source-identity.ts';

export const REASON_KINDS = ['decided', 'modified', 'access', 'profile'] as const;
type ReasonKind = (typeof REASON_KINDS)[number];

/** How much of the score, at most, each kind of evidence gives. */
const WEIGHTS: Readonly<Record<ReasonKind, number>> = {
  decided: 0.3,
  modified: 0.3,
  access: 0.15,
  profile: 0.25,
};
/** So many assets give half of what there is to be had. */
const HALF = 5;
/** So many words of the description say as much as the whole name. */
const WORDS_OF_DESCRIPTION = 5;

/** Words of titles that say nothing of the field. */
const RANKS = new Set(
  'head chief officer manager director lead senior junior assistant vice president deputy team specialist'.split(
    ' ',
  ),
);

/** `count`: assets, or words of the title and department. */
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

type Gathered = {
  nominee: Nominee | null;
  displayName: string;
  matchedBy: Set<MatchedBy>;
  modified: SampleCounts;
  access: SampleCounts;
  decided: number;
};

/** Everybody for whom something speaks, by score, then name. Who may not own is left out, by whatever name. */
export function rankOwners(
  domain: { name: string; description: string },
  nominees: readonly Nominee[],
  { looked, traces, deciders }: OwnerEvidence,
): RankedOwner[] {
  // Somebody of the directory never makes it doubtful whom of the known people a source means.
  const matchKnown = createMatcher(nominees.filter(({ principalId }) => principalId !== null));
  const matchAll = createMatcher(nominees);
  const gathered = new Map<Nominee | string, Gathered>();
  const gather = (key: Nominee | string, nominee: Nominee | null, displayName: string): Gathered => {
    const present = gathered.get(key) ?? {
      ...{ nominee, displayName, matchedBy: new Set<MatchedBy>(), decided: 0 },
      ...{ modified: { confirmed: 0, inferred: 0 }, access: { confirmed: 0, inferred: 0 } },
    };
    gathered.set(key, present);
    return present;
  };
  const ofNominee = (nominee: Nominee) => gather(nominee, nominee, nominee.displayName);

  for (const nominee of nominees) ofNominee(nominee);
  for (const { kind, identity, confirmed, inferred } of traces) {
    const found = matchKnown(identity) ?? matchAll(identity);
    const of = found === null ? gather(fold(identity), null, identity) : ofNominee(found.person);
    if (found !== null) of.matchedBy.add(found.by);
    // One asset may name the same person in two ways.
    of[kind].confirmed = Math.min(looked.confirmed, of[kind].confirmed + confirmed);
    of[kind].inferred = Math.min(looked.inferred, of[kind].inferred + inferred);
  }
  const byId = new Map(nominees.map((nominee) => [nominee.principalId, nominee]));
  for (const { principalId, count } of deciders) {
    const nominee = byId.get(principalId);
    if (nominee !== undefined) ofNominee(nominee).decided = count;
  }

  const field = fieldOf(domain);
  return [...gathered.values()]
    .filter(({ nominee }) => nominee?.mayOwn !== false)
    .map((each) => rankedOwner(each, looked, field))
    .filter(({ reasons }) => reasons.length > 0)
    .sort((a, b) => b.score - a.score || compare(a.displayName, b.displayName) || compare(idOf(a), idOf(b)));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const idOf = ({ principalId, directoryId }: RankedOwner) => principalId ?? directoryId ?? '';

/** The stems that stand for the domain's field: those of its name, and those of its description besides. */
type Field = { name: ReadonlySet<string>; description: ReadonlySet<string> };

function fieldOf({ name, description }: { name: string; description: string }): Field {
  const ofName = new Set(tellingStems(name));
  return {
    name: ofName,
    description: new Set(tellingStems(description).filter((each) => !ofName.has(each))),
  };
}

const tellingStems = (text: string): string[] =>
  words(text)
    .filter((word) => word.length > 1 && !isStopWord(word) && !RANKS.has(word))
    .map(stem);

function rankedOwner(
  { nominee, displayName, matchedBy, modified, access, decided }: Gathered,
  looked: SampleCounts,
  field: Field,
): RankedOwner {
  const said = new Set(nominee === null ? [] : tellingStems(`${nominee.title} ${nominee.department}`));
  const { share: profile, shared } = sharedWords(said, field);
  const strengths: Record<ReasonKind, number> = {
    decided: saturating(decided),
    modified: saturating(weighed(modified)),
    access: saturating(weighed(access)),
    profile,
  };
  const score = REASON_KINDS.reduce((sum, kind) => sum + WEIGHTS[kind] * strengths[kind], 0);
  const matched =
    matchedBy.size === 0 ? '' : `; taken for this person by ${[...matchedBy].map(inWords).join(' and ')}`;
  const of = (counts: SampleCounts) =>
    `${counts.confirmed} of ${looked.confirmed} confirmed and ${counts.inferred} of ${looked.inferred} inferred assets${matched}.`;
  const reasons = [
    { kind: 'decided' as const, count: decided, text: `Confirmed ${decided} of ${looked.confirmed} assets.` },
    { kind: 'modified' as const, count: total(modified), text: `Changed last ${of(modified)}` },
    { kind: 'access' as const, count: total(access), text: `Owns or may write to ${of(access)}` },
    {
      kind: 'profile' as const,
      count: shared.length,
      text: `Title or department and the domain share: ${shared.join(', ')}.`,
    },
  ].filter(({ count }) => count > 0);
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

const inWords = (by: MatchedBy): string => by.replace('_', ' ');
