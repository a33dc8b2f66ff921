import type { Gate } from '../detector.ts';
import { codeUnits } from './code-units.ts';

/** Most characters between two digits of one stretch, such as ` PMNJ ` in an IBAN. */
const DIGIT_GAP = 6;
/** Shorter runs of capitals are usually abbreviations. */
const LEAST_CAPITALS = 6;
const DIGIT = 1;
const CAPITALS = 2;
const AT = 4;
const ANCHOR = 8;
/** The class of all characters from this code on. */
const BEYOND = 127;
const SHIFT = 7;
/** Characters by frequency in prose and tables, the most frequent first. All others are rarer. */
const FREQUENT = ' etaoinshrdlcumwfgypbvk,.0123456789-jxqzETAOINSRHLDCU:/_="';

/** Where gates may open. Flat lists of numbers, because a long table has very many stretches. */
export type Stretches = {
  /** start, end, number of digits; start, end, … */
  readonly digits: readonly number[];
  /** start, end, number of capitals; start, end, … */
  readonly capitals: readonly number[];
  /** start, end, 1; start, end, … */
  readonly at: readonly number[];
  /** The start of each occurrence of each literal, ascending. Literals that do not occur have no entry. */
  readonly literals: ReadonlyMap<string, readonly number[]>;
};

type Anchored = { readonly literal: string; readonly codes: Uint16Array; readonly offset: number };

/** What a pass looks for, by pairs of adjacent characters. */
export type Scanner = {
  readonly kinds: Uint8Array;
  readonly byAnchor: ReadonlyMap<number, readonly Anchored[]>;
};

const classOf = (code: number) => Math.min(code, BEYOND);
const pairOf = (before: number, code: number) => (classOf(before) << SHIFT) | classOf(code);

/** Looks for each literal at its rarest pair of characters, so that most of a text is skipped. */
export function scannerOf(literals: Iterable<string>): Scanner {
  const kinds = new Uint8Array(1 << (2 * SHIFT));
  const byAnchor = new Map<number, Anchored[]>();
  const note = (pair: number, anchored: Anchored) => {
    byAnchor.set(pair, [...(byAnchor.get(pair) ?? []), anchored]);
    kinds[pair] = (kinds[pair] ?? 0) | ANCHOR;
  };
  for (let before = 0; before <= BEYOND; before++) {
    for (let code = 48; code <= 57; code++) kinds[pairOf(before, code)] = DIGIT;
    kinds[pairOf(before, 64)] = AT;
    const isCapital = before >= 65 && before <= 90;
    for (let code = 65; isCapital && code <= 90; code++) kinds[pairOf(before, code)] = CAPITALS;
  }
  for (const literal of new Set(literals)) {
    const codes = codeUnits(literal);
    const [first = 0] = codes;
    if (codes.length === 1) {
      for (let before = 0; before <= BEYOND; before++)
        note(pairOf(before, first), { literal, codes, offset: 0 });
      continue;
    }
    let offset = 1;
    for (let i = 2; i < literal.length; i++) if (rarity(literal, i) > rarity(literal, offset)) offset = i;
    note(pairOf(codes[offset - 1] ?? 0, codes[offset] ?? 0), { literal, codes, offset });
  }
  return { kinds, byAnchor };
}

/** The rarity of the pair that ends at index `at`. */
function rarity(literal: string, at: number): number {
  const rank = (character: string) => {
    const place = FREQUENT.indexOf(character);
    return place === -1 ? FREQUENT.length : place;
  };
  return rank(literal.charAt(at - 1)) + rank(literal.charAt(at));
}

