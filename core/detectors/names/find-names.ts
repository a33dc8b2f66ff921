import { isOrdinary, phraseAt } from './lexicon.ts';
import { type NameType, type Run, runsOf } from './runs.ts';
import { typeOf } from './scores.ts';
import { firstEndingAfter, overlapping, type Span } from './spans.ts';
import type { Slice } from './tokens.ts';

export type Names = Readonly<Record<NameType, readonly Span[]>>;

const LONGEST_LISTED = 3;
const AND = /^(?:and|und|et|y|e|en|i|or)$/;

/**
 * The names of people, places and organizations in one slice of a text: words that are written as names and are known, or
 * stand where names stand. What is part of an address is the name of a street. Ascending and disjoint.
 */
export function findNames(slice: Slice, addresses: readonly Span[]): Names {
  const found: Record<NameType, Span[]> = { person: [], place: [], organization: [] };
  for (const run of typedRuns(slice)) {
    const { from, to } = run.type === 'place' ? withoutOrdinaryEnd(slice, run) : run;
    const start = slice.tokens[from]?.start;
    const end = slice.tokens[to - 1]?.end;
    if (start === undefined || end === undefined) continue;
    const type = run.type ?? (isAfterAddress(slice.text, addresses, start) ? 'place' : null);
    if (type === null || overlapping(addresses, { start, end }) !== undefined) continue;
    if (type === 'place' || !isNumbered(slice.text, start, end)) found[type].push({ start, end });
  }
  return found;
}

function typedRuns(slice: Slice): Run[] {
  const runs = runsOf(slice);
  for (const run of runs) run.type ??= typeOf(slice, run);
  spreadOverLists(slice, runs);
  spreadOverLists(slice, runs.toReversed());
  return runs;
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
    AND.test(between?.folded ?? '') &&
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

/** A number stands beside it as in a street. */
const isNumbered = (text: string, start: number, end: number): boolean =>
  /\d[A-Za-z]? $/.test(text.slice(Math.max(0, start - 3), start)) || /^ \d/.test(text.slice(end, end + 2));
