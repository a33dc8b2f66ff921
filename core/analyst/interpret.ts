import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import type { Comparison, Meaning, Role } from './meaning.ts';
import { isKind, type Piece } from './pieces.ts';
import type { SimpleCondition } from './plan.ts';
import { type Bounds, emptyReading, negatedCondition, type Reading, type Statement } from './reading.ts';
import type { NameKind } from './vocabulary.ts';

const NAME_FIELDS = { domain: 'domain', type: 'type', scope: 'scope', identifier: 'identifier', label: 'label' } as const;
/** Of an asset there are several of these, so `and` between two means both. */
const SEVERAL = new Set(['identifier', 'words']);
const ORDERS_OF_QUANTITY = {
  size: { assets: 'size' },
  copies: { assets: 'copies' },
  confidence: { candidates: 'confidence' },
} as const;

/** What the pieces of a question say. What it leaves open, such as the subject, is decided in assemble.ts. */
export const interpret = (pieces: readonly Piece[]): Reading => new Interpreter(pieces).read();

/** Reads the pieces from left to right. Each rule takes the pieces that it understands. */
class Interpreter {
  readonly #pieces: readonly Piece[];
  readonly #reading: Reading = emptyReading();
  #at = 0;
  /** A negation that waits for what it negates. */
  #not: Piece | null = null;
  /** The `and` or `or` before the piece. */
  #join: { piece: Piece; or: boolean } | null = null;
  /** The condition that was read last, if a list may go on with another value of it, and whether it is negated. */
  #last: { statement: Extract<Statement, { kind: 'value' }>; negated: boolean; end: number } | null = null;
  #severityField: 'risk' | 'severity' | null = null;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  read(): Reading {
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at] as Piece;
      const start = this.#at;
      this.#at++;
      if (isKind(piece, 'join')) {
        this.#dropJoin();
        this.#join = { piece, or: this.#meaning(piece, 'join')?.or === true };
        continue;
      }
      this.#piece(piece);
      // An `or` that joins no two values of one field would change what all of the question means.
      if (this.#at > start && !isKind(piece, 'not')) this.#dropJoin();
    }
    this.#dropJoin();
    if (this.#not !== null) this.#unexplained(this.#not);
    return this.#reading;
  }

  #dropJoin(): void {
    if (this.#join?.or === true) this.#unexplained(this.#join.piece);
    this.#join = null;
  }

  #unexplained(piece: Piece): void {
    this.#reading.unexplained.push(piece);
  }

  #meaning<K extends Meaning['kind']>(piece: Piece | undefined, kind: K): Extract<Meaning, { kind: K }> | null {
    return piece?.kind === 'phrase' && piece.meaning?.kind === kind
      ? (piece.meaning as Extract<Meaning, { kind: K }>)
      : null;
  }

  #next(ahead = 0): Piece | undefined {
    return this.#pieces[this.#at + ahead];
  }

  #takeNegation(): boolean {
    const negated = this.#not !== null;
    this.#not = null;
    return negated;
  }

  #piece(piece: Piece): void {
    if (piece.kind === 'unknown') return this.#unexplained(piece);
    if (piece.kind === 'window') return this.#window(piece);
    if (piece.kind === 'number') return this.#number(piece, 'exactly', null);
    if (piece.kind === 'words') return this.#value(piece, [{ field: 'words', text: piece.text }]);
    const { meaning } = piece;
    if (this.#name(piece, meaning)) return;
    switch (meaning?.kind) {
      case 'not':
        // Two negations are none.
        this.#not = this.#not === null ? piece : null;
        return;
      case 'noun':
        return this.#noun(piece, meaning, null);
      case 'value':
        return this.#valueOf(piece, meaning.readings, null);
      case 'verb':
        return this.#verb(piece, meaning);
      case 'label':
        return this.#label(piece, meaning.isVerb);
      case 'dimension':
        return this.#dimension(piece, meaning);
      case 'level':
        return this.#level(piece, meaning.field);
      case 'compare':
        return this.#compare(piece, meaning);
      case 'quantity':
        return this.#quantity(piece, meaning.field);
      case 'by':
        return this.#by(piece);
      case 'sort':
        return this.#sort(piece);
      case 'ask':
        this.#reading.show = meaning.show;
        return;
      case 'order':
        this.#reading.order = { piece, by: meaning.by, direction: meaning.direction };
        return;
      case 'extreme':
        return this.#extreme(piece, meaning.direction);
      case 'top':
        return this.#top(piece);
      case 'which':
        return;
      case 'text':
      case 'contain':
        if (this.#next() === undefined) this.#unexplained(piece);
        return;
      case 'access':
        return this.#access(piece);
      default:
        this.#unexplained(piece);
    }
  }

  /** Names that the piece is or may be, by the kind that the noun beside it says. Whether it was read as a name. */
  #name(piece: Extract<Piece, { kind: 'phrase' }>, meaning: Meaning | null): boolean {
    if (piece.names.length === 0) return false;
    const beside = [this.#next(), this.#pieces[this.#at - 2]];
    const said = beside.map((each) => this.#kindSaid(each)).find((kind) => kind !== null) ?? null;
    const fitting = piece.names.filter(({ kind }) => kind === said);
    if (fitting.length === 0 && meaning !== null) return false;
    const kind = fitting[0]?.kind ?? piece.names[0]?.kind ?? 'domain';
    const ids = [...new Set(piece.names.filter((name) => name.kind === kind).map(({ id }) => id))];
    if (this.#kindSaid(this.#next()) === kind && fitting.length > 0) this.#at++;
    if (kind === 'person') {
      const verb = this.#reading.verbs.findLast((each) => !each.isUsed && each.meaning.role !== undefined);
      const isBy = isKind(this.#pieces[this.#pieces.indexOf(piece) - 1], 'by');
      if (isBy && verb === undefined) this.#unexplained(piece);
      else this.#person(piece, ids, verb);
      return true;
    }
    this.#value(piece, [{ field: NAME_FIELDS[kind], any: ids }]);
    return true;
  }

  /** What kind of thing a noun says that the name beside it names. */
  #kindSaid(piece: Piece | undefined): NameKind | null {
    if (this.#meaning(piece, 'noun')?.subject === 'scopes') return 'scope';
    if (isKind(piece, 'label')) return 'label';
    return this.#meaning(piece, 'dimension')?.names ?? null;
  }

  #person(piece: Piece, ids: string[], verb: Reading['verbs'][number] | undefined): void {
    if (verb !== undefined) verb.isUsed = true;
    const negated = verb?.negated ?? this.#takeNegation();
    this.#reading.statements.push({ kind: 'person', piece, ids, role: verb?.meaning.role ?? null, negated });
  }

  /** Adds a condition, or adds its value to the list that it goes on. */
  #value(piece: Piece, readings: readonly SimpleCondition[]): void {
    const last = this.#last;
    const goesOn = last !== null && (this.#join !== null ? last.end === this.#at - 2 : last.end === this.#at - 1);
    const merged = goesOn && this.#not === null ? merge(last.statement.readings, readings, this.#join) : null;
    if (last !== null && merged !== null) {
      last.statement.readings = merged;
      last.end = this.#at;
      this.#join = null;
      return;
    }
    const negated = this.#takeNegation();
    const kept = negated ? readings.flatMap(negatedCondition) : [...readings];
    if (kept.length === 0) return this.#unexplained(piece);
    const statement = { kind: 'value' as const, piece, readings: kept };
    this.#reading.statements.push(statement);
    this.#last = { statement, negated, end: this.#at };
  }

  #valueOf(piece: Piece, readings: readonly SimpleCondition[], comparison: Comparison | null): void {
    const severity = readings.find((each) => each.field === 'severity')?.any[0];
    if (severity === undefined) return this.#value(piece, readings);
    const beyond = this.#beyond();
    const level = this.#levelAhead() ?? this.#severityField;
    this.#severityField = null;
    const any = severitiesBy(severity, comparison ?? this.#beyond() ?? beyond ?? 'exactly');
    if (any.length === 0) return this.#unexplained(piece);
    const each: SimpleCondition[] = [{ field: 'severity', any }, { field: 'risk', any }];
    this.#value(piece, level === null ? each : each.filter(({ field }) => field === level));
  }

  /** `or worse`, after a severity. */
  #beyond(): Comparison | null {
    const beyond = this.#meaning(this.#next(), 'orBeyond');
    if (beyond === null) return null;
    this.#at++;
    return beyond.comparison;
  }

  /** The noun that says what is so severe, after the severity or after a list of them. */
  #levelAhead(): 'risk' | 'severity' | null {
    let ahead = 0;
    const isListed = (piece: Piece | undefined) =>
      this.#meaning(piece, 'value')?.readings.some(({ field }) => field === 'severity') === true;
    while (isKind(this.#next(ahead), 'join') && isListed(this.#next(ahead + 1))) ahead += 2;
    const level = this.#meaning(this.#next(ahead), 'level');
    if (level === null) return null;
    if (ahead === 0) this.#at++;
    return level.field;
  }

  #level(piece: Piece, field: 'risk' | 'severity'): void {
    const next = this.#next();
    const before = this.#pieces[this.#at - 2];
    const isSeverity = (each: Piece | undefined) =>
      this.#meaning(each, 'value')?.readings.some((reading) => reading.field === 'severity') === true;
    if (isSeverity(next) || isKind(next, 'compare')) this.#severityField = field;
    else if (!isSeverity(before)) this.#unexplained(piece);
  }

  #noun(piece: Piece, { subject, where = [] }: Extract<Meaning, { kind: 'noun' }>, bounds: Bounds | null): void {
    const isNarrowed = where.length > 0;
    const isPart = subject !== 'assets' && subject !== 'scopes';
    const negated = this.#not !== null && (isPart || !isNarrowed) ? this.#takeNegation() : false;
    this.#reading.statements.push({ kind: 'noun', piece, subject, negated, bounds });
    if (isNarrowed) this.#value(piece, where);
  }

  #verb(piece: Piece, meaning: Extract<Meaning, { kind: 'verb' }>): void {
    const verb = { piece, meaning, negated: this.#takeNegation(), isUsed: false };
    this.#reading.verbs.push(verb);
    const { statements } = this.#reading;
    const last = statements.at(-1);
    // What comes before its verb: `Lena requested`, `yesterday’s new files`.
    if (last === undefined || last.piece !== this.#pieces[this.#at - 2]) return;
    if (last.kind === 'person' && last.role === null && meaning.role !== undefined) {
      last.role = meaning.role;
      last.negated ||= verb.negated;
      verb.isUsed = true;
    } else if (last.kind === 'window' && last.verb === null && meaning.time !== undefined && !isKind(this.#next(), 'by')) {
      last.verb = verb;
      verb.isUsed = true;
    }
  }

  #window(piece: Extract<Piece, { kind: 'window' }>): void {
    const verb = this.#reading.verbs.findLast((each) => !each.isUsed && each.meaning.time !== undefined) ?? null;
    if (verb !== null) verb.isUsed = true;
    const negated = (verb?.negated ?? false) !== this.#takeNegation();
    this.#reading.statements.push({ kind: 'window', piece, window: piece.window, verb, negated });
  }

  /** `label`, `labelled`: with the names that follow, or whether there is one. */
  #label(piece: Piece, isVerb: boolean): void {
    const isLabel = (each: Piece | undefined) => each?.kind === 'phrase' && each.names.some(({ kind }) => kind === 'label');
    if (isKind(this.#next(), 'not') && isLabel(this.#next(1))) {
      this.#not = this.#not === null ? (this.#next() ?? null) : null;
      this.#at++;
    }
    const named = this.#next();
    if (named?.kind !== 'phrase' || !isLabel(named)) {
      if (!isVerb && this.#isLead()) return this.#leadBy(piece, ['label']);
      return this.#value(piece, [{ field: 'labelState', any: ['labeled'] }]);
    }
    do {
      const each = this.#next() as Extract<Piece, { kind: 'phrase' }>;
      this.#at++;
      const ids = each.names.filter(({ kind }) => kind === 'label').map(({ id }) => id);
      this.#value(each, [{ field: 'label', any: ids }]);
      const join = this.#meaning(this.#next(), 'join');
      if (join === null || !isLabel(this.#next(1))) break;
      this.#join = { piece: this.#next() as Piece, or: join.or };
      this.#at++;
    } while (isLabel(this.#next()));
  }

  #dimension(piece: Piece, { dimensions, names, role }: Extract<Meaning, { kind: 'dimension' }>): void {
    const next = this.#next();
    const isNamed = next?.kind === 'phrase' && next.names.some(({ kind }) => kind === names);
    if (isNamed && role === undefined) return;
    if (isNamed) {
      this.#at++;
      const verb = { piece, meaning: { kind: 'verb' as const, role: role as Role }, negated: this.#takeNegation(), isUsed: true };
      const ids = next.names.filter(({ kind }) => kind === 'person').map(({ id }) => id);
      return this.#person(next, ids, verb);
    }
    if (role === 'owner' && !this.#isLead()) return this.#value(piece, [{ field: 'owned' }]);
    if (this.#isLead()) return this.#leadBy(piece, dimensions);
    this.#unexplained(piece);
  }

  /** Whether the piece stands where a question says what it asks for. */
  #isLead(): boolean {
    const before = this.#pieces[this.#at - 2];
    return (
      before === undefined || isKind(before, 'which') || (before.kind === 'number' && this.#reading.limit?.piece === before)
    );
  }

  #leadBy(piece: Piece, dimensions: NonNullable<Reading['lead']>['dimensions']): void {
    if (this.#reading.lead !== null) return this.#unexplained(piece);
    this.#reading.lead = { piece, dimensions, isSingle: !piece.written.toLowerCase().endsWith('s') };
  }

  #compare(piece: Piece, { comparison, field }: Extract<Meaning, { kind: 'compare' }>): void {
    const next = this.#next();
    if (next?.kind === 'number') {
      this.#at++;
      return this.#number(next, comparison, field ?? null);
    }
    const readings = this.#meaning(next, 'value')?.readings;
    if (next !== undefined && readings?.some((each) => each.field === 'severity') && comparison !== 'between') {
      this.#at++;
      return this.#valueOf(next, readings, comparison);
    }
    this.#unexplained(piece);
  }

  /** A number with what it counts or measures, which may stand before the comparison. */
  #number(piece: Extract<Piece, { kind: 'number' }>, comparison: Comparison, field: 'size' | 'confidence' | null): void {
    let other: number | null = null;
    const second = this.#next(1);
    if (comparison === 'between') {
      if (!isKind(this.#next(), 'join') || second?.kind !== 'number') return this.#unexplained(piece);
      other = second.number;
      this.#at += 2;
    }
    const said = this.#beyond() ?? comparison;
    const unit = this.#meaning(this.#next(), 'unit');
    const isPercent = isKind(this.#next(), 'percent');
    if (unit !== null || isPercent) this.#at++;
    const after = this.#beyond() ?? said;
    const start = this.#pieces.indexOf(piece) - (comparison === 'exactly' ? 1 : 2);
    const before = this.#meaning(this.#pieces[start], 'quantity');
    const ahead = this.#meaning(this.#next(), 'quantity');
    const measured = ahead?.field ?? before?.field ?? field ?? (unit === null ? null : 'size');
    const { number } = piece;
    if (measured === 'confidence') {
      if (ahead !== null) this.#at++;
      const scale = isPercent || number > 1 ? 100 : 1;
      return this.#ranged(piece, 'confidence', boundsOf(after, number / scale, other === null ? null : other / scale, 0));
    }
    if (measured === 'size' && (unit !== null || number === 0)) {
      if (ahead !== null) this.#at++;
      const bytes = unit?.bytes ?? 1;
      return this.#ranged(piece, 'size', boundsOf(after, number * bytes, other === null ? null : other * bytes, 1));
    }
    if (unit !== null || isPercent || measured === 'size' || field !== null || !Number.isInteger(number))
      return this.#unexplained(piece);
    if (measured === 'copies') {
      if (ahead !== null) this.#at++;
      return this.#ranged(piece, 'copies', boundsOf(after, number, other, 1));
    }
    const isPlain = comparison === 'exactly' && after === 'exactly';
    if (isPlain && this.#isLimit()) {
      this.#reading.limit = { piece, rows: number };
      return;
    }
    const counted = this.#next();
    const noun = this.#meaning(counted, 'noun');
    if (counted === undefined || noun === null || this.#reading.statements.every(({ kind }) => kind !== 'noun'))
      return this.#unexplained(piece);
    this.#at++;
    this.#noun(counted, noun, boundsOf(after, number, other, 1));
  }

  /** Whether a number without a comparison says how many rows are wanted: before the first noun, or after `top`. */
  #isLimit(): boolean {
    if (isKind(this.#pieces[this.#at - 2], 'top')) return true;
    return this.#reading.limit === null && this.#reading.statements.every(({ kind }) => kind !== 'noun');
  }

  #ranged(piece: Piece, field: 'size' | 'copies' | 'confidence', bounds: Bounds | null): void {
    const isWithin = bounds !== null && Object.values(bounds).every((bound) => bound <= (field === 'confidence' ? 1 : 2 ** 50));
    if (bounds === null || !isWithin) return this.#unexplained(piece);
    this.#value(piece, [{ field, ...bounds }]);
  }

  #quantity(piece: Piece, field: 'size' | 'copies' | 'confidence'): void {
    const next = this.#next();
    if (isKind(next, 'compare') || next?.kind === 'number') return;
    if (field === 'copies') return this.#value(piece, [{ field: 'copies', min: 1 }]);
    if (field === 'size' && this.#not === null && this.#reading.show !== 'count') this.#reading.show = 'size';
    else this.#unexplained(piece);
  }

  #by(piece: Piece): void {
    const taken = this.#reading.groupBy.length;
    for (;;) {
      const next = this.#next();
      const dimensions =
        this.#meaning(next, 'dimension')?.dimensions ??
        (isKind(next, 'label') ? (['label'] as const) : null) ??
        (this.#meaning(next, 'noun')?.subject === 'scopes' ? (['scope'] as const) : null) ??
        (isKind(next, 'level') ? (['severity', 'risk'] as const) : null);
      if (next === undefined || dimensions === null) break;
      this.#reading.groupBy.push({ piece: next, dimensions });
      this.#at++;
      if (isKind(this.#next(), 'join') || isKind(this.#next(), 'by')) this.#at++;
      else break;
    }
    const next = this.#next();
    const isPerson = next?.kind === 'phrase' && next.names.some(({ kind }) => kind === 'person');
    if (this.#reading.groupBy.length > taken || isPerson) return;
    if (isKind(next, 'quantity')) return this.#sort(piece);
    this.#unexplained(piece);
  }

  #sort(piece: Piece): void {
    const key = this.#next();
    const quantity = this.#meaning(key, 'quantity');
    const verb = this.#meaning(key, 'verb');
    const level = this.#meaning(key, 'level');
    const isName = key?.kind === 'unknown' && key.written.toLowerCase() === 'name';
    const isDate = key?.kind === 'unknown' && ['date', 'age', 'time'].includes(key.written.toLowerCase());
    const by =
      (quantity && ORDERS_OF_QUANTITY[quantity.field]) ??
      (verb?.time && { ...verb.time, ...(verb.time.assets === 'firstSeen' ? { assets: 'changed' as const } : {}) }) ??
      (level && ({ assets: 'risk', findings: 'severity' } as const)) ??
      (isName ? ({ assets: 'name', scopes: 'name' } as const) : null) ??
      (isDate ? ({ assets: 'modified', findings: 'opened', candidates: 'asked', actions: 'requested' } as const) : null);
    if (by === null || key === undefined) return this.#unexplained(piece);
    this.#at++;
    const said = this.#meaning(this.#next(), 'direction');
    if (said !== null) this.#at++;
    this.#reading.order = {
      piece,
      by: by as NonNullable<Reading['order']>['by'],
      direction: said?.direction ?? (isName ? 'ascending' : 'descending'),
    };
  }

  #extreme(piece: Piece, direction: 'ascending' | 'descending'): void {
    if (isKind(this.#next(), 'quantity')) {
      const { field } = this.#meaning(this.#next(), 'quantity') ?? { field: 'size' as const };
      this.#at++;
      this.#reading.order = { piece, by: ORDERS_OF_QUANTITY[field], direction };
      return;
    }
    this.#reading.extreme = { piece, direction };
  }

  #top(piece: Piece): void {
    if (this.#next()?.kind === 'number') return;
    this.#unexplained(piece);
  }

  #access(piece: Piece): void {
    const isShared = (each: Piece | undefined) =>
      this.#meaning(each, 'value')?.readings.some(({ field }) => field === 'exposure') === true;
    if (!this.#pieces.some(isShared)) this.#unexplained(piece);
  }
}

/** The readings with the values of a list that goes on, or null if it does not. */
function merge(
  present: readonly SimpleCondition[],
  added: readonly SimpleCondition[],
  join: { or: boolean } | null,
): SimpleCondition[] | null {
  const merged = present.flatMap((one) => {
    const other = added.find(({ field }) => field === one.field);
    if (other === undefined || !('any' in one) || !('any' in other) || other.not !== undefined) return [];
    if (SEVERAL.has(one.field) && join?.or !== true) return [];
    return [{ ...one, any: [...new Set<string>([...one.any, ...other.any])] } as SimpleCondition];
  });
  return merged.length === 0 ? null : merged;
}

/** Severities from one on, or one of them. */
function severitiesBy(severity: Severity, comparison: Comparison): Severity[] {
  const at = SEVERITIES.indexOf(severity);
  const isIn: Readonly<Record<Comparison, (i: number) => boolean>> = {
    more: (i) => i > at,
    least: (i) => i >= at,
    less: (i) => i < at,
    most: (i) => i <= at,
    exactly: (i) => i === at,
    between: () => false,
  };
  return SEVERITIES.filter((_, i) => isIn[comparison](i));
}

/** Bounds of a comparison. `step`: the difference to the next larger number, 0 if there is none. Null if nothing fits. */
function boundsOf(comparison: Comparison, number: number, other: number | null, step: number): Bounds | null {
  if (comparison === 'between') return other === null || other < number ? null : { min: number, max: other };
  if (comparison === 'more') return { min: number + step };
  if (comparison === 'less') return number - step < 0 ? null : { max: number - step };
  if (comparison === 'least') return { min: number };
  if (comparison === 'most') return { max: number };
  return { min: number, max: number };
}
