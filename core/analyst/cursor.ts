import type { Meaning } from './meaning.ts';
import { isKind, meaningOf, type Piece } from './pieces.ts';
import { isPart, type SimpleCondition } from './plan.ts';
import {
  type Bounds,
  type Direction,
  emptyReading,
  negatedCondition,
  type Reading,
  type Statement,
} from './reading.ts';

/** Of an asset there are several of these, so `and` between two means both. */
const SEVERAL = new Set(['identifier', 'words', 'exposure']);

/** Fields by which domains, scopes and the like may themselves be left out. */
const OF_GROUPS = new Set(['domain', 'type', 'scope', 'family', 'owner', 'coverage', 'label']);

/** The place in a question, what waits for its object there, and what was read so far. */
export class Cursor {
  readonly pieces: readonly Piece[];
  readonly reading: Reading = emptyReading();
  /** The place of the next piece. */
  at = 0;
  /** The place of the piece that is read. */
  #start = 0;
  /** A negation that waits for what it negates. */
  not: Piece | null = null;
  /** The `and` or `or` before the piece. */
  join: { piece: Piece; or: boolean } | null = null;
  /** The negation of the noun before, which a list of nouns carries on: `without label or owner`. */
  carried: Piece | null = null;
  /** Whether the piece before was negated. */
  wasNegated = false;
  /** What a severity that follows is the severity of. */
  level: 'risk' | 'severity' | null = null;
  /** How many of the noun that follows are meant. */
  bounds: Bounds | null = null;
  /** The condition that was read last, which a list may go on, and the place after it. */
  #last: { statement: Extract<Statement, { kind: 'value' }>; end: number } | null = null;

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }

  /** The next piece after those that are taken. */
  next(ahead = 0): Piece | undefined {
    return this.pieces[this.at + ahead];
  }

  /** The piece before the one that is read, or further back. */
  before(back = 1): Piece | undefined {
    return this.pieces[this.#start - back];
  }

  /** The piece before the one that is read and before the negation of that. */
  beforeNegation(): Piece | undefined {
    return this.before(this.not !== null && this.not === this.before() ? 2 : 1);
  }

  take(): Piece | undefined {
    this.#start = this.at;
    return this.pieces[this.at++];
  }

  meaning<K extends Meaning['kind']>(
    piece: Piece | undefined,
    kind: K,
  ): Extract<Meaning, { kind: K }> | null {
    return meaningOf(piece, kind);
  }

  /** Takes the next piece if it is of the kind. */
  takeIf<K extends Meaning['kind']>(kind: K): Extract<Meaning, { kind: K }> | null {
    const meaning = this.meaning(this.next(), kind);
    if (meaning !== null) this.at++;
    return meaning;
  }

  unexplained(piece: Piece | undefined): void {
    if (piece !== undefined) this.reading.unexplained.push(piece);
  }

  /** An `or` that joins no two values of one field would change what all of the question means. */
  dropJoin(): void {
    if (this.join?.or === true) this.unexplained(this.join.piece);
    this.join = null;
  }

  takeNegation(): boolean {
    const negated = this.not !== null;
    this.not = null;
    return negated;
  }

  /** Two negations are none. */
  negate(piece: Piece): void {
    this.not = this.not === null ? piece : null;
  }

  /** A second order would take the place of the first. */
  orderBy(piece: Piece, by: NonNullable<Reading['order']>['by'], direction: Direction): void {
    if (this.reading.order === null && this.reading.extreme === null)
      this.reading.order = { piece, by, direction };
    else this.unexplained(piece);
  }

  hasNoun(): boolean {
    return this.reading.statements.some(({ kind }) => kind === 'noun');
  }

  /** Whether a piece names what rows have, so that `without` stands before it. */
  isNounLike(piece: Piece): boolean {
    if (this.meaning(piece, 'label')?.isVerb === false) return true;
    if (this.meaning(piece, 'dimension')?.role === 'owner') return true;
    if (this.meaning(piece, 'quantity')?.field === 'copies') return true;
    const noun = this.meaning(piece, 'noun');
    if (noun !== null) return noun.subject !== 'assets' && noun.subject !== 'scopes';
    return piece.kind === 'phrase' && piece.names.some(({ kind }) => kind === 'identifier');
  }

  /** Adds a condition, or adds its value to the list that it goes on. */
  value(piece: Piece, readings: readonly SimpleCondition[]): void {
    const last = this.#last;
    const isOfNoun =
      this.not !== null &&
      this.not.written.toLowerCase() !== 'non' &&
      !this.isNounLike(piece) &&
      this.nounAhead() !== null;
    // `without IBANs but with phone numbers`: the negation ends.
    const isTurned =
      this.join?.or === false &&
      (piece.gap === true || this.meaning(this.join.piece, 'join')?.but === true) &&
      last?.statement.readings.some(isNegated);
    const goesOn =
      !isTurned &&
      last?.end === this.#start - (this.join === null ? 0 : 1) &&
      (this.not === null || isOfNoun);
    const merged = goesOn && last !== null ? merge(last.statement.readings, readings, this.join) : null;
    if (last !== null && merged !== null) {
      last.statement.readings = merged;
      last.end = this.at;
      this.join = null;
      return;
    }
    if (this.not !== null && this.#isOfLead(readings)) {
      this.unexplained(piece);
      return;
    }
    const kept = !isOfNoun && this.takeNegation() ? readings.flatMap(negatedCondition) : [...readings];
    if (kept.length === 0) {
      this.unexplained(piece);
      return;
    }
    const statement = { kind: 'value' as const, piece, readings: kept };
    this.reading.statements.push(statement);
    this.#last = { statement, end: this.at };
  }

  /**
   * Whether the question is for domains, scopes or the like and nothing is said yet of what they hold, so that
   * `domains without restricted files` means those that have none. A plan cannot say that.
   */
  isLead(): boolean {
    const { lead, extreme, statements } = this.reading;
    const nouns = statements.filter((each) => each.kind === 'noun');
    return (
      extreme === null &&
      (lead !== null ? nouns.length === 0 : nouns.length === 1 && nouns[0]?.subject === 'scopes')
    );
  }

  #isOfLead(readings: readonly SimpleCondition[]): boolean {
    return this.isLead() && readings.every(({ field }) => !OF_GROUPS.has(field));
  }

  /** Findings and the like that the values up to there only describe, as in `no open findings`. */
  nounAhead(): Piece | null {
    for (let ahead = 0; ; ahead++) {
      const piece = this.next(ahead);
      if (piece === undefined || piece.gap === true) return null;
      const subject = this.meaning(piece, 'noun')?.subject;
      if (subject !== undefined) return isPart(subject) ? piece : null;
      const isStatus = this.meaning(piece, 'verb')?.readings !== undefined;
      if (!isStatus && !isKind(piece, 'value') && !isKind(piece, 'join') && !isKind(piece, 'level'))
        return null;
    }
  }
}

const isNegated = (condition: SimpleCondition): boolean => 'not' in condition && condition.not === true;

/** The readings with the values of a list that goes on, or null if it does not. */
function merge(
  present: readonly SimpleCondition[],
  added: readonly SimpleCondition[],
  join: { or: boolean } | null,
): SimpleCondition[] | null {
  const merged = present.flatMap((one) => {
    const other = added.find(({ field }) => field === one.field);
    if (other === undefined || !('any' in one) || !('any' in other) || other.not !== undefined) return [];
    // Without one and without another is without both.
    const isSideBySide = join === null && one.field === 'exposure';
    if (SEVERAL.has(one.field) && join?.or !== true && one.not !== true && !isSideBySide) return [];
    const [some, more]: [readonly string[], readonly string[]] = [one.any, other.any];
    // Two that stand side by side narrow each other: `shared externally`.
    const any =
      join === null ? more.filter((value) => some.includes(value)) : [...new Set([...some, ...more])];
    return any.length === 0 ? [] : [{ ...one, any } as SimpleCondition];
  });
  return merged.length === 0 ? null : merged;
}
