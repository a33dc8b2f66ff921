import type { Cursor } from './cursor.ts';
import type { Meaning, Role } from './meaning.ts';
import { isKind, isNamed, type PhrasePiece, type Piece } from './pieces.ts';
import { isEverything, isException } from './read-exceptions.ts';
import type { Bounds, Reading, Statement, Verb } from './reading.ts';
import type { NameKind } from './vocabulary.ts';

type WindowStatement = Extract<Statement, { kind: 'window' }>;

const idsOf = (piece: PhrasePiece, kind: NameKind): string[] => [
  ...new Set(piece.names.filter((name) => name.kind === kind).map(({ id }) => id)),
];

/** Reads a piece that is or may be a name, by what the noun beside it says. Whether it was read as a name. */
export function readName(c: Cursor, piece: PhrasePiece): boolean {
  if (piece.names.length === 0) return false;
  const said =
    [c.next(), nounOfList(c)].map((each) => kindSaid(c, each)).find((kind) => kind !== null) ?? null;
  const isSaid = piece.names.some((name) => name.kind === said);
  // `findings in Risk`
  const isPlace = piece.fillers.at(-1) === 'in' && /^\p{Lu}/u.test(piece.written) && isNamed(piece, 'domain');
  // `containing emails` is of addresses, `emails in Finance` of messages, and `with emails` of either.
  const isMail = c.meaning(piece, 'value')?.readings.some(({ field }) => field === 'family') === true;
  const isContained = isMail && isKind(c.before(), 'contain') && isNamed(piece, 'identifier');
  if (isMail && piece.fillers.at(-1) === 'with') {
    c.unexplained(piece);
    return true;
  }
  if (!isSaid && !isPlace && !isContained && piece.meaning !== null) return false;
  const kind =
    isSaid && said !== null ? said : isContained ? 'identifier' : (piece.names[0]?.kind ?? 'domain');
  const isBy = isKind(c.before(), 'by');
  if (kind === 'scope' && !isSaid && !mayBePlace(c, piece)) {
    c.unexplained(piece);
    return true;
  }
  if (isSaid && kindSaid(c, c.next()) === kind) c.at++;
  if (kind !== 'person') {
    c.value(piece, [{ field: kind, any: idsOf(piece, kind) }]);
    return true;
  }
  const verb = c.reading.verbs.findLast((each) => !each.hasPerson && each.meaning.role !== undefined);
  // `requests by Lena`, `requests from Lena`
  const requests = c.before(isBy ? 2 : 1);
  const isRequest =
    c.meaning(requests, 'noun')?.subject === 'actions' && (isBy || piece.fillers.at(-1) === 'from');
  if (verb === undefined && !isRequest && (isBy || !mayOwn(c, piece))) c.unexplained(piece);
  else addPerson(c, piece, verb);
  return true;
}

/** Function words before the name of a scope. */
const PLACE_WORDS = new Set(['in', 'on', 'at', 'from', 'of', 'inside', 'within', 'into']);

