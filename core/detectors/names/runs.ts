import { isStopWord } from '../../kernel/words.ts';
import {
  BEFORE_PERSON,
  CAPITALIZED_WORDS,
  COMPANY_FORMS,
  DETERMINERS,
  HONORIFICS,
  isOrganizationWord,
  PARTICLES,
  PERSON_LABELS,
  ROLES,
  TITLES,
} from './cues.ts';
import { isAlsoAWord, isOrdinary, isPartOfNames, kindOf, phraseAt } from './lexicon.ts';
import { isLabelled } from './phrases.ts';
import type { Slice } from './tokens.ts';

export type NameType = 'person' | 'place' | 'organization';

/** Words `from` up to `to` that are written as one name; `type` where that is known. */
export type Run = { readonly from: number; readonly to: number; type: NameType | null };

const LONGEST_RUN = 8;
/** Shorter ones are words as well where they have no capital: `don`, `pan`, `fr`. */
const LEAST_HONORIFIC = 5;
/** Small words that a surname may begin with. */
const BEGINNINGS = new Set(
  'van von vom der den de ter ten zu zum di da dos del della le la bin ibn al af av'.split(' '),
);
const MOST_PARTICLES = 3;
const SPACE = /^[ \u00a0]$/;
/** Between the words of one line or field. */
const BESIDE = /^(?:[ \u00a0-]|[.,] )$/;
const LINKS = /^(?:of|for|fur)$/;
const CONTRACTION = /'(?:m|ve|re|ll|d|t)$/;

/** What may be a name, from left to right: known phrases, and words with capitals in a row. */
export function runsOf(slice: Slice): Run[] {
  const { tokens, folded, caseless } = slice;
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const shape = tokens[at]?.shape;
    if (shape === 'code' || (!caseless && shape === 'lower')) continue;
    const phrase = phraseAt(folded, at);
    if (phrase !== null && isOneLine(slice, at, at + phrase.length)) {
      runs.push({ from: at, to: at + phrase.length, type: phrase.type });
      at += phrase.length - 1;
    } else if (mayBegin(slice, at)) {
      const to = endOfRun(slice, at);
      runs.push({ from: slice.caseless ? at : withParticles(slice, at), to, type: null });
      at = to - 1;
    }
  }
  return runs;
}

/** `Mr. Young`, `Frau Bauer`, `señora García`: a short one only with a capital, unless the text has none. */
export function followsHonorific({ tokens, caseless }: Slice, at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || !HONORIFICS.has(before.folded)) return false;
  const isWord = before.shape === 'lower' && !caseless && before.folded.length < LEAST_HONORIFIC;
  return !isWord && /^\.? $/.test(tokens[at]?.gap ?? '');
}

/** `President Okafor`, `Uncle Vanya`: a title that is a word as well, with a capital before what may be a name. */
export function followsTitle({ tokens, folded, lowerCase }: Slice, at: number): boolean {
  const before = tokens[at - 1];
  const word = folded[at] ?? '';
  if (before?.shape !== 'title' || before.possessive || tokens[at]?.gap !== ' ') return false;
  if (!TITLES.has(before.folded) && !ROLES.has(before.folded)) return false;
  return !isOrdinary(word) && !lowerCase().has(word);
}

/** Where a name begins of which word `at` is the first with a capital: `Geachte heer de Vries`, `Present: van Dijk`. */
function withParticles({ tokens, folded }: Slice, at: number): number {
  let from = at;
  while (
    at - from < MOST_PARTICLES &&
    tokens[from]?.gap === ' ' &&
    BEGINNINGS.has(folded[from - 1] ?? '') &&
    tokens[from - 1]?.shape === 'lower'
  )
    from -= 1;
  const isFirst = tokens[from]?.opens === true || tokens[from]?.gap === ', ';
  return from < at && (isFirst || HONORIFICS.has(folded[from - 1] ?? '') || ROLES.has(folded[from - 1] ?? ''))
    ? from
    : at;
}

const isOneLine = ({ tokens }: Slice, from: number, to: number): boolean =>
  tokens.slice(from + 1, to).every(({ gap }) => SPACE.test(gap) || gap === '-');

