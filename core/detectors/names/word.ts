import { STOP_WORDS } from '../../kernel/stop-words.ts';
import { fold, isStopWord, stem } from '../../kernel/words.ts';
import { endings, endsWithOne } from './endings.ts';
import { isGermanNoun } from './german-noun.ts';
import { entryOf, hasOrdinaryEnding, type Kind, kindOf } from './lexicon.ts';
import { hasStreetEnding } from './street-words.ts';
import { hasSurnameForm } from './surname-forms.ts';
import { type Membership, membershipOf, type Phrases, type WordList } from './word-lists.ts';

/** Most words of a text occur in other texts too, so they are cached. This many take about 5 MB. */
const MAX_WORDS = 16_384;
/** V8 copies shorter substrings. */
const LEAST_UNCOPIED = 13;
const APOSTROPHE = /['’]/;
const APOSTROPHES = /\\?['’]/g;
const POSSESSIVE = /\\?['’]s$/i;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const CAMEL_CASE = /\p{Ll}\p{Lu}/u;
const CAMEL_NAME = /^(?:(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz)\p{Lu}\p{Ll}{1,30}|GmbH|KGaA|SpA|SaRL)$/u;
/** `al-Zahrani` is a name although its first letter is small. */
const ARTICLE = /^(?:al|el|ul|ad|ar|as|at|az|ash)-\p{Lu}\p{Ll}/u;
const CONTRACTION = /'(?:m|ve|re|ll|d|t)$/;
/** The last words of post boxes, military addresses and corners, which regular expressions find. */
const BOXES = endings('box postfach postal postale postbus apartado correos poczt bp apo fpo dpo corner');

/**
 * `title`: capitalised. `capitals`: at least two letters, all capitals. `initial`: one capital letter. `lower`: no
 * capital.
 * `code`: camel case, or attached to digits, slashes or underscores. Never part of a name.
 */
export type Shape = 'title' | 'capitals' | 'initial' | 'lower' | 'code';

/** The properties of a word that depend only on its spelling, and not on the words around it. */
export type Word = Membership & {
  /** Without a possessive `'s`. */
  readonly length: number;
  readonly possessive: boolean;
  readonly shape: Shape;
  readonly isAscii: boolean;
  /** Lower case without accents. */
  readonly folded: string;
  readonly stem: string;
  /** The kind in the lexicon. Undefined for unknown words, such as most surnames. */
  readonly kind: Kind | undefined;
  /** Known as an ordinary word or a role: itself, its singular or its ending. */
  readonly isOrdinary: boolean;
  /** Known as a surname or formed like one, and not known as anything else. */
  readonly isSurname: boolean;
  /** Known as a part of names of persons, even if it is something else too: `Baker`, `Hill`, `Nowak`. */
  readonly isPartOfNames: boolean;
  /** A given name that is also an ordinary word. Alone it is not a sign of a person. */
  readonly isAlsoAWord: boolean;
  readonly isPastTense: boolean;
  readonly isStopWord: boolean;
  readonly isGermanStopWord: boolean;
  /** `I'm`, `don't` */
  readonly isContraction: boolean;
  /** Whether a known name of several words may begin with it. */
  readonly beginsName: boolean;
  /** `Hauptstraße` */
  readonly isStreet: boolean;
  readonly mayBeBox: boolean;
  /** What it is in a German text instead, where nouns have a capital. Null if it is the same. */
  readonly inGerman: Word | null;
};

export const NO_WORD: Word = {
  length: 0,
  possessive: false,
  shape: 'code',
  isAscii: true,
  folded: '',
  stem: '',
  kind: undefined,
  isOrdinary: false,
  isSurname: false,
  isPartOfNames: false,
  isAlsoAWord: false,
  isPastTense: false,
  isStopWord: false,
  isGermanStopWord: false,
  isContraction: false,
  beginsName: false,
  isStreet: false,
  mayBeBox: false,
  lists: 0,
  ends: 0,
  begins: 0,
  inGerman: null,
};

const GERMAN_STOP_WORDS: ReadonlySet<string> = new Set(STOP_WORDS.de);

const words = new Map<string, Word>();

export function wordOf(written: string): Word {
  const known = words.get(written);
  if (known !== undefined) return known;
  if (words.size >= MAX_WORDS) words.clear();
  const copy = copyOf(written);
  const word = readWord(copy);
  words.set(copy, word);
  return word;
}

/** A substring that V8 does not copy would keep the whole text in memory. */
const copyOf = (part: string): string =>
  part.length < LEAST_UNCOPIED
    ? part
    : String.fromCharCode(...Array.from({ length: part.length }, (_, i) => part.charCodeAt(i)));

export const isOneOf = (word: Word, list: WordList): boolean => (word.lists & list) !== 0;

export const endsOneOf = (word: Word, { bit }: Phrases): boolean => (word.ends & bit) !== 0;

export const beginsOneOf = (word: Word, { bit }: Phrases): boolean => (word.begins & bit) !== 0;

export const singularOf = (word: Word): Word => (word.stem === word.folded ? word : wordOf(word.stem));

function readWord(written: string): Word {
  const hasApostrophe = APOSTROPHE.test(written);
  const word = hasApostrophe ? written.replace(POSSESSIVE, '') : written;
  const plain = fold(word);
  const folded = hasApostrophe ? plain.replace(APOSTROPHES, "'") : plain;
  const singular = stem(folded);
  const { kind, isPartOfNames, isAlsoAWord, isPastTense, beginsName } = entryOf(folded);
  const kindOfEither = kind ?? (singular === folded ? undefined : kindOf(singular));
  const { lists, ends, begins } = membershipOf(folded);
  const inAnyLanguage: Omit<Word, 'inGerman'> = {
    length: word.length,
    possessive: word.length < written.length,
    shape: shapeOf(word, plain),
    isAscii: !BEYOND_ASCII.test(word),
    folded,
    stem: singular,
    kind,
    isOrdinary:
      kindOfEither === undefined
        ? hasOrdinaryEnding(folded)
        : kindOfEither === 'ordinary' || kindOfEither === 'role',
    isSurname: kind === 'surname' || (kind === undefined && hasSurnameForm(folded)),
    isPartOfNames,
    isAlsoAWord,
    isPastTense,
    isStopWord: isStopWord(folded),
    isGermanStopWord: GERMAN_STOP_WORDS.has(folded),
    isContraction: hasApostrophe && CONTRACTION.test(folded),
    beginsName,
    isStreet: hasStreetEnding(folded),
    mayBeBox: folded === 'p' || endsWithOne(folded, BOXES, 0),
    lists,
    ends,
    begins,
  };
  return { ...inAnyLanguage, inGerman: germanOf(inAnyLanguage) };
}

/** Only a noun is another word in German. A given name that is also a noun stays one: `Tod`, `Ernst`. */
function germanOf(word: Omit<Word, 'inGerman'>): Word | null {
  const { folded, kind, isOrdinary, isPartOfNames, isAlsoAWord } = word;
  if (kind === 'given')
    return !isAlsoAWord && isGermanNoun(folded) ? { ...word, isAlsoAWord: true, inGerman: null } : null;
  const parts = folded.split('-');
  const isNoun =
    kind === undefined &&
    !isOrdinary &&
    !isPartOfNames &&
    isGermanNoun(parts.at(-1) ?? '') &&
    !parts.some((part) => entryOf(part).isPartOfNames);
  return isNoun ? { ...word, kind: 'ordinary', isOrdinary: true, isSurname: false, inGerman: null } : null;
}

function shapeOf(word: string, folded: string): Shape {
  if (word === folded) return 'lower';
  const first = word.charAt(0);
  if (word.includes('-') && ARTICLE.test(word)) return 'title';
  if (first === first.toLowerCase()) return CAMEL_CASE.test(word) ? 'code' : 'lower';
  if (word.length === 1) return 'initial';
  if (word === word.toUpperCase()) return 'capitals';
  return CAMEL_CASE.test(word) && !CAMEL_NAME.test(word) ? 'code' : 'title';
}
