import { stem } from '../../kernel/words.ts';
import {
  AFTER_ADDRESSED,
  AFTER_PERSON,
  BEFORE_ANYTHING,
  BEFORE_PERSON,
  BEFORE_SOMEWHERE,
  BEGINNINGS_OF_PLACES,
  DETERMINERS,
  isOrganizationWord,
  MAYBE_AFTER_PERSON,
  MAYBE_BEFORE_PERSON,
  OWNED_BY_PERSON,
  PARTICLES,
  PERSON_LABELS,
  ROLES,
  THINGS,
} from './cues.ts';
import { isAlsoAWord, isOrdinary, isPartOfNames, isPastTense, isSurname, kindOf } from './lexicon.ts';
import { isAfterPhrase, isBeforePhrase, isLabelled, wordSet } from './phrases.ts';
import { followsHonorific, followsTitle, type Run } from './runs.ts';
import { ENOUGH, SAME_CLAUSE } from './signs.ts';
import { BEYOND_ASCII, type Slice, type Token } from './tokens.ts';

const LONGEST_NAME = 6;
/** What a given name that is no word, and words beside it, are worth. */
export const SURE = 5;
/** Words after a name among which one may say who that is, and further on a pronoun may refer to it. */
const WORDS_TO_ROLE = 4;
const WORDS_TO_PRONOUN = 9;
/** Opens what somebody says, as in a play or a protocol; the quotation mark may be escaped. */
const SPEECH = /^: {0,2}\\?["“„«]/;
/** What one word before a name is worth. */
const WORDS_BEFORE: ReadonlyMap<string, number> = new Map([
  ...[...BEFORE_ANYTHING].map((word) => [word, 1] as const),
  ...[...BEFORE_SOMEWHERE].map((word) => [word, -2] as const),
  ...[...ROLES].map((word) => [word, 3] as const),
]);
/** `Anna Nowak <anna@…>` */
const MAIL = /^["'”]? {0,2}<[^<>@\s]{1,64}@/;
const LONGEST_MAIL = 72;
const AGAINST = /^vs?$/;
const AUXILIARY = wordSet('was, were, had, did, been');
const COPULA = wordSet(
  'is, was, are, were, am, ist, war, sind, est, sont, es, era, son, sono, e, foi, och, are, jest',
);
const PRONOUN = wordSet('he, she, him, his, her, himself, herself');
const FORMER = /^ex-\p{L}/u;

/**
 * How much says that a run names a person: what its words are, and what stands around them. What would only add to a score
 * above `rival` is left out.
 */
export function personScore(slice: Slice, { from, to }: Run, rival: number): number {
  const word = firstWord(slice, from, to);
  const first = slice.tokens[word];
  const last = slice.tokens[to - 1];
  if (first === undefined || last === undefined || to - from > LONGEST_NAME) return 0;
  if (followsHonorific(slice, from)) return 2 * ENOUGH;
  if (to - word > 1 && isThing(first, last)) return 0;
  let score = spellingScore(slice, word, to);
  // No word before a given name speaks against it.
  if (score <= rival || kindOf(first.folded) !== 'given') score += scoreBefore(slice, from);
  if (score <= rival) score += scoreAfter(slice, from, to, last);
  if (score <= rival) score += mailScore(slice, word, to);
  return score;
}

/** `de Vries` begins with a particle, which says nothing. */
function firstWord({ folded }: Slice, from: number, to: number): number {
  let at = from;
  while (at < to - 1 && PARTICLES.has(folded[at] ?? '')) at += 1;
  return at;
}

const isThing = (first: Token, last: Token): boolean =>
  THINGS.has(last.folded) ||
  isOrganizationWord(last.folded) ||
  (isOrdinary(first.folded) && !(isPartOfNames(first.folded) && isSurname(last.folded)));

/** What the words of a run say of a person by themselves. */
export function spellingScore(slice: Slice, from: number, to: number): number {
  return to - from === 1 ? scoreOfWord(slice, from) : scoreOfWords(slice, from, to);
}

function scoreOfWord(slice: Slice, at: number): number {
  const token = slice.tokens[at];
  if (token === undefined) return 0;
  const { folded, shape } = token;
  if (kindOf(folded) === 'given') {
    if (!isAlsoAWord(folded)) return 3;
    return token.opens || slice.caseless ? 0 : 1;
  }
  if (isOrdinary(folded)) return 0;
  if (shape === 'capitals' || shape === 'initial') return -2;
  // Written as a word nearby, or with an article: whatever it is, it is no name.
  if (slice.caseless) return isDetermined(slice, at) ? -3 : kindOf(folded) === 'surname' ? 1 : 0;
  if (isDetermined(slice, at)) return isSurname(folded) ? 1 : isPartOfNames(folded) ? 0 : -3;
  if (slice.lowerCase().has(folded) || slice.lowerCase().has(stem(folded))) return -2;
  if (kindOf(folded) === 'place' || kindOf(folded) === 'organization') return 0;
  if (isSurname(folded) || isForeign(slice, token)) return 2;
  return isPartOfNames(folded) ? 1 : 0;
}

function scoreOfWords(slice: Slice, from: number, to: number): number {
  const words = slice.tokens.slice(from, to);
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const isGiven = kindOf(first.folded) === 'given';
  // `Data Protection Officer`, `VIDEO`, `Victoria Line`: not how people are written.
  const isOdd = isGiven
    ? isOrdinary(last.folded) && !isPartOfNames(last.folded)
    : isDetermined(slice, from) ||
      BEGINNINGS_OF_PLACES.has(first.folded) ||
      words.some((word) => isWord(slice, word));
  if (isGiven && !isOdd && !isAlsoAWord(first.folded)) return SURE;
  let score = surnameScore(slice, words, isGiven);
  if (isGiven) score += isAlsoAWord(first.folded) ? 2 : 3;
  else if (!slice.caseless && words.some(({ folded }) => kindOf(folded) === 'given')) score += 1;
  if (hasInitialsOfName(words)) score += 2;
  if (score > 0) score += 1;
  if (words.some(({ shape }) => shape === 'initial')) score += 1;
  return isOdd ? score - 2 : score;
}

/** Known as an ordinary word, or written as one nearby. */
const isWord = ({ lowerCase, caseless }: Slice, { folded, shape }: Token): boolean =>
  shape !== 'lower' && shape !== 'initial' && (isOrdinary(folded) || (!caseless && lowerCase().has(folded)));

function surnameScore(slice: Slice, words: readonly Token[], isAfterGiven: boolean): number {
  if (words.some(({ folded }) => kindOf(folded) === 'surname')) return 2;
  const last = words.at(-1);
  if (slice.caseless || last?.shape !== 'title') return 0;
  const isNamed = (word: Token) =>
    isSurname(word.folded) ||
    isForeign(slice, word) ||
    (isPartOfNames(word.folded) && !isOrdinary(word.folded));
  if (isForeign(slice, last) && !isSurname(last.folded) && !isPartOfNames(last.folded))
    return isAfterGiven ? 2 : 1;
  if (isNamed(last) || (isAfterGiven && isPartOfNames(last.folded))) return 2;
  return words.some(isNamed) ? 1 : 0;
}

/** `John Q. Public`, `J. R. R. Tolkien`: an initial between two words, or several before the last. */
function hasInitialsOfName(tokens: readonly Token[]): boolean {
  const shapes = tokens.map(({ shape }) => shape).join(' ');
  return (
    /^(?:title (?:initial )+title|(?:initial ){2,}title)$/.test(shapes) &&
    tokens.every(({ folded }) => !isOrdinary(folded) || isPartOfNames(folded) || folded.length === 1)
  );
}

const isForeign = ({ text, isPlain }: Slice, { start, end, shape }: Token): boolean =>
  shape === 'title' && BEYOND_ASCII.test(text.slice(start, end)) && isPlain();

const isDetermined = ({ tokens, folded }: Slice, at: number): boolean =>
  tokens[at]?.gap === ' ' && DETERMINERS.has(folded[at - 1] ?? '');

function scoreBefore(slice: Slice, from: number): number {
  const before = slice.folded[from - 1] ?? '';
  const gap = slice.tokens[from]?.gap ?? '';
  let score = 0;
  if (gap === ' ') {
    if (followsTitle(slice, from)) score = 3;
    else score = WORDS_BEFORE.get(before) ?? (kindOf(before) === 'role' ? 2 : FORMER.test(before) ? 3 : 0);
    if (score < 0 && kindOf(slice.folded[from] ?? '') === 'given') score = 0;
    if (score > 2 && slice.caseless) score = 2;
  }
  if (gap === ': ' && kindOf(stem(before)) === 'role') score += 3;
  if (gap === '. ' && AGAINST.test(before)) score += 2;
  if (isAfterPhrase(slice, from, BEFORE_PERSON, SAME_CLAUSE)) score += 3;
  else if (isAfterPhrase(slice, from, MAYBE_BEFORE_PERSON, SAME_CLAUSE)) score += 2;
  return isLabelled(slice, from, PERSON_LABELS) ? score + 3 : score;
}

function scoreAfter(slice: Slice, from: number, to: number, last: Token): number {
  const { text, tokens, folded } = slice;
  if (last.possessive) return OWNED_BY_PERSON.has(folded[to] ?? '') ? 3 : 0;
  const opens = tokens[from]?.opens === true;
  const after = text.slice(last.end, last.end + LONGEST_MAIL);
  let score = referenceScore(slice, to);
  if ((opens && SPEECH.test(after)) || MAIL.test(after)) score += 3;
  if (opens && tokens[to]?.gap === ', ' && AFTER_ADDRESSED.has(folded[to] ?? '')) score += 3;
  if (isBeforePhrase(slice, to, AFTER_PERSON)) score += 3;
  else if (isBeforePhrase(slice, to, MAYBE_AFTER_PERSON)) score += 2;
  else if (tokens[to]?.gap === ' ' && isPastTense(folded[to] ?? '') && !AUXILIARY.has(folded[to] ?? ''))
    score += 1;
  return score;
}

/** `…, our lawyer`, `… is the painter`, `… and she`: what follows in the sentence speaks of a person. */
function referenceScore({ tokens, folded }: Slice, to: number): number {
  const isCopula = COPULA.has(folded[to] ?? '');
  let score = 0;
  for (let at = to; at < to + WORDS_TO_PRONOUN && tokens[at]?.opens === false; at++) {
    const word = folded[at] ?? '';
    const mayBeRole = at < to + WORDS_TO_ROLE && (isCopula || tokens[to]?.gap === ', ');
    if (mayBeRole && ROLES.has(stem(word))) return 2;
    if (PRONOUN.has(word)) score = 1;
  }
  return score;
}

/** An e-mail address in the text is of that name. */
function mailScore({ folded, mailNames }: Slice, from: number, to: number): number {
  return mailNames.size > 0 && folded.slice(from, to).some((word) => mailNames.has(word)) ? 3 : 0;
}
