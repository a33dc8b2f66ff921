import { Cursor } from './cursor.ts';
import { doubtfulPieces, isShared } from './doubts.ts';
import type { Meaning } from './meaning.ts';
import { isKind, type Piece } from './pieces.ts';
import { isPart, type SimpleCondition } from './plan.ts';
import { isException, isNarrowed, readBut } from './read-exceptions.ts';
import { readDimension, readLabel, readName, readNoun, readVerb } from './read-nouns.ts';
import { readComparison, readLevel, readNumber, readSeverity } from './read-numbers.ts';
import { readAsk, readExtreme, readGrouping, readQuantity, readSorting } from './read-orders.ts';
import { placeLeadingWindow, readWindow } from './read-windows.ts';
import type { Reading } from './reading.ts';

/**
 * What the pieces of a question say, read from left to right. Each rule takes the pieces that it understands. What
 * this leaves open, such as the subject, is decided in assemble.ts.
 */
export function interpret(pieces: readonly Piece[]): Reading {
  const c = new Cursor(pieces);
  c.reading.unexplained.push(...doubtfulPieces(pieces));
  let exception: Piece | null = null;
  for (let piece = c.take(); piece !== undefined; piece = c.take()) {
    const join = c.meaning(piece, 'join');
    if (join !== null) {
      c.dropJoin();
      if (join.but === true) readBut(c, piece);
      else c.join = { piece, or: join.or || (piece.written === ',' && isOrList(c)) };
      continue;
    }
    const isListed = c.isNounLike(piece) || (isKind(piece, 'value') && c.nounAhead() !== null);
    if (isListed && c.carried !== null && c.join !== null && c.not === null && piece.gap !== true) {
      c.not = c.carried;
      c.join = null;
    }
    const { not } = c;
    if (isException(c, not)) exception = not;
    else if (c.join === null) exception = null;
    if (isOfAll(c, piece)) c.unexplained(piece);
    else readPiece(c, piece);
    if (isKind(piece, 'not')) continue;
    if (exception !== null && c.not === null && isNarrowed(c, piece)) c.unexplained(exception);
    c.wasNegated = not !== null;
    c.carried = isListed ? not : isMissing(c, piece) ? piece : null;
    c.dropJoin();
  }
  c.dropJoin();
  if (c.not !== null) c.unexplained(c.not);
  placeLeadingWindow(c);
  return c.reading;
}

/** Whether the list that a comma goes on ends with `or`: `IBANs, phone numbers or addresses`. */
function isOrList(c: Cursor): boolean {
  for (let ahead = 1; ; ahead += 2) {
    const join = c.meaning(c.next(ahead), 'join');
    if (join === null || c.next(ahead - 1)?.gap === true) return false;
    if (c.next(ahead)?.written !== ',') return join.or;
  }
}

/** Whether the piece alone says that something is missing, which a list carries on: `missing an owner and a label`. */
const isMissing = (c: Cursor, piece: Piece): boolean =>
  c.meaning(piece, 'value') !== null && /^(?:missing|no|lack)/.test(piece.written.toLowerCase());

/** Whether `all` stands before findings and the like that rows have. A plan says only how many meet a condition. */
function isOfAll(c: Cursor, piece: Piece): boolean {
  if (!piece.fillers.some((word) => word === 'all' || word === 'every')) return false;
  const nouns = c.reading.statements.filter((each) => each.kind === 'noun');
  const own = isKind(piece, 'noun') ? piece : c.nounAhead();
  const of = own === null ? nouns.at(-1)?.subject : c.meaning(own, 'noun')?.subject;
  return nouns.length > 0 && of !== nouns[0]?.subject && isPart(of);
}

function readPiece(c: Cursor, piece: Piece): void {
  switch (piece.kind) {
    case 'unknown':
      c.unexplained(piece);
      break;
    case 'window':
      readWindow(c, piece);
      break;
    case 'number':
      readNumber(c, piece, 'exactly', c.meaning(c.before(), 'quantity')?.field ?? null);
      break;
    case 'words':
      readWords(c, piece);
      break;
    case 'phrase':
      if (readName(c, piece)) return;
      if (piece.meaning === null) c.unexplained(piece);
      else readMeaning(c, piece, piece.meaning);
  }
}

