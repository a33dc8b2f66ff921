import {
  AFTER_ORGANIZATION,
  BEFORE_ORGANIZATION,
  COMPANY_FORMS,
  CONJUNCTIONS,
  DEEDS_OF_FIRMS,
  FIRM_TAILS,
  LAW_FIRMS,
  ONE_PERSON_LABELS,
  PERSON_LABELS,
} from './cues.ts';
import { isAfterPhrase, isBeforePhrase, isLabelled } from './phrases.ts';
import type { Run } from './runs.ts';
import { SAME_CLAUSE } from './signs.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { isOneOf } from './word.ts';

const AMPERSAND = /^ ?[&+] ?$/;
const MAX_PARTNERS = 5;
const LEAST_LISTED = 3;
/** What follows a name that begins with the surname. */
const VALUE_END = /^(?:\.?(?:[\r\n\t;|<()/]| {2}|$)| [<(|;–-])/;

/** Joins runs that are one name together: `Nowak, Anna`, and firms that are named after their partners. */
export function joinedRuns(slice: Slice, runs: readonly Run[]): readonly Run[] {
  if (runs.every(({ to }) => linkAfter(slice, to) === null)) return runs;
  const joined: Run[] = [];
  for (let i = 0; i < runs.length; ) {
    const { run, count } = firmAt(slice, runs, i) ?? invertedAt(slice, runs, i) ?? { run: runs[i], count: 1 };
    if (run !== undefined) joined.push(run);
    i += count;
  }
  return joined;
}

type Joined = { run: Run; count: number };

/** `NOWAK, ANNA` or `Smith, John A.` in a field or line of its own. */
function invertedAt(slice: Slice, runs: readonly Run[], i: number): Joined | null {
  const [surname, given] = [runs[i], runs[i + 1]];
  if (surname === undefined || given === undefined || surname.type !== null || given.type !== null)
    return null;
  const [first, second] = [tokenAt(slice, surname.from), tokenAt(slice, given.from)];
  if (given.from !== surname.to || second.gap !== ', ' || surname.to - surname.from > 3) return null;
  const hasLabel = isLabelled(slice, surname.from, PERSON_LABELS);
  if (!hasLabel && !first.opens) return null;
  const isGiven = second.word.kind === 'given';
  const isSurname = first.word.kind !== 'given' && first.word.kind !== 'place';
  const { end } = tokenAt(slice, given.to - 1);
  const isWhole = VALUE_END.test(slice.text.slice(end, end + 3));
  const areCapitals = first.shape === 'capitals' && second.shape === 'capitals';
  const isOne = (hasLabel && areCapitals) || isLabelled(slice, surname.from, ONE_PERSON_LABELS);
  if (!isWhole || !(isSurname && (isGiven || isOne))) return null;
  return { run: { from: surname.from, to: given.to, type: 'person' }, count: 2 };
}

/** `Smith & Sons`, `Jones, Baker & Partners LLP`, `the law firm of Smith and Jones`. */
function firmAt(slice: Slice, runs: readonly Run[], i: number): Joined | null {
  const first = runs[i];
  if (first === undefined || first.type !== null || linkAfter(slice, first.to) === null) return null;
  let to = first.to;
  let count = 1;
  let hasAmpersand = false;
  let hasTail = false;
  while (count <= MAX_PARTNERS) {
    const link = linkAfter(slice, to);
    if (link === null) break;
    const next = runs[i + count];
    const { word, shape } = tokenAt(slice, link.at);
    if (isOneOf(word, FIRM_TAILS) && shape === 'title' && link.kind !== ',') {
      hasTail = true;
      to = link.at + 1;
      while (next !== undefined && (runs[i + count]?.from ?? Number.POSITIVE_INFINITY) < to) count += 1;
      break;
    }
    if (next === undefined || next.from !== link.at || next.type !== null) break;
    hasAmpersand ||= link.kind === '&';
    to = next.to;
    count += 1;
    if (link.kind !== ',') break;
  }
  if (count === 1 && !hasTail) return null;
  while (isCompanyForm(slice, to)) to += 1;
  const partners = runs.slice(i, i + count);
  const isList = count >= LEAST_LISTED && partners.every((run) => run.to - run.from === 1);
  const isFirm =
    hasTail ||
    (hasAmpersand && !partners.some(({ from }) => wordAt(slice, from).kind === 'given')) ||
    isAfterPhrase(slice, first.from, LAW_FIRMS, SAME_CLAUSE) ||
    (isList &&
      (isBeforePhrase(slice, to, AFTER_ORGANIZATION) ||
        isBeforePhrase(slice, to, DEEDS_OF_FIRMS) ||
        isAfterPhrase(slice, first.from, BEFORE_ORGANIZATION, SAME_CLAUSE)));
  return isFirm ? { run: { from: first.from, to, type: 'organization' }, count } : null;
}

function isCompanyForm(slice: Slice, at: number): boolean {
  const { word, shape, gap } = tokenAt(slice, at);
  return isOneOf(word, COMPANY_FORMS) && shape !== 'lower' && /^,? $/.test(gap);
}

/** What joins the word at `to` to the word before: a comma, an ampersand, or a word such as `and`. */
function linkAfter(slice: Slice, to: number): { kind: ',' | '&' | 'and'; at: number } | null {
  const { gap, word } = tokenAt(slice, to);
  if (gap === ', ') return { kind: ',', at: to };
  if (gap !== ' ') return AMPERSAND.test(gap) ? { kind: '&', at: to } : null;
  const isAnd = isOneOf(word, CONJUNCTIONS) && tokenAt(slice, to + 1).gap === ' ';
  return isAnd ? { kind: 'and', at: to + 1 } : null;
}