/** Written as a name: with a capital, in a line that is not all capitals; in a text without capitals any rare word. */
function isNamelike(slice: Slice, at: number): boolean {
  const token = slice.tokens[at];
  if (token === undefined || token.shape === 'code' || CONTRACTION.test(token.folded)) return false;
  if (CAPITALIZED_WORDS.has(token.folded)) return false;
  // The `M.` in `Tamara M. Nowak` is no Monsieur.
  if (HONORIFICS.has(token.folded) && token.shape !== 'initial') return false;
  if (slice.caseless) return kindOf(token.folded) !== 'ordinary' && token.folded.length > 1;
  if (token.shape === 'capitals') return !isHeading(slice, at);
  return token.shape === 'title' || token.shape === 'initial';
}

/** The words beside it in its line or field are all capitals as well, and not the two or three of a name. */
function isHeading(slice: Slice, at: number): boolean {
  const { tokens } = slice;
  let from = at;
  let to = at + 1;
  while (at - from < 3 && BESIDE.test(tokens[from]?.gap ?? '') && from > 0) from -= 1;
  while (to - at < 4 && BESIDE.test(tokens[to]?.gap ?? '')) to += 1;
  const beside = tokens.slice(from, to).filter(({ shape }) => shape !== 'initial');
  const first = beside[0]?.folded ?? '';
  if (beside.length <= 4 && isLabelled(slice, from, PERSON_LABELS)) return false;
  if (beside.length <= 2 || (beside.length === 3 && kindOf(first) === 'given' && !isAlsoAWord(first)))
    return false;
  return beside.every(({ shape }) => shape === 'capitals');
}

function mayBegin(slice: Slice, at: number): boolean {
  const token = slice.tokens[at];
  const next = slice.tokens[at + 1];
  if (token === undefined || !isNamelike(slice, at)) return false;
  if (followsHonorific(slice, at) || followsTitle(slice, at)) return true;
  if (HONORIFICS.has(token.folded)) return false;
  if (
    kindOf(token.folded) !== 'given' &&
    (token.opens ? opensSentence(token.folded) : isFunctionWord(token.folded))
  )
    return false;
  if (token.shape === 'title' && isOrganizationWord(token.folded) && linksAt(slice, at, at + 1) > 0)
    return true;
  if (followsTitle(slice, at + 1) && isNamelike(slice, at + 1)) return false;
  if (isOrdinary(token.folded)) {
    if (token.opens || token.shape !== 'title') return false;
    return isPartOfNames(token.folded) || (next?.gap === ' ' && isNamelike(slice, at + 1));
  }
  return token.shape !== 'initial' || /^[. ]/.test(next?.gap ?? '');
}

/** A word that names begin with only by chance, where a sentence begins: `Der Kläger`, `Laut Nowak`. */
const opensSentence = (folded: string): boolean =>
  DETERMINERS.has(folded) || BEFORE_PERSON.all.has(folded) || isFunctionWord(folded);

const isFunctionWord = (folded: string): boolean => isStopWord(folded) && !PARTICLES.has(folded);

function endOfRun(slice: Slice, from: number): number {
  let to = from + 1;
  while (to - from < LONGEST_RUN && isJoined(slice, to)) {
    const particles = linksAt(slice, from, to);
    if (!isNamelike(slice, to + particles)) break;
    // Without capitals only a known given name says where a name begins.
    if (slice.caseless && isKnown(slice, to, 'given') && isKnown(slice, from, undefined)) break;
    to += particles + 1;
  }
  return to;
}

const isKnown = ({ folded }: Slice, at: number, kind: 'given' | undefined): boolean =>
  kindOf(folded[at] ?? '') === kind;

function isJoined({ tokens }: Slice, at: number): boolean {
  const previous = tokens[at - 1];
  const token = tokens[at];
  if (previous === undefined || token === undefined || previous.possessive) return false;
  if (token.gap === '. ') return previous.shape === 'initial';
  return (
    SPACE.test(token.gap) || token.gap === '-' || (token.gap === ', ' && COMPANY_FORMS.has(token.folded))
  );
}

/** How many words such as `van der`, or `of` in an institution, stand at `at` before the name that begins at `from` goes on. */
function linksAt({ tokens, folded, caseless }: Slice, from: number, at: number): number {
  let count = 0;
  while (count < 2 && tokens[at + count]?.shape === 'lower') {
    const word = folded[at + count] ?? '';
    const isLink =
      PARTICLES.has(word) || (!caseless && LINKS.test(word) && isOrganizationWord(folded[from] ?? ''));
    if (!isLink || !/^[ ’']$/.test(tokens[at + count + 1]?.gap ?? '')) break;
    count += 1;
  }
  return count;
}
