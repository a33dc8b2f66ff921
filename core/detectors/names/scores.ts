import { stem } from '../../kernel/words.ts';
import {
  AFTER_ORGANIZATION,
  AFTER_PERSON,
  BEFORE_ORGANIZATION,
  BEFORE_PERSON,
  BEFORE_PLACE,
  BEGINNINGS_OF_PLACES,
  COMPANY_FORMS,
  isOrganizationWord,
  MAYBE_AFTER_PERSON,
  MAYBE_BEFORE_PERSON,
  MAYBE_BEFORE_PLACE,
  ORGANIZATION_LABELS,
  OWNED_BY_PERSON,
  PERSON_LABELS,
  PLACE_LABELS,
} from './cues.ts';
import { isAlsoAWord, isOrdinary, kindOf } from './lexicon.ts';
import { isAfterPhrase, isBeforePhrase, type Phrases } from './phrases.ts';
import { followsHonorific, type NameType, type Run } from './runs.ts';
import type { Slice } from './tokens.ts';

/** What one strong sign is worth: a known name, or words that only names follow. */
const ENOUGH = 3;
const SAME_CLAUSE = /^[\s,'"“„«*(-]{1,4}$/;
/** `Name: …`, also with the value in the next line. */
const LABEL = /^[^\S\n]{0,8}[:=?][\s"']{0,12}$/;
/** Opens what somebody says, as in a play or a protocol; the quotation mark may be escaped. */
const SPEECH = /^: {0,2}\\?["“„«]/;

/** What a run names, or null when too little says so. Signs are added up; the highest sum decides. */
export function typeOf(slice: Slice, run: Run): NameType | null {
  const scores = [
    // Of equal sums the first wins: whoever `lives in Victoria` lives in a place.
    ['place', placeScore(slice, run)],
    ['person', personScore(slice, run)],
    ['organization', organizationScore(slice, run)],
  ] as const;
  const [type, score] = scores.reduce((best, each) => (each[1] > best[1] ? each : best));
  return score >= ENOUGH ? type : null;
}

function personScore(slice: Slice, { from, to }: Run): number {
  const { text, tokens, folded } = slice;
  const first = tokens[from];
  const last = tokens[to - 1];
  if (first === undefined || last === undefined || to - from > 5) return 0;
  if (followsHonorific(slice, from)) return 2 * ENOUGH;
  if (isOrdinary(first.folded) && to - from > 1) return 0;
  let score = spellingScore(slice, from, to);
  const before = folded[from - 1] ?? '';
  if (first.gap === ' ' && kindOf(before) === 'role') score += 2;
  if (first.gap === ': ' && kindOf(stem(before)) === 'role') score += 3;
  if (isAfterPhrase(slice, from, BEFORE_PERSON, SAME_CLAUSE)) score += 3;
  else if (isAfterPhrase(slice, from, MAYBE_BEFORE_PERSON, SAME_CLAUSE)) score += 2;
  if (isAfterPhrase(slice, from, PERSON_LABELS, LABEL)) score += 3;
  if (last.possessive) return OWNED_BY_PERSON.has(folded[to] ?? '') ? score + 3 : score;
  if (isBeforePhrase(slice, to, AFTER_PERSON)) score += 3;
  else if (isBeforePhrase(slice, to, MAYBE_AFTER_PERSON)) score += 2;
  if (first.opens && SPEECH.test(text.slice(last.end, last.end + 5))) score += 3;
  return score;
}

/** What the words of a run say of a person by themselves. */
function spellingScore({ tokens, folded, caseless }: Slice, from: number, to: number): number {
  const first = tokens[from];
  const kinds = folded.slice(from, to).map(kindOf);
  const isAlone = kinds.length === 1;
  let score = 0;
  if (kinds[0] === 'given' && isAlsoAWord(first?.folded ?? '')) {
    if (isAlone) score = first?.opens === true || caseless ? 0 : 1;
    else score = kinds[1] === 'ordinary' ? 1 : 2;
  } else if (kinds[0] === 'given') score = 3;
  else if (kinds.includes('given') && !caseless) score = 1;
  if (kinds.includes('surname')) score += isAlone ? 1 : 2;
  // `Data Protection Officer`, `VIDEO`: not how people are written.
  if (kinds[0] !== 'given' && kinds.slice(1).some((kind) => kind === 'ordinary' || kind === 'role'))
    score -= 2;
  if (isAlone && score === 0 && (first?.shape === 'capitals' || first?.shape === 'initial')) score -= 2;
  if (isAlone) return score;
  if (score > 0) score += 1;
  return tokens.slice(from, to).some(({ shape }) => shape === 'initial') ? score + 1 : score;
}

function placeScore(slice: Slice, { from, to }: Run): number {
  const first = slice.folded[from] ?? '';
  if (to - from === 1 && slice.tokens[from]?.shape === 'initial') return 0;
  const isWord = isOrdinary(first);
  let score = !isWord && holds(slice, from, to, 'place') ? 3 : 0;
  const mayBePlace = isWord ? to - from > 1 && BEGINNINGS_OF_PLACES.has(first) : !isAlsoAWord(first);
  if (mayBePlace && isCued(slice, from, BEFORE_PLACE)) score += 3;
  else if (mayBePlace && !slice.caseless && isCued(slice, from, MAYBE_BEFORE_PLACE)) score += 2;
  if (isAfterPhrase(slice, from, PLACE_LABELS, LABEL)) score += 3;
  return to - from > 4 ? score - 2 : score;
}

function organizationScore(slice: Slice, { from, to }: Run): number {
  const first = slice.folded[from] ?? '';
  const last = slice.folded[to - 1] ?? '';
  const isAlone = to - from === 1;
  if (isAlone && isOrganizationWord(first)) return 0;
  let score = holds(slice, from, to, 'organization') ? 3 : 0;
  const isNamedSo = isOrganizationWord(first) || (isOrganizationWord(last) && !isOrdinary(first));
  if (!isAlone && (isNamedSo || COMPANY_FORMS.has(last))) score += 2 * ENOUGH;
  if (isCued(slice, from, BEFORE_ORGANIZATION)) score += 3;
  if (isAfterPhrase(slice, from, ORGANIZATION_LABELS, LABEL)) score += 4;
  return slice.tokens[to - 1]?.possessive !== true && isBeforePhrase(slice, to, AFTER_ORGANIZATION)
    ? score + 3
    : score;
}

/** Without capitals one word such as `in` announces nothing. */
const isCued = (slice: Slice, at: number, cues: Phrases): boolean =>
  isAfterPhrase(slice, at, cues, SAME_CLAUSE, slice.caseless ? 2 : 1);

const holds = ({ folded }: Slice, from: number, to: number, kind: 'place' | 'organization'): boolean =>
  folded.slice(from, to).some((word) => kindOf(word) === kind);
