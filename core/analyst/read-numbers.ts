import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import type { Cursor } from './cursor.ts';
import type { Comparison, Meaning } from './meaning.ts';
import { isKind, type Piece } from './pieces.ts';
import type { SimpleCondition } from './plan.ts';
import { readNoun } from './read-nouns.ts';
import type { Bounds } from './reading.ts';

type NumberPiece = Extract<Piece, { kind: 'number' }>;
type Measured = 'size' | 'copies' | 'confidence';

const MAX_BYTES = 2 ** 50;

const isSeverity = (c: Cursor, piece: Piece | undefined): boolean =>
  c.meaning(piece, 'value')?.readings.some(({ field }) => field === 'severity') === true;

/** Takes `or more`, unless it compares what follows: `over 40% and below 60%`. */
const takeBeyond = (c: Cursor) =>
  c.next(1)?.kind === 'number' || isSeverity(c, c.next(1)) ? null : c.takeIf('orBeyond');

/** A severity with what says how it is compared and of what it is. */
export function readSeverity(
  c: Cursor,
  piece: Piece,
  severity: Severity,
  comparison: Comparison | null,
): void {
  const beyond = takeBeyond(c);
  const level = levelAhead(c) ?? c.level;
  c.level = null;
  const said = beyond ?? takeBeyond(c);
  const any = severitiesBy(severity, comparison ?? said?.comparison ?? 'exactly');
  if (any.length === 0) {
    c.unexplained(piece);
    return;
  }
  const readings: SimpleCondition[] = [
    { field: 'severity', any },
    { field: 'risk', any },
  ];
  c.value(piece, level === null ? readings : readings.filter(({ field }) => field === level));
}

/** The noun that says what is so severe, after the severity or after a list of them. */
function levelAhead(c: Cursor): 'risk' | 'severity' | null {
  let ahead = 0;
  while (isKind(c.next(ahead), 'join') && isSeverity(c, c.next(ahead + 1))) ahead += 2;
  const level = c.meaning(c.next(ahead), 'level');
  if (level !== null && ahead === 0) c.at++;
  return level?.field ?? null;
}

export function readLevel(c: Cursor, piece: Piece, field: 'risk' | 'severity'): void {
  if (isSeverity(c, c.next()) || isKind(c.next(), 'compare')) c.level = field;
  else if (!isSeverity(c, c.before())) c.unexplained(piece);
}

export function readComparison(
  c: Cursor,
  piece: Piece,
  { comparison, field }: Extract<Meaning, { kind: 'compare' }>,
): void {
  const next = c.next();
  const measuredBefore = c.meaning(c.before(), 'quantity')?.field ?? null;
  if (next?.kind === 'number') {
    c.take();
    readNumber(c, next, comparison, field ?? measuredBefore);
    return;
  }
  const severity = c.meaning(next, 'value')?.readings.find((each) => each.field === 'severity')?.any[0];
  if (next === undefined || severity === undefined || comparison === 'between') {
    c.unexplained(piece);
    return;
  }
  c.take();
  readSeverity(c, next, severity, comparison);
}

