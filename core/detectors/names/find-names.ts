import { asianNames } from './asian-names.ts';
import { CONJUNCTIONS } from './cues.ts';
import { findFields } from './fields.ts';
import { joinedRuns } from './joined-runs.ts';
import { LONGEST_NAME, spellingScore } from './person-score.ts';
import { knownNameAt } from './phrases.ts';
import { followsHonorific, type NameType, type Run, runsOf } from './runs.ts';
import { typeOf } from './scores.ts';
import { firstEndingAfter, merged, overlapping, type Span } from './spans.ts';
import { type Slice, tokenAt, wordAt } from './tokens.ts';
import { isOneOf, type Word } from './word.ts';

export type Names = Readonly<Record<NameType, readonly Span[]>> & {
  /** What may be names of persons. It does not count as found. */
  readonly doubtful: readonly Span[];
};

const LONGEST_LISTED = 3;

/**
 * Finds names of persons, places and organizations in one slice of a text. A name looks like a name and is either
 * known or in a typical position. Names within an address belong to the street.
 * Ascending and disjoint.
 */
export function findNames(slice: Slice, addresses: readonly Span[]): Names {
  const found: Record<NameType, Span[]> = { person: [], place: [], organization: [] };
  const doubtful: Span[] = [];
  const fields = findFields(slice);
  const runs = typedRuns(slice);
  for (const run of runs) {
    const { from, to } = run.type === 'place' ? withoutOrdinaryEnd(slice, run) : run;
    const { start } = tokenAt(slice, from);
    const { end } = tokenAt(slice, to - 1);
    const isTown = run.type !== 'organization' && isAfterAddress(slice.text, addresses, start);
    const type = isTown ? 'place' : run.type;
    if (type === null || isNumbered(slice.text, start, end)) {
      if (mayHoldName(slice, from, to)) doubtful.push({ start, end });
    }
    if (type === null || overlapping(fields, { start, end }) !== undefined) continue;
    if (overlapping(addresses, { start, end }) !== undefined || isCorner(slice.text, addresses, end))
      continue;
    if (type === 'place' || !isNumbered(slice.text, start, end)) found[type].push({ start, end });
  }
  const headings = namesInHeadings(slice, runs);
  for (const { full } of headings) {
    if (full !== null && overlapping(addresses, full) === undefined) found.person.push(full);
  }
  return {
    person: merged([...found.person, ...fields, ...asianNames(slice)]),
    place: merged(found.place),
    organization: merged(found.organization),
    doubtful: [...doubtful, ...headings],
  };
}

/**
 * Known names in lines of capitals, which are no runs because they look like headings, with the words beside them that
 * may belong to them: `ANNA NOWAK, PIOTR KOWALSKI`.
 */
function namesInHeadings(slice: Slice, runs: readonly Run[]): (Span & { full: Span | null })[] {
  const spans: (Span & { full: Span | null })[] = [];
  const isBeside = (at: number) => {
    const { shape, word } = tokenAt(slice, at);
    return (shape === 'capitals' || shape === 'initial') && !word.isStopWord;
  };
  const mayBelong = ({ isOrdinary, isPartOfNames }: Word) => !isOrdinary || isPartOfNames;
  let next = 0;
  for (let at = 0; at < slice.tokens.length; at++) {
    while ((runs[next]?.to ?? Number.POSITIVE_INFINITY) <= at) next++;
    const isInRun = (runs[next]?.from ?? Number.POSITIVE_INFINITY) <= at;
    const { shape, word } = tokenAt(slice, at);
    if (isInRun || shape !== 'capitals' || !isKnownName(word)) continue;
    const limit = Math.min(slice.tokens.length, runs[next]?.from ?? slice.tokens.length);
    let from = at;
    while (from > 0 && isOfLine(slice, from) && isBeside(from - 1) && mayBelong(wordAt(slice, from - 1)))
      from -= 1;
    let to = at + 1;
    while (to < limit && isOfLine(slice, to) && isBeside(to) && mayBelong(wordAt(slice, to))) to += 1;
    const { end } = tokenAt(slice, to - 1);
    const first = fullNameIn(slice, from, to);
    const full = first === null ? null : { start: tokenAt(slice, first).start, end };
    spans.push({ start: tokenAt(slice, from).start, end, full });
    at = to - 1;
  }
  return spans;
}

/**
 * Where a full name begins in words of capitals that end at `to`: at a known given name, if the last word is known from
 * surnames and not as an ordinary word, as in `BETWEEN ANNA NOWAK AND`. Null if there is none.
 */
function fullNameIn(slice: Slice, from: number, to: number): number | null {
  let first = from;
  while (first < to && !isGivenOnly(wordAt(slice, first))) first += 1;
  const last = wordAt(slice, to - 1);
  if (to - first < 2 || to - first > LONGEST_LISTED) return null;
  const isSurname = (last.isSurname || last.isPartOfNames) && last.kind !== 'given';
  return isSurname && (!last.isOrdinary || followsHonorific(slice, first)) ? first : null;
}

