import { CAPITALIZED_WORDS, COMPANY_FORMS, HONORIFICS, isOrganizationWord, PARTICLES } from './cues.ts';
import { isOrdinary, kindOf, phraseAt } from './lexicon.ts';
import type { Slice } from './tokens.ts';

export type NameType = 'person' | 'place' | 'organization';

/** Words `from` up to `to` that are written as one name; `type` where that is known. */
export type Run = { readonly from: number; readonly to: number; type: NameType | null };

const LONGEST_RUN = 8;
/** Shorter ones are words as well where they have no capital: `don`, `pan`, `fr`. */
const LEAST_HONORIFIC = 5;
const SPACE = /^[ \u00a0]$/;
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
      runs.push({ from: at, to, type: null });
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

const isOneLine = ({ tokens }: Slice, from: number, to: number): boolean =>
  tokens.slice(from + 1, to).every(({ gap }) => SPACE.test(gap) || gap === '-');

/** Written as a name: with a capital, in a line that is not all capitals; in a text without capitals any rare word. */
function isNamelike(slice: Slice, at: number): boolean {
  const token = slice.tokens[at];
  if (token === undefined || token.shape === 'code' || CONTRACTION.test(token.folded)) return false;
  if (CAPITALIZED_WORDS.has(token.folded) || HONORIFICS.has(token.folded)) return false;
  if (slice.caseless) return kindOf(token.folded) !== 'ordinary' && token.folded.length > 1;
  if (token.shape === 'capitals') return !isHeading(slice, at);
  return token.shape === 'title' || token.shape === 'initial';
}

/** The words beside it are all capitals as well. */
function isHeading({ tokens }: Slice, at: number): boolean {
  const beside = tokens.slice(Math.max(0, at - 3), at + 4).filter(({ shape }) => shape !== 'initial');
  return beside.length > 2 && beside.every(({ shape }) => shape === 'capitals');
}

function mayBegin(slice: Slice, at: number): boolean {
  const token = slice.tokens[at];
  const next = slice.tokens[at + 1];
  if (token === undefined || !isNamelike(slice, at)) return false;
  if (followsHonorific(slice, at)) return true;
  if (token.shape === 'title' && isOrganizationWord(token.folded) && linksAt(slice, at, at + 1) > 0)
    return true;
  if (isOrdinary(token.folded)) {
    return !token.opens && token.shape === 'title' && next?.gap === ' ' && isNamelike(slice, at + 1);
  }
  return token.shape !== 'initial' || /^[. ]/.test(next?.gap ?? '');
}

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
