import type { FileInside } from '../kernel/about-text.ts';
import { UNSPACED } from './checks/token.ts';
import type { Detector, DetectorFamily } from './detector.ts';
import type { Found } from './engine/found.ts';

/** Characters that stay readable at each end of an identifier. Never more than a quarter of it. */
const READABLE: Readonly<Record<DetectorFamily, number>> = {
  payment: 4,
  bank: 4,
  national_id: 2,
  tax_id: 2,
  crypto: 4,
  vehicle: 3,
  device: 3,
  network: 2,
  contact: 1,
  person: 1,
  place: 1,
  organization: 1,
  health: 0,
  secret: 0,
  birth_date: 0,
  compensation: 0,
  custom: 0,
};
const MASK = '•';
/**
 * What is masked although no detector found it: digits of any script with up to three separators between two,
 * addresses, and strings that are too long for a word and may be keys.
 */
const LEFTOVER =
  /\p{Nd}(?:[\s\p{P}\p{S}\p{M}\p{Cf}]{0,3}\p{Nd}){4,}|[^\s@]+@[^\s@]+|[\p{L}\p{N}+/=_.~-]{24,}/gu;
/** The same in each step of a path. */
const LEFTOVER_OF_PATH =
  /\p{Nd}(?:(?:(?!\/)[\s\p{P}\p{S}\p{M}\p{Cf}]){0,3}\p{Nd}){4,}|[^\s@/]+@[^\s@/]+|[\p{L}\p{N}+=_.~-]{24,}/gu;
const MAX_PATH = 300;
/** Characters beside an excerpt that are looked at too, so that it shows no part of what is masked only as a whole. */
const BESIDE = 64;
/** Characters beside an excerpt that are searched with it where the search of the whole text did not read it. */
const READ_BESIDE = 256;

/** A word that holds a digit, and up to three separators between it and an identifier. */
const DIGITS_AFTER = /[^\p{L}\p{N}]{0,3}[\p{L}\p{N}]{0,64}\p{Nd}[\p{L}\p{N}]{0,64}/uy;
const DIGITS_BEFORE = /[\p{L}\p{N}]{0,64}\p{Nd}[\p{L}\p{N}]{0,64}[^\p{L}\p{N}]{0,3}$/u;
const MOST_BESIDE = 132;
/** The rest of a word that an identifier ends in because its pattern is bounded. Scripts without spaces have no words. */
const REST_OF_WORD = new RegExp(
  `(?<=(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`,
  'uy',
);