/** Finds the stretches in one pass over the text, so that patterns need not read all of it. */
export function findStretches(codes: Uint16Array, { kinds, byAnchor }: Scanner): Stretches {
  const digits: number[] = [];
  const capitals: number[] = [];
  const at: number[] = [];
  const literals = new Map<string, number[]>();
  let firstDigit = -1;
  let lastDigit = -1;
  let digitCount = 0;
  let firstCapital = -1;
  let lastCapital = -2;
  for (let i = nextIn(codes, kinds, 0); i < codes.length; i = nextIn(codes, kinds, i + 1)) {
    const pair = pairOf(i === 0 ? 0 : (codes[i - 1] ?? 0), codes[i] ?? 0);
    const kind = kinds[pair] ?? 0;
    if ((kind & DIGIT) !== 0) {
      if (digitCount > 0 && i - lastDigit > DIGIT_GAP + 1) {
        digits.push(firstDigit, lastDigit + 1, digitCount);
        digitCount = 0;
      }
      if (digitCount === 0) firstDigit = i;
      digitCount += 1;
      // Reads a whole run of digits at once.
      while (
        kind === DIGIT &&
        isDigit(codes[i + 1]) &&
        kinds[pairOf(codes[i] ?? 0, codes[i + 1] ?? 0)] === DIGIT
      ) {
        i += 1;
        digitCount += 1;
      }
      lastDigit = i;
    } else if ((kind & CAPITALS) !== 0) {
      if (i !== lastCapital + 1) {
        noteCapitals(capitals, firstCapital, lastCapital + 1);
        firstCapital = i - 1;
      }
      lastCapital = i;
    } else if ((kind & AT) !== 0) {
      at.push(i, i + 1, 1);
    }
    if ((kind & ANCHOR) !== 0) noteLiterals(codes, i, byAnchor.get(pair) ?? [], literals);
  }
  noteCapitals(capitals, firstCapital, lastCapital + 1);
  if (digitCount > 0) digits.push(firstDigit, lastDigit + 1, digitCount);
  return { digits, capitals, at, literals };
}

const isDigit = (code = 0) => code >= 48 && code <= 57;

/**
 * The next index with a pair of some kind, or the length. A tight loop of its own, because most characters end here.
 */
function nextIn(codes: Uint16Array, kinds: Uint8Array, from: number): number {
  let before = from === 0 ? 0 : classOf(codes[from - 1] ?? 0);
  for (let i = from; i < codes.length; i++) {
    const character = classOf(codes[i] ?? 0);
    if (kinds[(before << SHIFT) | character] !== 0) return i;
    before = character;
  }
  return codes.length;
}

function noteCapitals(capitals: number[], start: number, end: number): void {
  if (end - start >= LEAST_CAPITALS) capitals.push(start, end, end - start);
}

function noteLiterals(
  codes: Uint16Array,
  at: number,
  anchored: readonly Anchored[],
  found: Map<string, number[]>,
): void {
  for (const each of anchored) {
    const start = at - each.offset;
    if (!isAt(codes, start, each.codes)) continue;
    const starts = found.get(each.literal);
    if (starts === undefined) found.set(each.literal, [start]);
    else starts.push(start);
  }
}

function isAt(codes: Uint16Array, start: number, literal: Uint16Array): boolean {
  if (start < 0 || start + literal.length > codes.length) return false;
  for (let i = 0; i < literal.length; i++) if (codes[start + i] !== literal[i]) return false;
  return true;
}

/**
 * The stretches where a gate is open, as start, end, start, end, …, ascending and disjoint. Each is widened by the
 * reach of the gate.
 * @param reachAfter the reach after a stretch, if it differs from the reach before
 */
export function windowsOf(
  length: number,
  gate: Gate,
  stretches: Stretches,
  reachAfter = gate.reach,
): readonly number[] {
  const windows: number[] = [];
  const open = (start: number, end: number) => {
    const from = Math.max(0, start - gate.reach);
    const to = Math.min(length, end + reachAfter);
    const last = windows.length - 1;
    const previousEnd = windows[last];
    if (previousEnd !== undefined && from <= previousEnd) windows[last] = Math.max(previousEnd, to);
    else windows.push(from, to);
  };
  if (gate.kind === 'literals') {
    for (const [start, end] of literalsIn(stretches, gate.literals)) open(start, end);
    return windows;
  }
  const found = stretches[gate.kind];
  const least = 'least' in gate ? gate.least : 1;
  for (let i = 0; i + 2 < found.length; i += 3) {
    if ((found[i + 2] ?? 0) >= least) open(found[i] ?? 0, found[i + 1] ?? 0);
  }
  return windows;
}

/** Occurrences of the literals, ascending by start. */
function literalsIn({ literals }: Stretches, asked: readonly string[]): [start: number, end: number][] {
  const found: [start: number, end: number][] = [];
  for (const [literal, starts] of literals) {
    if (!asked.includes(literal)) continue;
    for (const start of starts) found.push([start, start + literal.length]);
  }
  return found.sort(([a], [b]) => a - b);
}
