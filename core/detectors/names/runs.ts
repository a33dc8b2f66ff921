import {
  BEFORE_PERSON,
  CAPITALIZED_WORDS,
  COMPANY_FORMS,
  DETERMINERS,
  HONORIFICS,
  ORGANIZATION_WORDS,
  PARTICLES,
  PERSON_LABELS,
  ROLES,
  TITLES,
} from './cues.ts';
import { isLabelled, knownNameAt } from './phrases.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { endsOneOf, isOneOf, type Word } from './word.ts';
import { wordList } from './word-lists.ts';

export type NameType = 'person' | 'place' | 'organization';

/** The words `from` (inclusive) to `to` (exclusive) that look like one name. `type` is set if it is known. */
export type Run = { readonly from: number; readonly to: number; type: NameType | null };

const LONGEST_RUN = 8;
/** Shorter honorifics without a capital can be ordinary words: `don`, `pan`, `fr`. */
const LEAST_HONORIFIC = 5;
/** Lower-case words with which a surname can begin. */
const BEGINNINGS = wordList(
  'van von vom der den de ter ten zu zum di da dos del della le la bin ibn al af av',
);
const MAX_PARTICLES = 3;
const SPACE = /^[ \u00a0]$/;
/** What separates words of one line or field. */
const BESIDE = /^(?:[ \u00a0-]|[.,] )$/;
const LINKS = wordList('of for fur');

/** Finds possible names from left to right: known phrases, and sequences of capitalised words. */
export function runsOf(slice: Slice): Run[] {
  const { tokens, caseless } = slice;
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const { shape } = tokenAt(slice, at);
    if (shape === 'code' || (!caseless && shape === 'lower')) continue;
    const known = knownNameAt(slice, at, tokens.length);
    if (known !== null && isOneLine(slice, at, known.to)) {
      runs.push({ from: at, to: known.to, type: known.type });
      at = known.to - 1;
    } else if (mayBegin(slice, at)) {
      const to = endOfRun(slice, at);
      const name = withoutOffices(slice, at, to);
      runs.push({ from: caseless || name > at ? name : withParticles(slice, at), to, type: null });
      at = to - 1;
    }
  }
  return runs;
}

/** `Mr. Young`, `Frau Bauer`, `señora García`. A short honorific needs a capital, unless the text has no capitals. */
export function followsHonorific(slice: Slice, at: number): boolean {
  const { word, shape } = tokenAt(slice, at - 1);
  if (!isOneOf(word, HONORIFICS)) return false;
  const isWord = shape === 'lower' && !slice.caseless && word.folded.length < LEAST_HONORIFIC;
  return !isWord && /^\.? $/.test(tokenAt(slice, at).gap);
}

/**
 * `President Okafor`, `Uncle Vanya`: a title that is also an ordinary word needs a capital and must precede a
 * possible name.
 */
export function followsTitle(slice: Slice, at: number): boolean {
  const before = tokenAt(slice, at - 1);
  if (before.shape !== 'title' || !isOneOf(before.word, TITLES | ROLES)) return false;
  const { gap, word } = tokenAt(slice, at);
  return gap === ' ' && !before.word.possessive && !word.isOrdinary && !slice.lowerCase().has(word.folded);
}

/** Where a name begins whose first capitalised word is `at`: `Geachte heer de Vries`, `Present: van Dijk`. */
function withParticles(slice: Slice, at: number): number {
  let from = at;
  while (at - from < MAX_PARTICLES && isParticle(slice, from - 1) && tokenAt(slice, from).gap === ' ')
    from -= 1;
  if (from === at) return at;
  const { opens, gap } = tokenAt(slice, from);
  return opens || gap === ', ' || isOneOf(wordAt(slice, from - 1), HONORIFICS | ROLES) ? from : at;
}

/** Where a name begins after ordinary words with capitals that a known given name follows: `Hauptbuchhalter Anna Nowak`. */
function withoutOffices(slice: Slice, from: number, to: number): number {
  const behind = behindTitle(slice, from, to);
  if (behind > from) return behind;
  let at = from;
  while (at < to - 1 && isOffice(wordAt(slice, at))) at += 1;
  const { kind, isAlsoAWord } = wordAt(slice, at);
  return kind === 'given' && !isAlsoAWord && at < to - 1 ? at : from;
}

/**
 * Where a known name begins behind a title of several words, otherwise `from`: `Loan Officer Smith`. A title that can be a
 * surname is one behind a given name: `Mark Bishop Taylor`.
 */
function behindTitle(slice: Slice, from: number, to: number): number {
  let at = to - 1;
  while (at > from && !followsTitle(slice, at)) at -= 1;
  if (at > from + 1 && wordAt(slice, from).kind === 'given' && wordAt(slice, at - 1).isPartOfNames)
    return from;
  const { kind, isPartOfNames, isAlsoAWord } = wordAt(slice, at);
  const isAlone = at === to - 1;
  const isName = (isPartOfNames || kind === 'given' || kind === 'surname') && !(isAlone && isAlsoAWord);
  return isName && slice.tokens.slice(from, at).every(({ word }) => mayBeOfTitle(word)) ? at : from;
}

const mayBeOfTitle = (word: Word): boolean =>
  isOneOf(word, TITLES | ROLES) ||
  ((word.isOrdinary || word.isAlsoAWord) && !isOneOf(word, ORGANIZATION_WORDS | HONORIFICS));

const isOffice = (word: Word): boolean =>
  word.isOrdinary && !word.isPartOfNames && !isOneOf(word, ORGANIZATION_WORDS);

