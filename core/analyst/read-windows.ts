import type { Cursor } from './cursor.ts';
import type { Meaning } from './meaning.ts';
import { isKind, isNamed, type Piece } from './pieces.ts';
import type { SimpleCondition } from './plan.ts';
import { nounOfList } from './read-nouns.ts';
import type { Statement } from './reading.ts';

type WindowStatement = Extract<Statement, { kind: 'window' }>;

/** A time, with the verb or the status that it is the time of. */
export function readWindow(c: Cursor, piece: Extract<Piece, { kind: 'window' }>): void {
  const { lasting, age, ...window } = piece.window;
  const waiting =
    c.reading.verbs.findLast((each) => !each.hasTime && each.meaning.time !== undefined) ?? null;
  const former = waiting === null && age !== true ? windowOfList(c) : null;
  // How old a thing is gives no verb a time, unless it stands directly after it.
  const verb = age === true && waiting?.piece !== c.before() ? null : (former?.verb ?? waiting);
  const negated = (verb?.negated ?? false) !== c.takeNegation();
  const status = age === true ? null : statusBefore(c);
  // Two things that were done, of which one would have no time: `requested and approved last week`.
  if (status !== null && verb !== null && former === null) c.unexplained(piece);
  // `not resolved for 90 days`: since when it is open is another question.
  if (lasting === true && negated && verb?.meaning.readings !== undefined) c.unexplained(piece);
  if (verb !== null) verb.hasTime = true;
  const ofStatus = verb === null ? (former?.ofStatus ?? status) : null;
  if (lasting !== true || negated) {
    c.reading.statements.push({ kind: 'window', piece, window, verb, negated, ofStatus });
    return;
  }
  // What has been so for two weeks became so before.
  if (ofStatus === null && verb?.meaning.readings === undefined) c.unexplained(piece);
  const before = { to: window.from ?? 0, lasting };
  c.reading.statements.push({ kind: 'window', piece, window: before, verb, negated, ofStatus });
}

/** `Since March, which findings were resolved`: the time before a question is that of its verb or status. */
export function placeLeadingWindow(c: Cursor): void {
  const [first] = c.reading.statements;
  const [piece, next] = c.pieces;
  if (first?.kind !== 'window' || first.piece !== piece || first.verb !== null) return;
  const isApart =
    isNamed(next, 'person') || ['join', 'ask', 'which'].some((kind) => isKind(next, kind as Meaning['kind']));
  const verbs = c.reading.verbs.filter(({ meaning, hasTime }) => meaning.time !== undefined && !hasTime);
  const [verb] = verbs;
  if (!isApart) return;
  const isDated = c.reading.verbs.some(({ hasTime }) => hasTime);
  if (verbs.length > 1 || (verbs.length === 0 && isDated)) c.unexplained(piece);
  else if (verb !== undefined) {
    first.verb = verb;
    first.negated = verb.negated;
    verb.hasTime = true;
  } else
    first.ofStatus = c.pieces.map((each) => statusSaid(c, each)).find((status) => status !== null) ?? null;
}

const STATUSES: readonly SimpleCondition['field'][] = [
  'candidateStatus',
  'actionStatus',
  'findingStatus',
  'provenance',
  'labelState',
  'exposure',
  'contentState',
  'coverage',
  'copies',
  'owned',
  'risk',
  'severity',
];

/** The window that another one goes on: `created after January and before March`. */
function windowOfList(c: Cursor): WindowStatement | null {
  const last = c.reading.statements.at(-1);
  const isJoined = isKind(c.before(), 'join') || isKind(c.before(), 'not');
  return isJoined && last?.kind === 'window' && last.piece === nounOfList(c) ? last : null;
}

/** The status that a time belongs to: the one before it in the same clause, whatever stands between. */
function statusBefore(c: Cursor): readonly SimpleCondition[] | null {
  for (let back = 1; ; back++) {
    const piece = c.before(back);
    if (c.reading.lead?.piece === piece || c.reading.groupBy.some((each) => each.piece === piece))
      return null;
    const status = statusSaid(c, piece);
    if (status !== null) return status;
    const isJoined = isKind(piece, 'join') && !(isName(c.before(back + 1)) && isName(c.before(back - 1)));
    if (piece === undefined || isJoined || piece.kind !== 'phrase' || isKind(piece, 'noun')) return null;
    const verb = c.meaning(piece, 'verb');
    // One of a list of statuses: `acknowledged or resolved`.
    const isListed = verb !== null && !c.reading.verbs.some((each) => each.piece === piece);
    if (verb !== null) return isListed ? (verb.readings ?? null) : null;
  }
}

const isName = (piece: Piece | undefined): boolean => piece?.kind === 'phrase' && piece.names.length > 0;

/** What a piece says of how a row came to be as it is, such as `confirmed`: a time after it is the time of that. */
function statusSaid(c: Cursor, piece: Piece | undefined): readonly SimpleCondition[] | null {
  if (isKind(piece, 'label')) return [{ field: 'labelState', any: ['labeled'] }];
  if (c.meaning(piece, 'dimension')?.role === 'owner') return [{ field: 'owned' }];
  if (c.meaning(piece, 'quantity')?.field === 'copies') return [{ field: 'copies' }];
  const read = c.reading.statements.find((each) => each.piece === piece && each.kind === 'value');
  const own = c.meaning(piece, 'value')?.readings ?? c.meaning(piece, 'noun')?.where ?? [];
  // As it was read, with its negation.
  const readings = read?.kind === 'value' ? read.readings : own;
  return readings.some(({ field }) => STATUSES.includes(field)) ? readings : null;
}