const isGivenOnly = (word: Word): boolean => word.kind === 'given' && !word.isAlsoAWord;

const isOfLine = (slice: Slice, at: number): boolean => /^(?:[ \u00a0-]|\. )$/.test(tokenAt(slice, at).gap);

const isKnownName = (word: Word): boolean => isGivenOnly(word) || word.kind === 'surname';

/**
 * Whether words that are no name as a whole may hold one: a word that is known from names and as nothing else, or more
 * words than a name has, which not all are ordinary, as of names that only spaces separate.
 */
function mayHoldName(slice: Slice, from: number, to: number): boolean {
  const words = slice.tokens.slice(from, to).map(({ word }) => word);
  return words.some(
    (word) => isKnownName(word) || (to - from > LONGEST_NAME && !word.isOrdinary && !word.isStopWord),
  );
}

function typedRuns(slice: Slice): readonly Run[] {
  const runs = joinedRuns(slice, runsOf(slice));
  for (const run of runs) run.type ??= typeOf(slice, run);
  if (runs.length < 2 || runs.every(({ type }) => type !== null)) return runs;
  for (let i = 1; i < runs.length; i++) typePair(slice, runs[i - 1], runs[i]);
  for (let i = 1; i < runs.length; i++) spread(slice, runs[i - 1], runs[i]);
  for (let i = runs.length - 1; i > 0; i--) spread(slice, runs[i], runs[i - 1]);
  typeRepeated(slice, runs);
  return runs;
}

/** `Nowak and Silva`: two surnames joined like this are two persons, although each alone is ambiguous. */
function typePair(slice: Slice, left: Run | undefined, right: Run | undefined): void {
  if (left?.type !== null || right?.type !== null || slice.caseless) return;
  if (!isListed(slice, left.to, right.from)) return;
  const scores = [left, right].map(({ from, to }) => (to - from === 1 ? spellingScore(slice, from, to) : 0));
  if (Math.min(...scores) > 0 && Math.max(...scores) > 1) left.type = right.type = 'person';
}

/**
 * A person who is named in full or with a title once can be named by one word elsewhere, in German also in the
 * genitive: `Nowaks Antrag`.
 */
function typeRepeated(slice: Slice, runs: readonly Run[]): void {
  const known = new Set<string>();
  const note = ({ folded, isOrdinary }: Word) => isOrdinary || known.add(folded).add(`${folded}s`);
  for (const { from, to, type } of runs) {
    if (type !== 'person') continue;
    const first = wordAt(slice, from);
    const isGiven = first.kind === 'given';
    if (to - from > 1 && isGiven) known.add(first.folded);
    if (to - from > 1 ? isGiven : followsHonorific(slice, from)) note(wordAt(slice, to - 1));
  }
  if (known.size === 0) return;
  for (const run of runs) {
    if (run.type === null && run.to - run.from === 1 && known.has(wordAt(slice, run.from).folded))
      run.type = 'person';
  }
}

/** `Ann, X and Y`: names listed beside a person or an organization are of the same type. */
function spread(slice: Slice, beside: Run | undefined, run: Run | undefined): void {
  if (run?.type !== null || beside === undefined || beside.type === 'place') return;
  const [left, right] = run.from < beside.from ? [run, beside] : [beside, run];
  if (run.to - run.from <= LONGEST_LISTED && isListed(slice, left.to, right.from)) run.type = beside.type;
}

/** Whether only a comma or a word such as `and` separates two names. */
function isListed(slice: Slice, leftEnd: number, rightStart: number): boolean {
  const { gap } = tokenAt(slice, rightStart);
  if (rightStart === leftEnd) return gap === ', ';
  if (rightStart !== leftEnd + 1 || gap !== ' ') return false;
  const between = tokenAt(slice, leftEnd);
  return isOneOf(between.word, CONJUNCTIONS) && /^,? $/.test(between.gap);
}

/** In the position of a town, `Vary Country Club` is reduced to `Vary`. */
function withoutOrdinaryEnd(slice: Slice, run: Run): Run {
  let to = run.from + 1;
  while (to < run.to && !wordAt(slice, to).isOrdinary) to += 1;
  return to >= run.to || knownNameAt(slice, run.from, run.to) !== null ? run : { ...run, to };
}

/** `12 Main Street, Springfield` */
const isAfterAddress = (text: string, addresses: readonly Span[], start: number): boolean =>
  text.slice(start - 2, start) === ', ' && firstEndingAfter(addresses, start - 3)?.end === start - 2;

/** `Greta and 15 Oak Lane`: the first name is a street without a number. */
const isCorner = (text: string, addresses: readonly Span[], end: number): boolean =>
  text.startsWith(' and ', end) &&
  (firstEndingAfter(addresses, end)?.start ?? Number.POSITIVE_INFINITY) <= end + 5;

/** Whether a house number precedes or follows. */
const isNumbered = (text: string, start: number, end: number): boolean =>
  /\d[A-Za-z]? $/.test(text.slice(Math.max(0, start - 3), start)) || /^ \d/.test(text.slice(end, end + 2));
