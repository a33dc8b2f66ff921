import type { Cursor } from './cursor.ts';
import { isKind, type Piece } from './pieces.ts';
import type { Dimension, Order, Subject } from './plan.ts';
import { TIME } from './times.ts';

type Orders = Partial<Record<Subject, Order>>;

const OF_QUANTITY = {
  size: { assets: 'size' },
  copies: { assets: 'copies' },
  confidence: { candidates: 'confidence' },
} as const satisfies Record<string, Orders>;
const BY_NAME: Orders = { assets: 'name', scopes: 'name' };
const OF_VERBS: Readonly<Record<string, Order>> = {
  modified: 'modified',
  created: 'created',
  firstSeen: 'changed',
  opened: 'opened',
  asked: 'asked',
  requested: 'requested',
  scanned: 'scanned',
};

/** `by domain and label`: what the rows are counted by. */
export function readGrouping(c: Cursor, piece: Piece): void {
  const taken = c.reading.groupBy.length;
  for (;;) {
    const next = c.next();
    const dimensions = dimensionsOf(c, next);
    if (next === undefined || dimensions === null) break;
    c.reading.groupBy.push({ piece: next, dimensions });
    c.at++;
    const isListed = dimensionsOf(c, c.next(1)) !== null;
    if ((isKind(c.next(), 'join') || isKind(c.next(), 'by')) && isListed) c.at++;
    else break;
  }
  const next = c.next();
  const isPerson = next?.kind === 'phrase' && next.names.some(({ kind }) => kind === 'person');
  if (c.reading.groupBy.length > taken || isPerson) return;
  if (next !== undefined && keyOf(c, next) !== null) readSorting(c, piece);
  else c.unexplained(piece);
}

/** `how many`, `total size of`, `by number of`. A second one would take the place of the first. */
export function readAsk(c: Cursor, piece: Piece, show: 'count' | 'size'): void {
  if (isBy(piece) && isKind(c.next(), 'quantity')) readSorting(c, piece);
  else if (c.reading.ask === null) c.reading.ask = { piece, show };
  else if (c.reading.ask.show !== show || !isKind(c.before(), 'ask')) c.unexplained(piece);
}

/** Whether a count orders groups: `top 5 domains by number of files`. */
export const isBy = ({ written }: Piece): boolean => written.toLowerCase().startsWith('by ');

function dimensionsOf(c: Cursor, piece: Piece | undefined): readonly Dimension[] | null {
  if (isKind(piece, 'label')) return ['label'];
  if (isKind(piece, 'level')) return ['severity', 'risk'];
  if (c.meaning(piece, 'noun')?.subject === 'scopes') return ['scope'];
  return c.meaning(piece, 'dimension')?.dimensions ?? null;
}

/** `sorted by size descending`. */
export function readSorting(c: Cursor, piece: Piece): void {
  const key = c.next();
  const by = key === undefined ? null : keyOf(c, key);
  if (by === null) {
    c.unexplained(piece);
    return;
  }
  c.at++;
  const said = c.takeIf('direction');
  c.orderBy(piece, by, said?.direction ?? (by === BY_NAME ? 'ascending' : 'descending'));
}

function keyOf(c: Cursor, key: Piece): Orders | null {
  const quantity = c.meaning(key, 'quantity');
  if (quantity !== null) return OF_QUANTITY[quantity.field];
  const time = c.meaning(key, 'verb')?.time;
  if (time !== undefined) {
    const known = Object.entries(time).map(([subject, field]) => [subject, OF_VERBS[field]]);
    return Object.fromEntries(known.filter(([, order]) => order !== undefined));
  }
  if (isKind(key, 'level')) return { assets: 'risk', findings: 'severity' };
  const word = key.written.toLowerCase();
  if (word === 'name') return BY_NAME;
  return ['date', 'time'].includes(word) ? TIME : null;
}

/** `most` and `fewest`: copies, or rows of a group. */
export function readExtreme(c: Cursor, piece: Piece, direction: 'ascending' | 'descending'): void {
  const quantity = c.takeIf('quantity');
  if (quantity !== null) c.orderBy(piece, OF_QUANTITY[quantity.field], direction);
  else if (c.reading.extreme === null && c.reading.order === null) c.reading.extreme = { piece, direction };
  else c.unexplained(piece);
}

/** A quantity that is not compared: `the size of …`, `with copies`. */
export function readQuantity(c: Cursor, piece: Piece, field: 'size' | 'copies' | 'confidence'): void {
  const next = c.next();
  if (isKind(next, 'compare') || next?.kind === 'number') return;
  if (field === 'copies') {
    c.value(piece, [{ field, min: 1 }]);
    return;
  }
  if (field === 'size' && c.not === null && c.reading.ask === null) c.reading.ask = { piece, show: 'size' };
  else if (field !== 'size' || c.reading.ask?.show !== 'size') c.unexplained(piece);
}
