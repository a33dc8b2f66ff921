import { z } from 'zod';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { listOf } from '../kernel/list.ts';
import { fold, isStopWord, stem, words } from '../kernel/words.ts';
import {
  domainInWords,
  type KnownPerson,
  knownPeople,
  type OwnerEvidence,
  ownerEvidence,
  type SampleCounts,
} from './owner-evidence.sql.ts';
import { OwnerKindSchema } from './owners.ts';
import { createMatcher, type MatchedBy } from './source-identity.ts';

const PEOPLE = 20;
const STRANGERS = 10;

const REASON_KINDS = ['decided', 'modified', 'access', 'profile'] as const;
type ReasonKind = (typeof REASON_KINDS)[number];

/** The maximum that each kind of evidence adds to the score. */
const WEIGHTS: Readonly<Record<ReasonKind, number>> = {
  decided: 0.3,
  modified: 0.3,
  access: 0.15,
  profile: 0.25,
};
/** This many assets give half of the maximum. */
const HALF = 5;
/** This many words of the description count as much as the whole name. */
const WORDS_OF_DESCRIPTION = 5;

/** Words in titles that do not describe a field. */
const RANKS = new Set(
  'head chief officer manager director lead senior junior assistant vice president deputy team specialist'.split(
    ' ',
  ),
);

const ReasonSchema = z.object({
  kind: z.enum(REASON_KINDS),
  text: z.string(),
  /** Number of assets, or of words in the title and department. */
  count: z.int(),
});

/** `principalId` is null for a person whom only a source knows. The name is then the source's. */
export const OwnerSuggestionSchema = z.object({
  principalId: z.string().nullable(),
  displayName: z.string(),
  score: z.number(),
  holdsRole: z.boolean(),
  currentKinds: z.array(OwnerKindSchema),
  reasons: z.array(ReasonSchema),
});
export type OwnerSuggestion = z.infer<typeof OwnerSuggestionSchema>;

/** `note` says why nobody is suggested. It is null if somebody is. */
export const OwnerSuggestionsSchema = listOf(OwnerSuggestionSchema).extend({ note: z.string().nullable() });

const NOBODY =
  'Nothing speaks for anybody: nobody confirmed, changed or may write to an asset of the domain, and no title or ' +
  'department shares a word with it. Assign whom you know.';

/** People who may own a domain, the most likely first. People without evidence are left out. Throws `not_found`. */
export async function suggestOwners(
  tx: Tx,
  domainId: string,
): Promise<z.infer<typeof OwnerSuggestionsSchema>> {
  const domain = await domainInWords(tx, domainId);
  if (domain === null) throw notFound();
  const suggestions = rankOwners(domain, await knownPeople(tx, domainId), await ownerEvidence(tx, domainId));
  const people = suggestions.filter(({ principalId }) => principalId !== null);
  const strangers = suggestions.filter(({ principalId }) => principalId === null);
  return {
    items: [...people.slice(0, PEOPLE), ...strangers.slice(0, STRANGERS)],
    truncated: people.length > PEOPLE || strangers.length > STRANGERS,
    note: suggestions.length === 0 ? NOBODY : null,
  };
}

type Gathered = {
  person: KnownPerson | null;
  displayName: string;
  matchedBy: Set<MatchedBy>;
  modified: SampleCounts;
  access: SampleCounts;
  decided: number;
};

/**
 * People with evidence, by score and then by name. Disabled people are left out, under any name that a source uses
 * for them.
 */
export function rankOwners(
  domain: { name: string; description: string },
  people: readonly KnownPerson[],
  { looked, traces, deciders }: OwnerEvidence,
): OwnerSuggestion[] {
  const match = createMatcher(people);
  const gathered = new Map<string, Gathered>();
  const gather = (key: string, person: KnownPerson | null, displayName: string): Gathered => {
    const present = gathered.get(key) ?? {
      ...{ person, displayName, matchedBy: new Set<MatchedBy>(), decided: 0 },
      ...{ modified: { confirmed: 0, inferred: 0 }, access: { confirmed: 0, inferred: 0 } },
    };
    gathered.set(key, present);
    return present;
  };
  const ofPerson = (person: KnownPerson) =>
    gather(`person ${person.principalId}`, person, person.displayName);

  for (const person of people) ofPerson(person);
  for (const { kind, identity, confirmed, inferred } of traces) {
    const found = match(identity);
    const of = found === null ? gather(`source ${fold(identity)}`, null, identity) : ofPerson(found.person);
    if (found !== null) of.matchedBy.add(found.by);
    // One asset may name the same person twice.
    of[kind].confirmed = Math.min(looked.confirmed, of[kind].confirmed + confirmed);
    of[kind].inferred = Math.min(looked.inferred, of[kind].inferred + inferred);
  }
  const byId = new Map(people.map((person) => [person.principalId, person]));
  for (const { principalId, count } of deciders) {
    const person = byId.get(principalId);
    if (person !== undefined) ofPerson(person).decided = count;
  }

  const field = fieldOf(domain);
  return [...gathered.values()]
    .filter(({ person }) => person?.status !== 'disabled')
    .map((each) => suggestionOf(each, looked, field))
    .filter(({ reasons }) => reasons.length > 0)
    .sort((a, b) => b.score - a.score || compare(a.displayName, b.displayName) || compare(idOf(a), idOf(b)));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const idOf = ({ principalId }: OwnerSuggestion) => principalId ?? '';

/** The stems that describe the domain: those of its name, and further ones of its description. */
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

function suggestionOf(
  { person, displayName, matchedBy, modified, access, decided }: Gathered,
  looked: SampleCounts,
  field: Field,
): OwnerSuggestion {
  const said = new Set(person === null ? [] : tellingStems(`${person.title} ${person.department}`));
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
    principalId: person?.principalId ?? null,
    displayName,
    score: Math.round(score * 1_000) / 1_000,
    holdsRole: person?.holdsRole ?? false,
    currentKinds: person?.currentKinds ?? [],
    reasons,
  };
}

/** The name of the domain can give the full score. Words of its description add up to the same maximum. */
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
/** Assets that are only inferred count half. */
const weighed = ({ confirmed, inferred }: SampleCounts) => confirmed + inferred / 2;
const saturating = (count: number) => count / (count + HALF);

const inWords = (by: MatchedBy): string => by.replace('_', ' ');
