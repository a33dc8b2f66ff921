import type { Gate } from './detector.ts';

/** Characters without a digit that may stand between two digits of one stretch, such as ` PMNJ ` in an IBAN. */
const DIGIT_GAP = 6;
/** Shorter runs of capitals are ordinary abbreviations. */
const LEAST_CAPITALS = 6;

/** Where in a text something may be: flat lists, because a long table holds very many. */
export type Stretches = {
  /** start, end, number of digits; start, end, … */
  readonly digits: readonly number[];
  /** start, end, number of capitals; start, end, … */
  readonly capitals: readonly number[];
  readonly ats: readonly number[];
};

/** The one pass over the characters that spares every pattern the rest of the text. */
export function findStretches(text: string): Stretches {
  const digits: number[] = [];
  const capitals: number[] = [];
  const ats: number[] = [];
  let firstDigit = -1;
  let lastDigit = -1;
  let digitCount = 0;
  let capitalRun = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 65 && code <= 90) {
      capitalRun += 1;
      continue;
    }
    if (capitalRun >= LEAST_CAPITALS) capitals.push(i - capitalRun, i, capitalRun);
    capitalRun = 0;
    if (code >= 48 && code <= 57) {
      if (digitCount > 0 && i - lastDigit > DIGIT_GAP + 1) {
        digits.push(firstDigit, lastDigit + 1, digitCount);
        digitCount = 0;
      }
      if (digitCount === 0) firstDigit = i;
      lastDigit = i;
      digitCount += 1;
    } else if (code === 64) {
      ats.push(i);
    }
  }
  if (capitalRun >= LEAST_CAPITALS) capitals.push(text.length - capitalRun, text.length, capitalRun);
  if (digitCount > 0) digits.push(firstDigit, lastDigit + 1, digitCount);
  return { digits, capitals, ats };
}

/** Stretches of the text that the gate opens, as start, end, start, end, …: ascending, disjoint, widened by its reach. */
export function windowsOf(text: string, gate: Gate, stretches: Stretches): number[] {
  const windows: number[] = [];
  const open = (start: number, end: number) => {
    const from = Math.max(0, start - gate.reach);
    const to = Math.min(text.length, end + gate.reach);
    const last = windows.length - 1;
    const previousEnd = windows[last];
    if (previousEnd !== undefined && from <= previousEnd) windows[last] = Math.max(previousEnd, to);
    else windows.push(from, to);
  };
  switch (gate.kind) {
    case 'at':
      for (const position of stretches.ats) open(position, position + 1);
      break;
    case 'literals':
      for (const [start, end] of findLiterals(text, gate.literals)) open(start, end);
      break;
    default: {
      const found = stretches[gate.kind];
      for (let i = 0; i + 2 < found.length; i += 3) {
        if ((found[i + 2] ?? 0) >= gate.least) open(found[i] ?? 0, found[i + 1] ?? 0);
      }
    }
  }
  return windows;
}

function findLiterals(text: string, literals: readonly string[]): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const literal of literals) {
    for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length)) {
      found.push([at, at + literal.length]);
    }
  }
  return found.sort((a, b) => a[0] - b[0]);
}