function isParticle(slice: Slice, at: number): boolean {
  const { shape, word } = tokenAt(slice, at);
  return shape === 'lower' && isOneOf(word, BEGINNINGS);
}

const isOneLine = ({ tokens }: Slice, from: number, to: number): boolean =>
  tokens.slice(from + 1, to).every(({ gap }) => SPACE.test(gap) || gap === '-');

/**
 * Whether a word looks like part of a name: capitalised, and not in a heading. In a text without capitals, any rare
 * word does.
 */
function isNamelike(slice: Slice, at: number): boolean {
  const { shape, word } = tokenAt(slice, at);
  if (shape === 'code' || isOneOf(word, CAPITALIZED_WORDS) || word.isContraction) return false;
  // The `M.` in `Tamara M. Nowak` is not `Monsieur`.
  if (isOneOf(word, HONORIFICS) && shape !== 'initial') return false;
  if (slice.caseless) return word.kind !== 'ordinary' && word.folded.length > 1;
  if (shape === 'capitals') return !isHeading(slice, at);
  return shape === 'title' || shape === 'initial';
}

/**
 * Whether the words around it in its line or field are all in capitals, and are more than the two or three words of a
 * name.
 */
function isHeading(slice: Slice, at: number): boolean {
  let from = at;
  let to = at + 1;
  while (at - from < 3 && BESIDE.test(tokenAt(slice, from).gap) && from > 0) from -= 1;
  while (to - at < 4 && BESIDE.test(tokenAt(slice, to).gap)) to += 1;
  const beside = slice.tokens.slice(from, to).filter(({ shape }) => shape !== 'initial');
  if (beside.length <= 4 && isLabelled(slice, from, PERSON_LABELS)) return false;
  const first = beside[0]?.word;
  if (beside.length <= 2 || (beside.length === 3 && first?.kind === 'given' && !first.isAlsoAWord))
    return false;
  return beside.every(({ shape }) => shape === 'capitals');
}

function mayBegin(slice: Slice, at: number): boolean {
  const { word, shape, opens } = tokenAt(slice, at);
  if (!isNamelike(slice, at)) return false;
  if (followsHonorific(slice, at) || followsTitle(slice, at)) return true;
  if (isOneOf(word, HONORIFICS)) return false;
  if (word.kind !== 'given' && (opens ? opensSentence(word) : isFunctionWord(word))) return false;
  if (shape === 'title' && isOneOf(word, ORGANIZATION_WORDS) && linksAt(slice, at, at + 1) > 0) return true;
  if (followsTitle(slice, at + 1) && isNamelike(slice, at + 1)) return false;
  const { gap } = tokenAt(slice, at + 1);
  if (word.isOrdinary) {
    if (opens || shape !== 'title') return false;
    return word.isPartOfNames || (gap === ' ' && isNamelike(slice, at + 1));
  }
  return shape !== 'initial' || /^[. ]/.test(gap);
}

/** Words that often begin a sentence but rarely a name: `Der Kläger`, `Laut Nowak`. */
const opensSentence = (word: Word): boolean =>
  isOneOf(word, DETERMINERS) ||
  (endsOneOf(word, BEFORE_PERSON) && BEFORE_PERSON.all.has(word.folded)) ||
  isFunctionWord(word);

const isFunctionWord = (word: Word): boolean => word.isStopWord && !isOneOf(word, PARTICLES);

function endOfRun(slice: Slice, from: number): number {
  let to = from + 1;
  while (to - from < LONGEST_RUN && isJoined(slice, to)) {
    const particles = linksAt(slice, from, to);
    if (!isNamelike(slice, to + particles)) break;
    if (
      particles > 0 &&
      isOffice(wordAt(slice, to + particles)) &&
      !isOneOf(wordAt(slice, from), ORGANIZATION_WORDS)
    )
      break;
    // Without capitals, only a known given name shows where the next name begins.
    if (slice.caseless && wordAt(slice, to).kind === 'given' && wordAt(slice, from).kind === undefined) break;
    to += particles + 1;
  }
  return to;
}

function isJoined(slice: Slice, at: number): boolean {
  const previous = tokenAt(slice, at - 1);
  const { gap, word } = tokenAt(slice, at);
  if (previous.word.possessive || beginsSentence(slice, at)) return false;
  if (gap === '. ') return previous.shape === 'initial';
  return SPACE.test(gap) || gap === '-' || (gap === ', ' && isOneOf(word, COMPANY_FORMS));
}

/** `Flora und Fauna Der Sand`: a heading without a full stop. A determiner may also be part of a name: `Van Der Berg`. */
function beginsSentence(slice: Slice, at: number): boolean {
  const { word, shape } = tokenAt(slice, at);
  const before = wordAt(slice, at - 1);
  const isDeterminer = shape === 'title' && word.isGermanStopWord && isOneOf(word, DETERMINERS);
  return isDeterminer && before.kind !== 'given' && !isOneOf(before, PARTICLES);
}

/** How many linking words are at `at`, such as `van der`, or `of` in an institution, before the name continues. */
function linksAt(slice: Slice, from: number, at: number): number {
  let count = 0;
  while (count < 2) {
    const { word, shape } = tokenAt(slice, at + count);
    if (shape !== 'lower') break;
    const isLink =
      isOneOf(word, PARTICLES) ||
      (isOneOf(word, LINKS) && !slice.caseless && isOneOf(wordAt(slice, from), ORGANIZATION_WORDS));
    if (!isLink || !/^[ ’']$/.test(tokenAt(slice, at + count + 1).gap)) break;
    count += 1;
  }
  return count;
}