function readMeaning(c: Cursor, piece: Piece, meaning: Meaning): void {
  switch (meaning.kind) {
    case 'not':
      c.negate(piece);
      break;
    case 'noun':
      readNoun(c, piece, meaning, null);
      break;
    case 'value':
      readValue(c, piece, meaning.readings);
      break;
    case 'verb':
      readVerb(c, piece, meaning);
      break;
    case 'label':
      readLabel(c, piece, meaning.isVerb);
      break;
    case 'dimension':
      readDimension(c, piece, meaning);
      break;
    case 'level':
      readLevel(c, piece, meaning.field);
      break;
    case 'compare':
      readComparison(c, piece, meaning);
      break;
    case 'quantity':
      readQuantity(c, piece, meaning.field);
      break;
    case 'by':
      readGrouping(c, piece);
      break;
    case 'sort':
      readSorting(c, piece);
      break;
    case 'ask':
      readAsk(c, piece, meaning.show);
      break;
    case 'order':
      // `which domains have the most critical findings`
      if (c.reading.lead !== null && /^most (?:critical|severe)$/i.test(piece.written)) {
        readExtreme(c, piece, meaning.direction);
        readSeverity(c, piece, 'critical', null);
      } else c.orderBy(piece, meaning.by, meaning.direction);
      break;
    case 'extreme':
      readExtreme(c, piece, meaning.direction);
      break;
    case 'which':
      break;
    case 'top':
      if (piece.written.toLowerCase() === 'top') c.reading.top = piece;
      // `largest first`, `largest files first`
      if (c.next()?.kind !== 'number' && c.reading.order === null) c.unexplained(piece);
      break;
    case 'text':
      if (!isSought(c, c.next(), meaning.literal) && !isOfFiles(c, meaning.literal)) c.unexplained(piece);
      break;
    case 'contain':
      if (c.next() === undefined || (meaning.further && !isSought(c, c.next(), true))) c.unexplained(piece);
      break;
    case 'access':
      if (!c.pieces.some(isShared)) c.unexplained(piece);
      break;
    default:
      c.unexplained(piece);
  }
}

/** Whether a piece is what is searched for after `mentioning`, or what findings and documents are about. */
function isSought(c: Cursor, piece: Piece | undefined, literally: boolean): boolean {
  if (piece?.kind === 'words') return true;
  if (piece?.kind !== 'phrase') return false;
  if (literally) return piece.names.some(({ kind }) => kind === 'identifier');
  const readings = c.meaning(piece, 'value')?.readings ?? [];
  return piece.names.length > 0 || readings.some(({ field }) => field === 'findingKind');
}

/** `findings about unlabelled files` */
const isOfFiles = (c: Cursor, literally: boolean): boolean =>
  !literally &&
  isPart(c.meaning(c.before(), 'noun')?.subject) &&
  (isKind(c.next(), 'noun') || isKind(c.next(), 'value'));

/** Quoted words, which are searched for only after what says so: `containing the words "…"`, `named "…"`. */
function readWords(c: Cursor, piece: Extract<Piece, { kind: 'words' }>): void {
  let back = 1;
  while (c.before(back)?.kind === 'words' || isKind(c.before(back), 'join')) back++;
  const text = c.meaning(c.before(back), 'text');
  if (text === null && !isKind(c.before(back), 'contain')) c.unexplained(piece);
  else c.value(piece, [{ field: text?.field ?? 'words', text: piece.text }]);
}

function readValue(c: Cursor, piece: Piece, readings: readonly SimpleCondition[]): void {
  const severity = readings.find((each) => each.field === 'severity')?.any[0];
  if (severity === undefined) c.value(piece, readings);
  else readSeverity(c, piece, severity, null);
}
