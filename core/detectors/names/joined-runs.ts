import {
  AFTER_ORGANIZATION,
  BEFORE_ORGANIZATION,
  COMPANY_FORMS,
  CONJUNCTIONS,
  FIRM_TAILS,
  LAW_FIRMS,
  ONE_PERSON_LABELS,
  PERSON_LABELS,
} from './cues.ts';
import { kindOf } from './lexicon.ts';
import { isAfterPhrase, isBeforePhrase, isLabelled } from './phrases.ts';
import type { Run } from './runs.ts';
import { SAME_CLAUSE } from './signs.ts';
import type { Slice } from './tokens.ts';

const AMPERSAND = /^ ?[&+] ?$/;
const MOST_PARTNERS = 5;
const LEAST_LISTED = 3;
/** What ends a name of which the surname stands first. */
const VALUE_END = /^(?:\.?(?:[\r\n\t;|<()/]| {2}|$)| [<(|;–-])/;

/** Runs that are one name together: `Nowak, Anna`, and firms that are named after their partners. */
export function joinedRuns(slice: Slice, runs: readonly Run[]): Run[] {
  if (runs.every(({ to }) => linkAfter(slice, to) === null)) return [...runs];
  const joined: Run[] = [];
  for (let i = 0; i < runs.length; ) {
    const { run, count } = firmAt(slice, runs, i) ?? invertedAt(slice, runs, i) ?? { run: runs[i], count: 1 };
    if (run !== undefined) joined.push(run);
    i += count;
  }
  return joined;
}

type Joined = { run: Run; count: number };

/** `NOWAK, ANNA`, `Smith, John A.`: in a field or line of its own. */
function invertedAt(slice: Slice, runs: readonly Run[], i: number): Joined | null {
  const [surname, given] = [runs[i], runs[i + 1]];
  if (surname === undefined || given === undefined || surname.type !== null || given.type !== null)
    return null;
  const { text, tokens, folded } = slice;
  if (given.from !== surname.to || tokens[given.from]?.gap !== ', ' || surname.to - surname.from > 3)
    return null;
  const hasLabel = isLabelled(slice, surname.from, PERSON_LABELS);
  if (!hasLabel && tokens[surname.from]?.opens !== true) return null;
  const isGiven = kindOf(folded[given.from] ?? '') === 'given';
  const isSurname = !['given', 'place'].includes(kindOf(folded[surname.from] ?? '') ?? '');
  const end = tokens[given.to - 1]?.end ?? 0;
  const isWhole = VALUE_END.test(text.slice(end, end + 3));
  const areCapitals = [surname.from, given.from].every((at) => tokens[at]?.shape === 'capitals');
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
  while (count <= MOST_PARTNERS) {
    const link = linkAfter(slice, to);
    if (link === null) break;
    const next = runs[i + count];
    const tail = FIRM_TAILS.has(slice.folded[link.at] ?? '') && slice.tokens[link.at]?.shape === 'title';
    if (tail && link.kind !== ',') {
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
  while (
    /^,? $/.test(slice.tokens[to]?.gap ?? '') &&
    COMPANY_FORMS.has(slice.folded[to] ?? '') &&
    slice.tokens[to]?.shape !== 'lower'
  )
    to += 1;
  const partners = runs.slice(i, i + count);
  const isList = count >= LEAST_LISTED && partners.every((run) => run.to - run.from === 1);
  const isFirm =
    hasTail ||
    (hasAmpersand && !partners.some((run) => isGivenName(slice, run))) ||
    isAfterPhrase(slice, first.from, LAW_FIRMS, SAME_CLAUSE) ||
    (isList &&
      (isBeforePhrase(slice, to, AFTER_ORGANIZATION) ||
        isAfterPhrase(slice, first.from, BEFORE_ORGANIZATION, SAME_CLAUSE)));
  return isFirm ? { run: { from: first.from, to, type: 'organization' }, count } : null;
}

/** What joins the word at `to` to the words before: a comma, an ampersand, or a word such as `and`. */
function linkAfter({ tokens, folded }: Slice, to: number): { kind: ',' | '&' | 'and'; at: number } | null {
  const gap = tokens[to]?.gap ?? '';
  if (gap === ', ') return { kind: ',', at: to };
  if (AMPERSAND.test(gap)) return { kind: '&', at: to };
  const isAnd = gap === ' ' && CONJUNCTIONS.has(folded[to] ?? '') && tokens[to + 1]?.gap === ' ';
  return isAnd ? { kind: 'and', at: to + 1 } : null;
}

const isGivenName = ({ folded }: Slice, run: Run): boolean => kindOf(folded[run.from] ?? '') === 'given';