/** A number with what it counts or measures, which may also stand before the comparison. */
export function readNumber(
  c: Cursor,
  piece: NumberPiece,
  comparison: Comparison,
  before: Measured | null,
): void {
  const first = scaleAhead(c);
  let other: number | null = null;
  if (comparison === 'between') {
    const second = c.next(1);
    if (!isKind(c.next(), 'join') || second?.kind !== 'number') {
      c.unexplained(piece);
      return;
    }
    c.at += 2;
    other = second.number;
  }
  const beyond = takeBeyond(c);
  const scale = comparison === 'between' ? scaleAhead(c) : first;
  const said = beyond?.comparison ?? takeBeyond(c)?.comparison ?? comparison;
  const ahead = c.meaning(c.next(), 'quantity')?.field ?? null;
  // Only sizes have such units, and only a confidence is given in percent.
  const measured = ahead ?? before ?? (scale === null ? null : scale.kind === 'unit' ? 'size' : 'confidence');
  if (measured === null) {
    if (scale === null) readCount(c, piece, said, other);
    else c.unexplained(piece);
    return;
  }
  if (ahead !== null) c.at++;
  const factor = factorOf(measured, scale, piece.number);
  const ownFactor = first === null || first === scale ? factor : factorOf(measured, first, piece.number);
  if (factor === null || ownFactor === null) {
    c.unexplained(piece);
    return;
  }
  const bounds = boundsOf(
    said,
    piece.number * ownFactor,
    other === null ? null : other * factor,
    measured === 'confidence' ? 0.000_001 : 1,
  );
  const most = measured === 'confidence' ? 1 : MAX_BYTES;
  if (bounds === null || Object.values(bounds).some((bound) => bound < 0 || bound > most))
    c.unexplained(piece);
  else c.value(piece, [{ field: measured, ...bounds }]);
}

type Scale = Extract<Meaning, { kind: 'unit' | 'percent' }>;
const scaleAhead = (c: Cursor): Scale | null => c.takeIf('unit') ?? c.takeIf('percent');

/** What a number is multiplied by for its measure. Null if it cannot be of this measure. */
function factorOf(measured: Measured, scale: Scale | null, number: number): number | null {
  if (measured === 'confidence')
    return scale?.kind === 'unit' ? null : scale !== null || number > 1 ? 0.01 : 1;
  if (measured === 'size') return scale?.kind === 'unit' ? scale.bytes : null;
  return scale === null && Number.isInteger(number) ? 1 : null;
}

/** A number of rows that are wanted, or of findings and the like that rows have. */
function readCount(c: Cursor, piece: NumberPiece, comparison: Comparison, other: number | null): void {
  if (!Number.isSafeInteger(piece.number)) {
    c.unexplained(piece);
    return;
  }
  const isFirst = c.reading.limit === null && !c.hasNoun();
  const isLimit = comparison === 'exactly' || (comparison === 'most' && isKind(c.next(), 'order'));
  if (isLimit && (isFirst || isKind(c.before(), 'top'))) {
    c.reading.limit = { piece, rows: piece.number };
    return;
  }
  const counted = c.next();
  const noun = c.meaning(counted, 'noun');
  const bounds = boundsOf(comparison, piece.number, other, 1);
  if (bounds === null || !c.hasNoun()) c.unexplained(piece);
  else if (counted !== undefined && noun !== null) {
    c.take();
    readNoun(c, counted, noun, bounds);
  } else if (c.nounAhead() !== null) c.bounds = bounds;
  else c.unexplained(piece);
}

/** The severities that a comparison with one allows. */
function severitiesBy(severity: Severity, comparison: Comparison): Severity[] {
  const at = SEVERITIES.indexOf(severity);
  const allows: Readonly<Record<Comparison, (i: number) => boolean>> = {
    more: (i) => i > at,
    least: (i) => i >= at,
    less: (i) => i < at,
    most: (i) => i <= at,
    exactly: (i) => i === at,
    between: () => false,
  };
  return SEVERITIES.filter((_, i) => allows[comparison](i));
}

/** Bounds of a comparison. `step`: the difference to the next larger number. Null if nothing fits. */
function boundsOf(comparison: Comparison, number: number, other: number | null, step: number): Bounds | null {
  const rounded = (at: number) => (step === 1 ? Math.round(at) : Number(at.toFixed(6)));
  const value = rounded(number);
  if (comparison === 'between')
    return other === null || other < number ? null : { min: value, max: rounded(other) };
  if (comparison === 'more') return { min: rounded(value + step) };
  if (comparison === 'less') return { max: rounded(value - step) };
  if (comparison === 'least') return { min: value };
  if (comparison === 'most') return { max: value };
  return { min: value, max: value };
}
