import {
  AFTER_ORGANIZATION,
  BEFORE_ORGANIZATION,
  BEFORE_PLACE,
  BEGINNINGS_OF_PLACES,
  COMPANY_FORMS,
  MAYBE_BEFORE_PLACE,
  ORGANIZATION_LABELS,
  ORGANIZATION_WORDS,
  PLACE_LABELS,
} from './cues.ts';
import { personScore, SURE } from './person-score.ts';
import { isAfterPhrase, isBeforePhrase, isLabelled } from './phrases.ts';
import type { NameType, Run } from './runs.ts';
import { ENOUGH, SAME_CLAUSE } from './signs.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { isOneOf } from './word.ts';
import type { Phrases } from './word-lists.ts';

/** The type of a run, or null if there are too few signs. Signs add up, and the highest sum wins. */
export function typeOf(slice: Slice, run: Run): NameType | null {
  const place = placeScore(slice, run);
  let person = personScore(slice, run, Math.max(place, ENOUGH - 1));
  if (person >= SURE && person > place) return 'person';
  const organization = organizationScore(slice, run);
  if (organization > person) person = personScore(slice, run, organization);
  // If sums are equal, the first wins: in `lives in Victoria`, Victoria is a place.
  const best = Math.max(place, person, organization);
  if (best < ENOUGH) return null;
  if (best === place) return 'place';
  return best === person ? 'person' : 'organization';
}

function placeScore(slice: Slice, { from, to }: Run): number {
  const { word: first, shape } = tokenAt(slice, from);
  if (to - from === 1 && shape === 'initial') return 0;
  const isWord = first.isOrdinary;
  let score = !isWord && holds(slice, from, to, 'place') ? 3 : 0;
  const mayBePlace = isWord ? to - from > 1 && isOneOf(first, BEGINNINGS_OF_PLACES) : !first.isAlsoAWord;
  if (mayBePlace && isCued(slice, from, BEFORE_PLACE)) score += 3;
  else if (mayBePlace && !slice.caseless && isCued(slice, from, MAYBE_BEFORE_PLACE)) score += 2;
  if (isLabelled(slice, from, PLACE_LABELS)) score += 3;
  return to - from > 4 ? score - 2 : score;
}

function organizationScore(slice: Slice, { from, to }: Run): number {
  const first = wordAt(slice, from);
  const last = wordAt(slice, to - 1);
  const isAlone = to - from === 1;
  if (isAlone && (isOneOf(first, ORGANIZATION_WORDS) || first.isOrdinary)) return 0;
  let score = holds(slice, from, to, 'organization') ? 3 : 0;
  const isNamedSo =
    isOneOf(first, ORGANIZATION_WORDS) || (isOneOf(last, ORGANIZATION_WORDS) && !first.isOrdinary);
  if (!isAlone && (isNamedSo || isOneOf(last, COMPANY_FORMS))) score += 2 * ENOUGH;
  if (isCued(slice, from, BEFORE_ORGANIZATION)) score += 3;
  if (isLabelled(slice, from, ORGANIZATION_LABELS)) score += 4;
  return !last.possessive && isBeforePhrase(slice, to, AFTER_ORGANIZATION) ? score + 3 : score;
}

/** In a text without capitals, a single word such as `in` is not a sign. */
const isCued = (slice: Slice, at: number, cues: Phrases): boolean =>
  isAfterPhrase(slice, at, cues, SAME_CLAUSE, slice.caseless ? 2 : 1);

function holds(slice: Slice, from: number, to: number, kind: 'place' | 'organization'): boolean {
  for (let at = from; at < to; at++) if (wordAt(slice, at).kind === kind) return true;
  return false;
}