/** Whether a scope can be meant. One with a name of one word is named as a place, or in capitals: not `which people`. */
const mayBePlace = (c: Cursor, piece: PhrasePiece): boolean =>
  /\s|^\p{Lu}|^["“„]/u.test(piece.written) ||
  PLACE_WORDS.has(piece.fillers.at(-1) ?? '') ||
  isKind(c.before(), 'join') ||
  isKind(c.before(), 'not');

/** The piece that a name belongs to, also after a comma or a negation: `labelled, but not Public`. */
export function nounOfList(c: Cursor): Piece | undefined {
  let back = 1;
  while (isKind(c.before(back), 'join') || isKind(c.before(back), 'not')) back++;
  return c.before(back);
}

/** Function words after which a person is no owner. */
const NOT_OF_OWNERS = new Set(['from', 'with', 'to', 'at', 'in', 'on', 'as', 'into', 'inside', 'within']);

/** Whether a person who nothing is said of can be an owner: `Lena’s files`, but not `shared with Lena`, `Lena edited`. */
function mayOwn(c: Cursor, piece: Piece): boolean {
  const verb = c.meaning(c.next(isKind(c.next(), 'not') ? 1 : 0), 'verb');
  if (verb !== null) return verb.role !== undefined;
  return !NOT_OF_OWNERS.has(piece.fillers.at(-1) ?? '') && !isKind(c.before(), 'contain');
}

/** What kind of thing a noun says that the name beside it names. */
function kindSaid(c: Cursor, piece: Piece | undefined): NameKind | null {
  if (c.meaning(piece, 'noun')?.subject === 'scopes') return 'scope';
  if (isKind(piece, 'label')) return 'label';
  return c.meaning(piece, 'dimension')?.names ?? null;
}

function addPerson(c: Cursor, piece: PhrasePiece, verb: Verb | undefined): void {
  const ids = idsOf(piece, 'person');
  const last = c.reading.statements.at(-1);
  if (c.join !== null && c.not === null && last?.kind === 'person' && last.end === c.at - 2) {
    last.ids = [...new Set([...last.ids, ...ids])];
    last.end = c.at;
    c.join = null;
    return;
  }
  if (verb !== undefined) verb.hasPerson = true;
  const negated = verb?.negated ?? c.takeNegation();
  // `acknowledged by Lena but not Amara`
  const listed = last?.kind === 'person' && c.join !== null ? last.role : null;
  const role = verb?.meaning.role ?? listed;
  c.reading.statements.push({ kind: 'person', piece, ids, role, negated, end: c.at });
}

export function readNoun(
  c: Cursor,
  piece: Piece,
  { subject, where = [] }: Extract<Meaning, { kind: 'noun' }>,
  bounds: Bounds | null,
): void {
  const isNarrowed = where.length > 0;
  const isPart = subject !== 'assets' && subject !== 'scopes';
  const negated = (isPart || !isNarrowed || c.isLead()) && c.takeNegation();
  c.reading.statements.push({ kind: 'noun', piece, subject, negated, bounds: bounds ?? c.bounds });
  c.bounds = null;
  if (isNarrowed) c.value(piece, where);
}

export function readVerb(c: Cursor, piece: Piece, meaning: Extract<Meaning, { kind: 'verb' }>): void {
  // `without acknowledged findings`
  const isOfNoun = c.not !== null && meaning.readings !== undefined && c.nounAhead() !== null;
  if (isOfNoun || isListedStatus(c, meaning)) {
    c.value(piece, meaning.readings ?? []);
    return;
  }
  const last = c.reading.statements.at(-1);
  const isAfter = last !== undefined && last.piece === c.beforeNegation();
  const verb: Verb = { piece, meaning, negated: c.takeNegation(), hasPerson: false, hasTime: false };
  c.reading.verbs.push(verb);
  // What comes before its verb: `Lena requested`, `Lena does not own`, `yesterday’s new files`.
  if (isAfter && last.kind === 'person' && last.role === null && meaning.role !== undefined) {
    last.role = meaning.role;
    last.negated ||= verb.negated;
    verb.hasPerson = true;
  } else if (isAfter && last.kind === 'window' && mayPrecede(c, last, piece) && meaning.time !== undefined) {
    last.verb = verb;
    verb.hasTime = true;
  }
}

/** `open or acknowledged`, `resolved or acknowledged`: verbs in a list of statuses. */
function isListedStatus(c: Cursor, meaning: Extract<Meaning, { kind: 'verb' }>): boolean {
  const isOf = (piece: Piece | undefined) => {
    const readings = c.meaning(piece, 'value')?.readings ?? c.meaning(piece, 'verb')?.readings ?? [];
    return readings.some(({ field }) => meaning.readings?.some((own) => own.field === field));
  };
  const isAfter = c.join?.or === true && isOf(c.before(2));
  return isAfter || (c.meaning(c.next(), 'join')?.or === true && isOf(c.next(1)));
}

/** Whether a window can be the time of the verb after it. In `from January that were resolved in March` it cannot. */
const mayPrecede = (c: Cursor, { piece, verb }: WindowStatement, of: Piece): boolean =>
  verb === null &&
  of.gap !== true &&
  piece.kind === 'window' &&
  piece.window.age !== true &&
  c.next()?.kind !== 'window' &&
  !isKind(c.next(), 'by');

/** `label`, `labelled`: with the names that follow, or whether there is one. */
export function readLabel(c: Cursor, piece: Piece, isVerb: boolean): void {
  // `labelled anything but Public`
  const ahead = isEverything(c.next()) ? 1 : 0;
  const not = c.next(ahead);
  const isNot = isKind(not, 'not') || c.meaning(not, 'join')?.but === true;
  if (not !== undefined && isNot && isNamed(c.next(ahead + 1), 'label')) {
    // A file without a label has none other than Public, and `a label but not Public` is one.
    const isContrast =
      not.written.toLowerCase().startsWith('but') || (!isVerb && piece.fillers.includes('with'));
    if (ahead > 0 || isContrast || isException(c, not)) {
      if (c.not !== null) c.unexplained(not);
      c.value(piece, [{ field: 'labelState', any: ['labeled'] }]);
    }
    c.negate(not);
    c.at += ahead + 1;
  }
  if (!isNamed(c.next(), 'label')) {
    if (isKind(c.before(), 'ask')) {
      c.unexplained(piece);
      return;
    }
    if (!isVerb && isLead(c)) {
      readLead(c, piece, ['label']);
      return;
    }
    c.value(piece, [{ field: 'labelState', any: ['labeled'] }]);
    return;
  }
  for (;;) {
    const named = c.take() as PhrasePiece;
    c.value(named, [{ field: 'label', any: idsOf(named, 'label') }]);
    const join = c.meaning(c.next(), 'join');
    const isListed = isNamed(c.next(join === null ? 0 : 1), 'label');
    if (join === null || !isListed) return;
    c.join = { piece: c.next() as Piece, or: join.or };
    c.at++;
  }
}

export function readDimension(
  c: Cursor,
  piece: Piece,
  meaning: Extract<Meaning, { kind: 'dimension' }>,
): void {
  const { dimensions, names, role } = meaning;
  const next = c.next();
  if (isNamed(next, names) && role === undefined) return;
  if (isNamed(next, names)) {
    c.take();
    const verb = {
      piece,
      meaning: { kind: 'verb' as const, role: role as Role },
      negated: c.takeNegation(),
      hasPerson: false,
      hasTime: true,
    };
    addPerson(c, next, verb);
    return;
  }
  if (isLead(c)) {
    readLead(c, piece, dimensions);
    return;
  }
  const last = c.reading.statements.at(-1);
  // `Amara is not the owner`
  if (
    role === 'owner' &&
    last?.kind === 'person' &&
    last.piece === c.beforeNegation() &&
    piece.gap === true
  ) {
    last.role = role;
    last.negated = c.takeNegation();
    return;
  }
  if (role === 'owner' && !isKind(c.before(), 'ask')) {
    c.value(piece, [{ field: 'owned' }]);
    return;
  }
  c.unexplained(piece);
}

/** Whether the piece is where a question says what it asks for. */
function isLead(c: Cursor): boolean {
  const before = c.before();
  return (
    c.not === null &&
    (before === undefined ||
      isKind(before, 'which') ||
      (before.kind === 'number' && c.reading.limit?.piece === before))
  );
}

function readLead(c: Cursor, piece: Piece, dimensions: NonNullable<Reading['lead']>['dimensions']): void {
  if (c.reading.lead !== null) {
    c.unexplained(piece);
    return;
  }
  c.reading.lead = { piece, dimensions, isSingle: !piece.written.toLowerCase().endsWith('s') };
}
