import {
  AFTER_ADDRESSED,
  AFTER_PERSON,
  BEFORE_ANYTHING,
  BEFORE_PERSON,
  BEFORE_SOMEWHERE,
  BEGINNINGS_OF_PLACES,
  DETERMINERS,
  MAYBE_AFTER_PERSON,
  MAYBE_BEFORE_PERSON,
  ORGANIZATION_WORDS,
  OWNED_BY_PERSON,
  PARTICLES,
  PERSON_LABELS,
  ROLES,
  THINGS,
} from './cues.ts';
import { isAfterPhrase, isBeforePhrase, isLabelled } from './phrases.ts';
import { followsHonorific, followsTitle, type Run } from './runs.ts';
import { ENOUGH, SAME_CLAUSE } from './signs.ts';
import { type Slice, type Token, tokenAt, wordAt } from './tokens.ts';
import { isOneOf, singularOf, type Word } from './word.ts';
import { wordList } from './word-lists.ts';

/** In words. */
export const LONGEST_NAME = 6;
/** The score of an unambiguous given name with further words. */
export const SURE = 5;
/** How many words after a name may contain a role, and how many a pronoun that refers to it. */
const WORDS_TO_ROLE = 4;
const WORDS_TO_PRONOUN = 9;
/** Begins direct speech, as in a play or minutes. The quotation mark can be escaped. */
const SPEECH = /^: {0,2}\\?["“„«]/;
/** `Anna Nowak <anna@…>` */
const MAIL = /^["'”]? {0,2}<[^<>@\s]{1,64}@/;
const LONGEST_MAIL = 72;
const AGAINST = wordList('v, vs');
const AUXILIARY = wordList('was, were, had, did, been');
const COPULA = wordList(
  'is, was, are, were, am, ist, war, sind, est, sont, es, era, son, sono, e, foi, och, are, jest',
);
const PRONOUN = wordList('he, she, him, his, her, himself, herself');
const FORMER = /^ex-\p{L}/u;

/**
 * The score of a run as a person, from its words and the words around it. Signs that could only raise a score above
 * `rival` are skipped.
 */
export function personScore(slice: Slice, { from, to }: Run, rival: number): number {
  if (to - from > LONGEST_NAME) return 0;
  if (followsHonorific(slice, from)) return 2 * ENOUGH;
  const start = withoutParticles(slice, from, to);
  const first = wordAt(slice, start);
  if (to - start > 1 && isThing(first, wordAt(slice, start + 1), wordAt(slice, to - 1))) return 0;
  let score = spellingScore(slice, start, to);
  // Before a given name, no word lowers the score.
  if (score <= rival || first.kind !== 'given') score += scoreBefore(slice, from);
  if (score <= rival) score += scoreAfter(slice, from, to);
  if (score <= rival) score += mailScore(slice, start, to);
  return score;
}

/** The index after leading particles, such as `de` in `de Vries`, which are no sign. */
function withoutParticles(slice: Slice, from: number, to: number): number {
  let at = from;
  while (at < to - 1 && isOneOf(wordAt(slice, at), PARTICLES)) at += 1;
  return at;
}

/** `Lincoln Hotel`, `Loan Officer Smith` */
const isThing = (first: Word, second: Word, last: Word): boolean =>
  isOneOf(last, THINGS | ORGANIZATION_WORDS) ||
  (first.isAlsoAWord && second.isOrdinary && !second.isPartOfNames) ||
  (first.isOrdinary && !(first.isPartOfNames && last.isSurname));

/** The score of the words themselves, without the words around them. */
export function spellingScore(slice: Slice, from: number, to: number): number {
  return to - from === 1 ? scoreOfWord(slice, from) : scoreOfWords(slice, from, to);
}

function scoreOfWord(slice: Slice, at: number): number {
  const token = tokenAt(slice, at);
  const { word, shape } = token;
  if (word.kind === 'given') {
    if (!word.isAlsoAWord) return 3;
    return token.opens || slice.caseless ? 0 : 1;
  }
  if (word.isOrdinary) return 0;
  if (shape === 'capitals' || shape === 'initial') return -2;
  // A word with an article, or one that also occurs without a capital, is not a name.
  if (slice.caseless) return isDetermined(slice, at) ? -3 : word.kind === 'surname' ? 1 : 0;
  if (isDetermined(slice, at)) return word.isSurname ? 1 : word.isPartOfNames ? 0 : -3;
  if (slice.lowerCase().has(word.folded) || slice.lowerCase().has(word.stem)) return -2;
  if (word.kind === 'place' || word.kind === 'organization') return 0;
  if (word.isSurname || isForeign(slice, token)) return 2;
  return word.isPartOfNames ? 1 : 0;
}

function scoreOfWords(slice: Slice, from: number, to: number): number {
  const tokens = slice.tokens.slice(from, to);
  const first = wordAt(slice, from);
  const last = wordAt(slice, to - 1);
  const isGiven = first.kind === 'given';
  // Names of persons do not look like `Data Protection Officer`, `VIDEO` or `Victoria Line`.
  const isOdd = isGiven
    ? (last.isOrdinary && !last.isPartOfNames) || isTown(slice, from, to)
    : isDetermined(slice, from) ||
      isOneOf(first, BEGINNINGS_OF_PLACES) ||
      tokens.some((token) => isWord(slice, token));
  if (isGiven && !isOdd && !first.isAlsoAWord) return SURE;
  let score = surnameScore(slice, tokens, isGiven);
  if (isGiven) score += first.isAlsoAWord ? 2 : 3;
  else if (!slice.caseless && tokens.some(({ word }) => word.kind === 'given')) score += 1;
  if (tokens.some(({ shape }) => shape === 'initial')) {
    if (hasInitialsOfName(tokens)) score += 2;
    score += score > 0 ? 2 : 1;
  } else if (score > 0) score += 1;
  return isOdd ? score - 2 : score;
}

/** A town with its region in capitals: `MADISON WISCONSIN`. */
function isTown(slice: Slice, from: number, to: number): boolean {
  const { kind, isPartOfNames } = wordAt(slice, to - 1);
  return kind === 'place' && !isPartOfNames && tokenAt(slice, from).shape === 'capitals';
}

/** Whether it is a known ordinary word or occurs nearby without a capital. */
const isWord = ({ lowerCase, caseless }: Slice, { word, shape }: Token): boolean =>
  shape !== 'lower' &&
  shape !== 'initial' &&
  (word.isOrdinary || (!caseless && lowerCase().has(word.folded)));

function surnameScore(slice: Slice, tokens: readonly Token[], isAfterGiven: boolean): number {
  if (tokens.some(({ word }) => word.kind === 'surname')) return 2;
  const last = tokens.at(-1);
  if (slice.caseless || last?.shape !== 'title') return 0;
  const { isSurname, isPartOfNames } = last.word;
  if (isForeign(slice, last) && !isSurname && !isPartOfNames) return isAfterGiven ? 2 : 1;
  if (isNamed(slice, last) || (isAfterGiven && isPartOfNames)) return 2;
  return tokens.some((token) => isNamed(slice, token)) ? 1 : 0;
}

const isNamed = (slice: Slice, token: Token): boolean =>
  token.word.isSurname || isForeign(slice, token) || (token.word.isPartOfNames && !token.word.isOrdinary);

/** `John Q. Public`, `J. R. R. Tolkien`: an initial between two words, or several before the last one. */
function hasInitialsOfName(tokens: readonly Token[]): boolean {
  const shapes = tokens.map(({ shape }) => shape).join(' ');
  return (
    /^(?:title (?:initial )+title|(?:initial ){2,}title)$/.test(shapes) &&
    tokens.every(({ word }) => !word.isOrdinary || word.isPartOfNames || word.folded.length === 1)
  );
}

const isForeign = ({ isPlain }: Slice, { shape, word }: Token): boolean =>
  shape === 'title' && !word.isAscii && isPlain();

const isDetermined = (slice: Slice, at: number): boolean =>
  isOneOf(wordAt(slice, at - 1), DETERMINERS) && tokenAt(slice, at).gap === ' ';

function scoreBefore(slice: Slice, from: number): number {
  const before = wordAt(slice, from - 1);
  const { gap, word } = tokenAt(slice, from);
  let score = 0;
  if (gap === ' ') {
    score = followsTitle(slice, from) ? 3 : worthBefore(before);
    if (score < 0 && word.kind === 'given') score = 0;
    if (score > 2 && slice.caseless) score = 2;
  }
  if (gap === ': ' && singularOf(before).kind === 'role') score += 3;
  if (gap === '. ' && isOneOf(before, AGAINST)) score += 2;
  if (isAfterPhrase(slice, from, BEFORE_PERSON, SAME_CLAUSE)) score += 3;
  else if (isAfterPhrase(slice, from, MAYBE_BEFORE_PERSON, SAME_CLAUSE)) score += 2;
  return isLabelled(slice, from, PERSON_LABELS) ? score + 3 : score;
}

/** The score of one word before a name. */
function worthBefore(word: Word): number {
  if (isOneOf(word, ROLES)) return 3;
  if (isOneOf(word, BEFORE_SOMEWHERE)) return -2;
  if (isOneOf(word, BEFORE_ANYTHING)) return 1;
  if (word.kind === 'role') return 2;
  return FORMER.test(word.folded) ? 3 : 0;
}

function scoreAfter(slice: Slice, from: number, to: number): number {
  const { opens } = tokenAt(slice, from);
  const { end, word: last } = tokenAt(slice, to - 1);
  const { gap, word: next } = tokenAt(slice, to);
  if (last.possessive) return isOneOf(next, OWNED_BY_PERSON) ? 3 : 0;
  let score = referenceScore(slice, to);
  // Direct speech and an address never follow a single space.
  if (gap !== ' ') {
    const after = slice.text.slice(end, end + LONGEST_MAIL);
    if ((opens && SPEECH.test(after)) || MAIL.test(after)) score += 3;
  }
  if (opens && gap === ', ' && isOneOf(next, AFTER_ADDRESSED)) score += 3;
  if (isBeforePhrase(slice, to, AFTER_PERSON)) score += 3;
  else if (isBeforePhrase(slice, to, MAYBE_AFTER_PERSON)) score += 2;
  else if (gap === ' ' && next.isPastTense && !isOneOf(next, AUXILIARY)) score += 1;
  return score;
}

/** Words that refer to a person: `…, our lawyer`, `… is the painter`, `… and she`. */
function referenceScore(slice: Slice, to: number): number {
  const { gap, word: next } = tokenAt(slice, to);
  const mayBeRole = gap === ', ' || isOneOf(next, COPULA);
  let score = 0;
  for (let at = to; at < to + WORDS_TO_PRONOUN; at++) {
    const { opens, word } = tokenAt(slice, at);
    if (opens) break;
    if (mayBeRole && at < to + WORDS_TO_ROLE && isOneOf(singularOf(word), ROLES)) return 2;
    if (isOneOf(word, PRONOUN)) score = 1;
  }
  return score;
}

/** The score of an e-mail address with this name in the text. */
function mailScore({ tokens, mailNames }: Slice, from: number, to: number): number {
  if (mailNames.size === 0) return 0;
  return tokens.slice(from, to).some(({ word }) => mailNames.has(word.folded)) ? 3 : 0;
}
