import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadBeside } from '../../kernel/module-beside.ts';
import { fold, isStopWord, words } from '../../kernel/words.ts';
import type * as Compromise from '../libraries/compromise.ts';
import { endings, endsWithOne } from './endings.ts';
import { GIVEN_NAMES } from './given-names.ts';
import { ORDINARY_WORDS } from './ordinary-words.ts';
import { SHORT_SURNAMES } from './surname-forms.ts';

/** The kind of a known word or phrase. `ordinary` words are names only with further signs. */
export type Kind = 'given' | 'surname' | 'place' | 'organization' | 'role' | 'ordinary';

/** Languages in which the names of countries are known. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'];
/** Region codes of unions, tests and unknown regions. */
const NOT_PLACES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);
/** Given names that are also ordinary words. Alone they are not a sign of a person. */
const WORDS_AS_WELL = new Set(
  (
    'mark grant grace chase skip spike blossom stew hope faith joy rose may june april august will bill rob sue art drew ' +
    'frank gene jean pat ray rich robin iris ivy jan jade amber autumn summer christian guy miles victor clay dale earl ' +
    'max rusty sandy brandy carol dawn eve ginger heather holly dick jack penny ruby melody reed cliff dean leo ' +
    'angel dan ben sol paz luz rosa norm mike chance crystal daisy diamond jasmine ' +
    'randy jay sue poppy hazel ella alma piers ' +
    'loan lily marina mercy olive pearl rocky sage sierra tracy trinity violet willow wade'
  ).split(' '),
);
/** In the dictionary of names, but nearly always an office. */
const OFFICES = ['officer', 'president', 'captain'];
/** Given names that look like function words of another language. */
const STOP_WORDS_AS_WELL = new Set(['dan', 'ella']);
const ORDINARY_ENDINGS = endings(`
  tion tions sion sions ment ments ness ity ities ings ance ances ence ences ware wares ship ships ism isms vider viders
`);
const ADVERB = /.{3}[a-z]{2}ally$/;
const KIND_BY_TAG: readonly [tag: string, kind: Kind][] = [
  ['MaleName', 'given'],
  ['FemaleName', 'given'],
  ['FirstName', 'given'],
  ['LastName', 'surname'],
  ['Country', 'place'],
  ['City', 'place'],
  ['Region', 'place'],
  ['Place', 'place'],
  ['Organization', 'organization'],
  ['SportsTeam', 'organization'],
  ['Actor', 'role'],
];

type Lexicon = {
  kinds: Map<string, Kind>;
  /** Given names and surnames. Many of them are ordinary words too. */
  people: Set<string>;
  /** Verbs in the past tense. */
  pastTenses: Set<string>;
  /** The first word, and the first two words, of names of places and organizations. */
  beginnings: Set<string>;
};

let lexicon: Lexicon | null = null;

/** The properties of a folded word. */
export function entryOf(folded: string) {
  const { kinds, people, pastTenses, beginnings } = load();
  return {
    kind: kinds.get(folded),
    isPartOfNames: people.has(folded),
    isAlsoAWord: WORDS_AS_WELL.has(folded),
    isPastTense: pastTenses.has(folded),
    beginsName: beginnings.has(folded),
  };
}

/** The kind of a folded word or name of several words. */
export const kindOf = (folded: string): Kind | undefined => load().kinds.get(folded);

export const hasOrdinaryEnding = (folded: string): boolean =>
  endsWithOne(folded, ORDINARY_ENDINGS, 3) || (folded.endsWith('ally') && ADVERB.test(folded));

/** Whether a known name of a place or an organization begins with this word or these two words. */
export const isBeginning = (phrase: string): boolean => load().beginnings.has(phrase);

/**
 * Builds the lexicon once, from the library's words, the dictionary of names, and the names of countries and time
 * zones that the platform knows.
 */
function load(): Lexicon {
  if (lexicon !== null) return lexicon;
  const kinds = new Map<string, Kind>();
  const pastTenses = new Set<string>();
  for (const [phrase, tags] of Object.entries(libraryWords())) {
    const kind = kindByTags(typeof tags === 'string' ? [tags] : tags);
    const plain = fold(phrase);
    if (tags.includes('PastTense')) pastTenses.add(plain);
    if (kind !== null) kinds.set(plain, kind);
    else if (tags === 'Person' && !plain.includes(' ')) kinds.set(plain, 'surname');
  }
  for (const word of ORDINARY_WORDS) if (!kinds.has(word)) kinds.set(word, 'ordinary');
  for (const name of SHORT_SURNAMES) if (kinds.get(name) !== 'given') kinds.set(name, 'surname');
  for (const name of [...GIVEN_NAMES, ...WORDS_AS_WELL]) kinds.set(name, 'given');
  for (const place of [...countryNames(), ...timeZoneCities()]) {
    const plain = words(place).join(' ');
    if (kinds.get(plain) !== 'given' && plain.length > 2) kinds.set(plain, 'place');
  }
  for (const word of kinds.keys())
    if (isStopWord(word) && !STOP_WORDS_AS_WELL.has(word)) kinds.set(word, 'ordinary');
  const beginnings = new Set<string>();
  for (const [phrase, kind] of kinds) {
    const [first = '', second] = phrase.split(' ', 2);
    if ((kind === 'place' || kind === 'organization') && second !== undefined)
      beginnings.add(first).add(`${first} ${second}`);
  }
  const people = new Set(peopleNames());
  for (const office of OFFICES) people.delete(office);
  lexicon = { kinds, people, pastTenses, beginnings };
  return lexicon;
}

/** Loaded on first use. It takes a third of a second and 35 MB, which a process without scans does not need. */
function libraryWords(): Record<string, string | string[]> {
  const { nlp } = loadBeside<typeof Compromise>('../libraries/compromise', import.meta.url);
  const { one } = nlp.model() as { one: { lexicon: Record<string, string | string[]> } };
  return one.lexicon;
}

/** The spelling dictionary has one name a line. Comments begin with `#`. */
function peopleNames(): string[] {
  const folder = path.dirname(createRequire(import.meta.url).resolve('@cspell/dict-people-names'));
  const lines = readFileSync(path.join(folder, 'dict', 'people-names.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(fold);
}

function kindByTags(tags: readonly string[]): Kind | null {
  for (const [tag, kind] of KIND_BY_TAG) if (tags.includes(tag)) return kind;
  // Persons with one name, and capitalised words without another tag.
  return tags.includes('Person') || tags.includes('ProperNoun') ? null : 'ordinary';
}

function countryNames(): string[] {
  const names: string[] = [];
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (let first = 65; first <= 90; first++) {
      for (let second = 65; second <= 90; second++) {
        const code = String.fromCharCode(first, second);
        const name = NOT_PLACES.has(code) ? undefined : display.of(code);
        if (name === undefined) continue;
        const plain = name.replace('St.', 'Saint');
        names.push(plain.replaceAll('&', 'and'), plain.replaceAll('&', 'and the'));
      }
    }
  }
  return names;
}

/** The last part of a time zone such as `America/Sao_Paulo` is a city. */
const timeZoneCities = (): string[] =>
  Intl.supportedValuesOf('timeZone').map((zone) =>
    zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' '),
  );
