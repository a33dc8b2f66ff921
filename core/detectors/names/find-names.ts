import { CONJUNCTIONS } from './cues.ts';
import { findFields } from './fields.ts';
import { joinedRuns } from './joined-runs.ts';
import { isOrdinary, kindOf, phraseAt } from './lexicon.ts';
import { spellingScore } from './person-score.ts';
import { type NameType, type Run, runsOf } from './runs.ts';
import { typeOf } from './scores.ts';
import { firstEndingAfter, merged, overlapping, type Span } from './spans.ts';
import type { Slice } from './tokens.ts';

export type Names = Readonly<Record<NameType, readonly Span[]>>;

const LONGEST_LISTED = 3;

/**
 * The names of people, places and organizations in one slice of a text: words that are written as names and are known, or
 * stand where names stand. What is part of an address is the name of a street. Ascending and disjoint.
 */
export function findNames(slice: Slice, addresses: readonly Span[]): Names {
  const found: Record<NameType, Span[]> = { person: [], place: [], organization: [] };
  const fields = findFields(slice);
  for (const run of typedRuns(slice)) {
    const { from, to } = run.type === 'place' ? withoutOrdinaryEnd(slice, run) : run;
    const start = slice.tokens[from]?.start;
    const end = slice.tokens[to - 1]?.end;
    if (start === undefined || end === undefined) continue;
    const isTown = run.type !== 'organization' && isAfterAddress(slice.text, addresses, start);
    const type = isTown ? 'place' : run.type;
    if (type === null || overlapping(fields, { start, end }) !== undefined) continue;
    if (overlapping(addresses, { start, end }) !== undefined || isCorner(slice.text, addresses, end))
      continue;
    if (type === 'place' || !isNumbered(slice.text, start, end)) found[type].push({ start, end });
  }
  return { ...found, person: merged([...found.person, ...fields]) };
}

function typedRuns(slice: Slice): Run[] {
  const runs = joinedRuns(slice, runsOf(slice));
  for (const run of runs) run.type ??= typeOf(slice, run);
  if (runs.length < 2 || runs.every(({ type }) => type !== null)) return runs;
  for (const [i, run] of runs.entries()) typePair(slice, run, runs[i + 1]);
  spreadOverLists(slice, runs);
  spreadOverLists(slice, runs.toReversed());
  typeRepeated(slice, runs);
  return runs;
}

/** `Nowak and Silva`: two surnames in a row are two people, though one alone might be anything. */
function typePair(slice: Slice, left: Run, right: Run | undefined): void {
  if (right === undefined || left.type !== null || right.type !== null || slice.caseless) return;
  if (!isListed(slice, left.to, right.from)) return;
  const scores = [left, right].map(({ from, to }) => (to - from === 1 ? spellingScore(slice, from, to) : 0));
  if (Math.min(...scores) > 0 && Math.max(...scores) > 1) left.type = right.type = 'person';
}

/** Who was named in full is named by one word elsewhere. */
function typeRepeated({ folded }: Slice, runs: readonly Run[]): void {
  const known = new Set<string>();
  for (const { from, to, type } of runs) {
    if (type === 'person' && to - from > 1 && kindOf(folded[from] ?? '') === 'given')
      known.add(folded[from] ?? '').add(folded[to - 1] ?? '');
  }
  for (const run of runs) {
    if (run.type === null && run.to - run.from === 1 && known.has(folded[run.from] ?? ''))
      run.type = 'person';
  }
}

/** `Ann, X and Y`: what stands in a row with a person or an organization is one as well. */
function spreadOverLists(slice: Slice, runs: readonly Run[]): void {
  for (const [i, run] of runs.entries()) {
    const beside = runs[i - 1];
    if (run.type !== null || beside === undefined || beside.type === 'place') continue;
    const [left, right] = run.from < beside.from ? [run, beside] : [beside, run];
    if (run.to - run.from <= LONGEST_LISTED && isListed(slice, left.to, right.from)) run.type = beside.type;
  }
}

/** Only a comma, or a word such as `and`, stands between two names. */
function isListed({ tokens }: Slice, leftEnd: number, rightStart: number): boolean {
  const gap = tokens[rightStart]?.gap ?? '';
  if (rightStart === leftEnd) return gap === ', ';
  const between = tokens[leftEnd];
  return (
    rightStart === leftEnd + 1 &&
    gap === ' ' &&
    CONJUNCTIONS.has(between?.folded ?? '') &&
    /^,? $/.test(between?.gap ?? '')
  );
}

/** `Vary Country Club` in the place of a town is the town. */
function withoutOrdinaryEnd({ folded }: Slice, run: Run): Run {
  const words = folded.slice(run.from, run.to);
  const ordinary = words.findIndex((word, at) => at > 0 && isOrdinary(word));
  return ordinary === -1 || phraseAt(words, 0) !== null ? run : { ...run, to: run.from + ordinary };
}

/** `12 Main Street, Springfield` */
const isAfterAddress = (text: string, addresses: readonly Span[], start: number): boolean =>
  text.slice(start - 2, start) === ', ' && firstEndingAfter(addresses, start - 3)?.end === start - 2;

/** `Greta and 15 Oak Lane`: a street without its number. */
const isCorner = (text: string, addresses: readonly Span[], end: number): boolean =>
  text.startsWith(' and ', end) &&
  (firstEndingAfter(addresses, end)?.start ?? Number.POSITIVE_INFINITY) <= end + 5;

/** A number stands beside it as in a street. */
const isNumbered = (text: string, start: number, end: number): boolean =>
  /\d[A-Za-z]? $/.test(text.slice(Math.max(0, start - 3), start)) || /^ \d/.test(text.slice(end, end + 2));