/** From this length on, a bound of a pattern may have ended a value. */
const MAY_BE_CUT = 60;
const REST_OF_VALUE = /[^\s"'`;,<>]+/uy;

export type ExcerptBounds = {
  /** The most excerpts to return. */
  max: number;
  /** The most characters of one excerpt. */
  width: number;
};

/**
 * `column`: of a table of a database, the column that the value is in. `inside`: the path of the file inside the asset
 * that it is in, with masked identifiers.
 */
export type Excerpt = { detectorId: string; text: string; column?: string; inside?: string };

type Span = { start: number; end: number; keep: number };

/**
 * Returns bounded excerpts: around the first hit of each detector, then around the second of each, and so on. Every
 * identifier is masked, for example `4539 •••• •••• 6467`.
 * @param found what all detectors found in the whole text
 * @param inside the files inside, each after those in it
 */
export const redactedExcerpts = (
  text: string,
  found: Found,
  bounds: ExcerptBounds,
  inside: readonly FileInside[] = [],
): Excerpt[] =>
  excerptsFrom(0, text, found, excerptMasker(text, found), bounds).map(({ at, ...excerpt }) => {
    const file = inside.find(({ start, end }) => start <= at && at < end);
    return file === undefined
      ? excerpt
      : { ...excerpt, inside: redactedPath(file.path, found.again(file.path)) };
  });

/** A path with masked identifiers. The end of a longer one, which has the name of the file. */
const redactedPath = (path: string, found: Found): string =>
  masked(path, 0, path.length, identifiersIn(path, found, readable), LEFTOVER_OF_PATH)
    .slice(-MAX_PATH)
    .toWellFormed();

/** The start of a text, of at most `most` characters, with the same masking as an excerpt. */
export const redactedOpening = (text: string, found: Found, most: number): string =>
  openingOf(text, excerptMasker(text, found), most).shown;

const excerptMasker = (text: string, found: Found): Masker =>
  maskerOf(text, found, (part, each) => identifiersIn(part, each, readable));

const readable = ({ family }: Detector): number => READABLE[family];

/**
 * The start of a text, of at most `opening` characters, then excerpts around hits after it. No character of an
 * identifier stays readable, so they may leave the deployment.
 * @param found what all detectors found in the whole text
 */
export function hiddenExcerpts(
  text: string,
  found: Found,
  { opening, ...bounds }: ExcerptBounds & { opening: number },
): string[] {
  const masked = maskerOf(text, found, (part, each) =>
    withDigitsBeside(
      part,
      identifiersIn(part, each, () => 0),
    ),
  );
  const start = openingOf(text, masked, opening);
  return [
    start.shown,
    ...excerptsFrom(start.end, text, found, masked, bounds).map((excerpt) => excerpt.text),
  ].filter((excerpt) => excerpt !== '');
}

/** The start of a text as it is shown, and where it ends in the text. */
function openingOf(text: string, masked: Masker, most: number): { shown: string; end: number } {
  // Text in scripts without white space is cut within a word.
  const end = excerptRange(text, 0, 0, 2 * most)[1] || Math.min(text.length, most);
  return { shown: masked(0, end).slice(0, most).toWellFormed(), end };
}

/** What must be masked in a text, ascending and disjoint. */
function identifiersIn(text: string, found: Found, keep: (detector: Detector) => number): Span[] {
  const hits = found.hits.flatMap(({ detector, hits }) =>
    hits.map((hit) => ({ start: hit.start, end: wholeEnd(text, hit), keep: keep(detector) })),
  );
  return joinOverlaps([...hits, ...hidden(text, found.doubtful)]);
}

const hidden = (text: string, spans: Found['doubtful']): Span[] =>
  spans.map((span) => ({ start: span.start, end: wholeEnd(text, span), keep: 0 }));

function wholeEnd(text: string, { start, end }: { start: number; end: number }): number {
  const rest = end - start < MAY_BE_CUT ? REST_OF_WORD : REST_OF_VALUE;
  rest.lastIndex = end;
  return rest.test(text) ? rest.lastIndex : end;
}

/** Words in capitals before and after an identifier, which white space alone separates from it. */
const CAPITALS_BEFORE = /(?:\p{Lu}[\p{L}\p{M}'’-]*\s+)+$/u;
const CAPITALS_AFTER = /^(?:\s+\p{Lu}[\p{L}\p{M}'’-]*)+/u;

/** Where a detector left a part of a text out, what it found beside that part may begin or end within a list of names. */
const withCapitalsBeside = (text: string, spans: readonly Span[]): Span[] =>
  spans.flatMap((span) => {
    const { start, end } = span;
    const before = CAPITALS_BEFORE.exec(text.slice(Math.max(0, start - READ_BESIDE), start))?.[0].length ?? 0;
    const after = CAPITALS_AFTER.exec(text.slice(end, end + READ_BESIDE))?.[0].length ?? 0;
    const beside = [
      { start: start - before, end: start, keep: 0 },
      { start: end, end: end + after, keep: 0 },
    ];
    return [span, ...beside.filter((each) => each.start < each.end)];
  });

/** The text of a range in which everything is masked that is an identifier or may be one. */
type Masker = (from: number, to: number) => string;

/**
 * A range that some detector did not read as part of the whole text is searched by itself. What is not read even then is
 * masked.
 */
function maskerOf(text: string, found: Found, toMask: (text: string, found: Found) => Span[]): Masker {
  const isWhole = found.unread.length === 0;
  const spans = isWhole ? toMask(text, found) : joinOverlaps(withCapitalsBeside(text, toMask(text, found)));
  return (from, to) => {
    if (!found.unread.some(({ start, end }) => start < to && from < end))
      return masked(text, from, to, spans);
    const first = Math.max(0, from - READ_BESIDE);
    const part = text.slice(first, to + READ_BESIDE);
    const inPart = found.again(part);
    const more = [...withCapitalsBeside(part, toMask(part, inPart)), ...hidden(part, inPart.unread)];
    const shifted = more.map(({ start, end, keep }) => ({ start: start + first, end: end + first, keep }));
    return masked(text, from, to, joinOverlaps([...spans, ...shifted]));
  };
}

/** Excerpts around the hits that begin at `first` or later, each with the offset of its hit. */
function excerptsFrom(
  first: number,
  text: string,
  found: Found,
  masked: Masker,
  { max, width }: ExcerptBounds,
): (Excerpt & { at: number })[] {
  const excerpts: (Excerpt & { at: number })[] = [];
  const deepest = found.hits.reduce((most, { hits }) => Math.max(most, hits.length), 0);
  const shownTo = new Map<string, number>();
  for (let depth = 0; depth < deepest && excerpts.length < max; depth++) {
    for (const { detector, hits } of found.hits) {
      const hit = hits[depth];
      // Skips a hit that an earlier excerpt of the same detector shows.
      if (hit === undefined || hit.start < (shownTo.get(detector.id) ?? first) || excerpts.length >= max)
        continue;
      // What is beside a value of a table is another row.
      const value = found.valueAt(hit.start);
      const within = value ?? { start: 0, end: text.length };
      const [from, to] = excerptRange(text, hit.start, hit.end, width, within);
      shownTo.set(detector.id, to);
      excerpts.push({
        at: hit.start,
        detectorId: detector.id,
        text: masked(from, to).slice(0, width).toWellFormed(),
        ...(value !== null && { column: value.column }),
      });
    }
  }
  return excerpts;
}

/** Centred on the hit and narrowed to white space, so that no token is cut. */
function excerptRange(
  text: string,
  start: number,
  end: number,
  width: number,
  within: { start: number; end: number } = { start: 0, end: text.length },
): [from: number, to: number] {
  const around = Math.max(0, Math.floor((width - (end - start)) / 2));
  let from = Math.max(within.start, start - around);
  while (from > within.start && from < start && !/\s/.test(text.charAt(from - 1))) from += 1;
  let to = Math.min(within.end, end + around);
  while (to < within.end && to > end && !/\s/.test(text.charAt(to))) to -= 1;
  return [from, to];
}

function masked(text: string, from: number, to: number, spans: readonly Span[], leftover = LEFTOVER): string {
  let excerpt = '';
  const show = (start: number, end: number) => {
    excerpt += text.slice(Math.max(start, from), Math.max(start, from, Math.min(end, to)));
  };
  // Masks the whole identifier, even if the range cuts it.
  const hide = (start: number, end: number, keep: number) => {
    if (start < to && from < end) excerpt += mask(text.slice(start, end), keep);
  };
  const between = (start: number, end: number) => {
    let at = start;
    for (const match of text.slice(start, Math.max(start, end)).matchAll(leftover)) {
      show(at, start + match.index);
      at = start + match.index + match[0].length;
      hide(start + match.index, at, 0);
    }
    show(at, end);
  };
  const last = Math.min(text.length, to + BESIDE);
  let at = Math.max(0, from - BESIDE);
  for (let i = firstEndingAfter(spans, at); i < spans.length; i++) {
    const span = spans[i];
    if (span === undefined || span.start >= last) break;
    between(at, span.start);
    hide(span.start, span.end, span.keep);
    at = Math.max(at, span.end);
  }
  between(at, last);
  return excerpt.replace(/\s+/g, ' ').trim();
}

/**
 * Masks letters and digits. Keeps separators and at most `keep` characters at each end. If `keep` is 0, it hides the
 * length too.
 */
function mask(value: string, keep: number): string {
  if (keep === 0) return MASK.repeat(8);
  const total = (value.match(/[\p{L}\p{N}]/gu) ?? []).length;
  const readable = Math.min(keep, Math.floor(total / 4));
  let seen = 0;
  return value.replace(/[\p{L}\p{N}]/gu, (character) => {
    seen += 1;
    return seen <= readable || seen > total - readable ? character : MASK.repeat(character.length);
  });
}

/**
 * Identifiers with the words beside them that hold a digit: of numbers that follow each other, the detectors may have
 * taken the end of one and the begin of the next for an identifier. `spans` are ascending and disjoint.
 */
function withDigitsBeside(text: string, spans: readonly Span[]): Span[] {
  const wide: Span[] = [];
  for (const { start, end, keep } of spans) {
    const last = wide.at(-1);
    if (last !== undefined && end <= last.end) continue;
    const to = endOfDigits(text, end);
    if (last !== undefined && start <= last.end) last.end = to;
    else wide.push({ start: startOfDigits(text, start, last?.end ?? 0), end: to, keep });
  }
  return wide;
}

function endOfDigits(text: string, end: number): number {
  let at = end;
  for (;;) {
    DIGITS_AFTER.lastIndex = at;
    const beside = DIGITS_AFTER.exec(text)?.[0] ?? '';
    if (beside === '') return at;
    at += beside.length;
  }
}

function startOfDigits(text: string, start: number, first: number): number {
  let at = start;
  for (;;) {
    const beside = DIGITS_BEFORE.exec(text.slice(Math.max(first, at - MOST_BESIDE), at))?.[0] ?? '';
    if (beside === '') return at;
    at -= beside.length;
  }
}

/** Joins overlapping identifiers. The stricter rule applies to the whole. Ascending and disjoint. */
function joinOverlaps(spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && span.start < last.end) {
      last.end = Math.max(last.end, span.end);
      last.keep = Math.min(last.keep, span.keep);
    } else {
      joined.push({ ...span });
    }
  }
  return joined;
}

function firstEndingAfter(spans: readonly Span[], offset: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
