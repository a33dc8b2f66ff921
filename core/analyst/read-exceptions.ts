import type { Cursor } from './cursor.ts';
import { isKind, type Piece } from './pieces.ts';

const ALL = ['all', 'any', 'every'];
const EVERYTHING = ['everything', 'anything'];
/** What may follow an exception without belonging to it. */
const NEW_CLAUSES = ['join', 'by', 'sort', 'order', 'ask', 'top', 'direction', 'extreme', 'which'] as const;

export const isEverything = (piece: Piece | undefined): boolean =>
  piece !== undefined && EVERYTHING.includes(piece.written.toLowerCase());
const isOfAll = (piece: Piece | undefined): boolean =>
  isEverything(piece) || ALL.includes(piece?.fillers.at(-1) ?? '');
const isName = (piece: Piece): boolean =>
  piece.kind === 'phrase' && piece.meaning === null && piece.names.length > 0;
const isType = (piece: Piece): boolean =>
  piece.kind === 'phrase' && piece.names.some(({ kind }) => kind === 'type');

/**
 * `everything but PDFs` and `all in Finance but invoices` leave out what follows. `no IBANs but phone numbers` and
 * `shared but unlabelled` do not.
 */
export function readBut(c: Cursor, piece: Piece): void {
  const next = c.next();
  const isAll = isOfAll(piece) || isOfAll(c.before());
  const isThing = next !== undefined && next.gap !== true && (isKind(next, 'noun') || isName(next));
  if (next === undefined || isKind(next, 'not') || c.wasNegated || !(isAll || isThing)) {
    c.join = { piece, or: false };
    // `without a label but an owner`
    c.carried = null;
  } else if (isAll ? next.gap === true : c.isNounLike(next)) c.unexplained(piece);
  else c.negate(piece);
}

export const isException = (c: Cursor, not: Piece | null): boolean =>
  not !== null && (c.meaning(not, 'not')?.except === true || isKind(not, 'join'));

/**
 * Whether something further is said of what is left out, as in `except PDFs larger than 10 MB`. A plan cannot leave out
 * what meets two conditions.
 */
export function isNarrowed(c: Cursor, excepted: Piece): boolean {
  const isPlain = (piece: Piece | undefined) => {
    const noun = c.meaning(piece, 'noun');
    return noun !== null && (noun.where ?? []).length === 0;
  };
  const isWhole = isPlain(c.next());
  const next = c.next(isWhole ? 1 : 0);
  if (next === undefined || NEW_CLAUSES.some((kind) => isKind(next, kind))) return false;
  if (isWhole || !isName(excepted) || isType(excepted)) return true;
  return next.gap !== true && (isName(next) || isKind(next, 'noun') || isKind(next, 'value'));
}
