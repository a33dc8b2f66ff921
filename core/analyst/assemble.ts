import { excludes } from './contradictions.ts';
import type { Role } from './meaning.ts';
import type { Piece } from './pieces.ts';
import { isOfThing } from './pieces.ts';
import {
  type Condition,
  DEFAULT_ROWS,
  DIMENSIONS,
  type Dimension,
  type Has,
  hasField,
  hasOwnField,
  isPart,
  MAX_ROWS,
  ORDERS,
  type Order,
  type Plan,
  type SimpleCondition,
  type Subject,
} from './plan.ts';
import { isBy } from './read-orders.ts';
import { negatedCondition, type Reading, type Statement, windowCondition } from './reading.ts';
import { type Noun, subjectOf } from './subject-of.ts';
import { statusTime, TIME } from './times.ts';

const NEWEST_FIRST = {
  assets: 'changed',
  findings: 'opened',
  candidates: 'asked',
  actions: 'requested',
  scopes: 'scanned',
} as const satisfies Record<Subject, Order>;
const ROLES: Readonly<Partial<Record<Subject, Role>>> = {
  assets: 'owner',
  findings: 'owner',
  candidates: 'owner',
  actions: 'requester',
};
/** What findings and candidates are meant where nothing is said of their status. */
const UNSAID: Readonly<Partial<Record<Subject, SimpleCondition>>> = {
  findings: { field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] },
  candidates: { field: 'candidateStatus', any: ['pending'] },
};
/** Conditions that say something of the status. */
const OF_STATUS = [
  'findingStatus',
  'candidateStatus',
  'acknowledgedBy',
  'acknowledged',
  'resolved',
  'answered',
];

/** The plan of a reading, and the words that do not fit in it. */
export function assemble(reading: Reading): { plan: Plan; unexplained: Piece[] } {
  return new Assembler(reading).assemble();
}

class Assembler {
  readonly #reading: Reading;
  readonly #unexplained: Piece[];
  readonly #nouns: Noun[];
  readonly #subject: Subject;
  readonly #where: Condition[] = [];
  readonly #parts = new Map<Noun, Has>();
  readonly #lead: Reading['lead'];
  readonly #dimensions: { piece: Piece; dimensions: readonly Dimension[] }[];

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#unexplained = [...reading.unexplained];
    this.#nouns = reading.statements.filter((each) => each.kind === 'noun');
    const { subject, byScope } = subjectOf(reading, this.#nouns);
    this.#subject = subject;
    this.#lead =
      byScope === null
        ? reading.lead
        : {
            piece: byScope.piece,
            dimensions: ['scope'],
            isSingle: !byScope.piece.written.toLowerCase().endsWith('s'),
          };
    this.#dimensions = this.#lead === null ? reading.groupBy : [this.#lead, ...reading.groupBy];
  }

  assemble(): { plan: Plan; unexplained: Piece[] } {
    this.#partsOfNouns();
    this.#reading.statements.forEach((statement, i) => {
      if (statement.kind === 'value') this.#value(statement, i);
      else if (statement.kind === 'window') this.#window(statement, i);
      else if (statement.kind === 'person') this.#person(statement);
    });
    for (const verb of this.#reading.verbs) {
      if (!verb.hasPerson && !verb.hasTime) this.#verb(verb);
      // `not acknowledged by Lena since March`: by somebody else, or before.
      if (verb.negated && verb.hasPerson && verb.hasTime) this.#unexplained.push(verb.piece);
    }
    for (const has of this.#parts.values()) {
      this.#where.push({ ...has, where: withStatus(has.of, has.where) });
    }
    return { plan: this.#plan(), unexplained: this.#unexplained };
  }

  /** The findings, candidates and actions that assets are to have; what scopes are to hold. */
  #partsOfNouns(): void {
    for (const noun of this.#nouns) {
      const { subject, negated, bounds, piece } = noun;
      if (subject === this.#subject) {
        if (negated || bounds !== null) this.#unexplained.push(piece);
      } else if (this.#subject === 'assets' && isPart(subject)) {
        const counted = negated ? { max: 0 } : (bounds ?? {});
        if (negated && bounds !== null) this.#unexplained.push(piece);
        this.#parts.set(noun, { field: 'has', of: subject, where: [], ...counted });
      } else if (this.#subject === 'scopes' && subject === 'assets' && (negated || bounds !== null)) {
        this.#where.push({ field: 'assetCount', ...(negated ? { max: 0 } : bounds) });
      } else if (negated || bounds !== null || !this.#isAbout(noun)) {
        this.#unexplained.push(piece);
      }
    }
  }

  /** Whether a further noun says no more than what rows are about: findings on assets, or scopes that group. */
  #isAbout({ subject, piece }: Noun): boolean {
    if (this.#dimensions.some((each) => each.piece === piece)) return true;
    if (subject === 'assets') return this.#subject !== 'scopes';
    return (
      subject === 'scopes' &&
      this.#reading.statements.some(
        (each) => each.kind === 'value' && each.readings.some(({ field }) => field === 'scope'),
      )
    );
  }

  #value({ piece, readings }: Extract<Statement, { kind: 'value' }>, at: number): void {
    const noun = this.#governing(at, readings);
    const part = noun === null ? undefined : this.#parts.get(noun);
    const ownToPart = part && readings.find(({ field }) => hasOwnField(part.of, field));
    if (part !== undefined && ownToPart !== undefined) {
      this.#add(part.where, ownToPart, piece);
      return;
    }
    // `candidates on PDFs confirmed`: of either.
    const isOfEither =
      noun !== null &&
      noun.subject === 'assets' &&
      this.#subject !== 'assets' &&
      this.#nouns.some(({ subject }) => subject === this.#subject) &&
      noun.piece !== piece &&
      this.#reading.statements.indexOf(noun) < at &&
      ['assets' as const, this.#subject].every((each) =>
        readings.some(({ field }) => hasOwnField(each, field)),
      );
    if (isOfEither) {
      this.#unexplained.push(piece);
      return;
    }
    const subjects =
      noun !== null && noun.subject === 'assets' && this.#subject !== 'scopes'
        ? [noun.subject, this.#subject]
        : [this.#subject];
    const reading =
      subjects
        .map((subject) => readings.find(({ field }) => hasOwnField(subject, field)))
        .find((each) => each !== undefined) ?? readings.find(({ field }) => hasField(this.#subject, field));
    if (reading !== undefined) this.#add(this.#where, reading, piece);
    else if (!this.#isAccess(readings, at)) this.#unexplained.push(piece);
  }

  #add(where: Condition[], condition: Condition, piece: Piece): void {
    if (where.some((each) => excludes(each, condition))) this.#unexplained.push(piece);
    else where.push(condition);
  }

  /** `open` beside an exposure is what people can do, not a status. */
  #isAccess(readings: readonly SimpleCondition[], at: number): boolean {
    const next = this.#reading.statements[at + 1];
    const ofNext = next?.kind === 'value' ? next.readings : [];
    return (
      readings.some((each) => each.field === 'findingStatus' && each.not !== true) &&
      [...this.#where, ...ofNext].some(({ field }) => field === 'exposure')
    );
  }

  /** The noun that a value belongs to: the one that it stands before, or else the last one. */
  #governing(at: number, readings: readonly SimpleCondition[]): Noun | null {
    const { statements } = this.#reading;
    let after = at + 1;
    while (statements[after]?.kind === 'value' && statements[after]?.piece.gap !== true) after++;
    const next = statements[after]?.piece.gap === true ? undefined : statements[after];
    const isBefore = (noun: Noun) =>
      this.#parts.has(noun) || noun.subject === this.#subject || noun.subject === 'assets';
    const fits = (noun: Noun) => readings.some(({ field }) => hasOwnField(noun.subject, field));
    if (next?.kind === 'noun' && isBefore(next) && fits(next)) return next;
    const before = statements.slice(0, at).findLast((each): each is Noun => each.kind === 'noun');
    return before !== undefined && fits(before) ? before : null;
  }

  #window(
    { piece, window, verb, negated, ofStatus }: Extract<Statement, { kind: 'window' }>,
    at: number,
  ): void {
    const noun = this.#reading.statements.slice(0, at).findLast((each): each is Noun => each.kind === 'noun');
    const part = noun === undefined ? undefined : this.#parts.get(noun);
    const time = verb?.meaning.time;
    // `findings on files older than a year`, `findings on files created in March`
    if (noun?.subject === 'assets' && this.#subject !== 'assets' && this.#subject !== 'scopes') {
      const ofFiles = verb === null ? isOfThing(piece) && TIME.assets : time?.assets;
      if (ofFiles) {
        this.#add(this.#where, windowCondition(ofFiles, window, negated), piece);
        return;
      }
    }
    if (ofStatus !== null) {
      const subject = part?.of ?? this.#subject;
      const field = statusTime(ofStatus.find((each) => hasOwnField(subject, each.field)));
      // Whether something was open in March is not known, only since when it is.
      const isAt = window.to !== undefined && window.lasting !== true;
      // `deferred until April`
      const isPutOff =
        window.from === undefined &&
        ofStatus.some((each) => each.field === 'candidateStatus' && each.any.includes('deferred'));
      if (field === null || isPutOff || ((field === 'asked' || field === 'opened') && (isAt || negated)))
        this.#unexplained.push(piece);
      else this.#add(part?.where ?? this.#where, windowCondition(field, window, negated), piece);
      return;
    }
    if (part !== undefined) {
      const field = verb === null ? TIME[part.of] : time?.[part.of];
      if (field !== undefined) {
        this.#add(part.where, windowCondition(field, window, negated), piece);
        return;
      }
    }
    const own = verb === null ? TIME[this.#subject] : time?.[this.#subject];
    const isOfFiles = this.#subject !== 'scopes' && this.#nouns.some(({ subject }) => subject === 'assets');
    const field = own ?? (isOfFiles ? time?.assets : undefined);
    if (field === undefined) this.#unexplained.push(piece, ...(verb === null ? [] : [verb.piece]));
    else this.#add(this.#where, windowCondition(field, window, negated), piece);
  }

  #person({ piece, ids, role, negated }: Extract<Statement, { kind: 'person' }>): void {
    const field = role ?? ROLES[this.#subject];
    const condition = { field, any: ids, ...(negated && { not: true as const }) } as SimpleCondition;
    const part = this.#reading.statements.length > 0 ? [...this.#parts.values()].at(-1) : undefined;
    if (field === undefined) this.#unexplained.push(piece);
    else if (hasField(this.#subject, field)) this.#add(this.#where, condition, piece);
    else if (part !== undefined && hasOwnField(part.of, field)) part.where.push(condition);
    else this.#unexplained.push(piece);
  }

  /** A verb that met neither time nor person: a status, or what is new. */
  #verb({ piece, meaning, negated }: Reading['verbs'][number]): void {
    const part = [...this.#parts.values()].find(({ of }) =>
      meaning.readings?.some(({ field }) => hasOwnField(of, field)),
    );
    const reading = meaning.readings?.find(({ field }) => hasField(this.#subject, field));
    const said = (one: SimpleCondition) => (negated ? negatedCondition(one) : [one]);
    // `neither acknowledged nor resolved` says two things of one field.
    const isSaid = this.#where.some(
      (each) => each.field === reading?.field && !(negated && 'not' in each && each.not === true),
    );
    const isOfMonth = this.#dimensions.some(({ dimensions }) => dimensions.includes('openedMonth'));
    // `findings opened per month`
    if (isOfMonth && !negated && meaning.time?.[this.#subject] === TIME[this.#subject]) return;
    if (meaning.idle === true && !negated) return;
    if (isSaid) this.#unexplained.push(piece);
    else if (reading !== undefined) this.#where.push(...said(reading));
    else if (part !== undefined) part.where.push(...(meaning.readings ?? []).flatMap(said));
    else if (meaning.newest === true && !negated && this.#reading.order === null)
      this.#reading.order = { piece, by: NEWEST_FIRST, direction: 'descending' };
    else this.#unexplained.push(piece);
  }

  #plan(): Plan {
    const { ask, limit, extreme } = this.#reading;
    const show = ask?.show ?? null;
    const groupBy = this.#groupBy();
    const isGrouped = groupBy.length > 0;
    const { top } = this.#reading;
    if (top !== null && !isGrouped && this.#reading.order === null) this.#unexplained.push(top);
    if (ask !== null && !isGrouped) {
      // A number is about all rows, not of the first ones.
      if (limit !== null) this.#unexplained.push(limit.piece);
      if (this.#reading.order !== null) this.#unexplained.push(this.#reading.order.piece);
      if (isBy(ask.piece)) this.#unexplained.push(ask.piece);
    }
    const rows = limit === null ? null : limit.rows;
    if (limit !== null && (limit.rows < 1 || limit.rows > MAX_ROWS)) this.#unexplained.push(limit.piece);
    if (show === 'size' && this.#subject !== 'assets')
      this.#unexplained.push(...this.#nouns.map(({ piece }) => piece));
    const isOne = extreme !== null && this.#lead?.isSingle === true && rows === null;
    return {
      subject: this.#subject,
      where: isByStatus(groupBy) ? this.#where : withStatus(this.#subject, this.#where),
      show: show ?? (isGrouped ? 'count' : 'rows'),
      groupBy,
      order: this.#order(isGrouped),
      limit: isOne ? 1 : Math.min(Math.max(rows ?? DEFAULT_ROWS, 1), MAX_ROWS),
    };
  }

  #groupBy(): Dimension[] {
    const known: readonly Dimension[] = DIMENSIONS[this.#subject];
    const groupBy: Dimension[] = [];
    for (const { piece, dimensions } of this.#dimensions) {
      const dimension = dimensions.find((each) => known.includes(each));
      const isFull = dimension === undefined || groupBy.includes(dimension) || groupBy.length === 2;
      if (isFull || this.#isOtherMonth(dimension)) this.#unexplained.push(piece);
      else groupBy.push(dimension);
    }
    return groupBy;
  }

  /** `resolved per month`: rows are counted by the month of one time only. */
  #isOtherMonth(dimension: Dimension): boolean {
    if (dimension !== 'openedMonth' && dimension !== 'modifiedMonth') return false;
    const own = TIME[this.#subject];
    return (
      this.#where.some(({ field }) => field === 'findingStatus') ||
      this.#reading.verbs.some(({ meaning }) => (meaning.time?.[this.#subject] ?? own) !== own)
    );
  }

  #order(isGrouped: boolean): Plan['order'] {
    const { order, extreme, limit } = this.#reading;
    if (isGrouped) {
      if (order !== null) this.#unexplained.push(order.piece);
      if (extreme !== null) return { by: 'measure', direction: extreme.direction };
      return limit === null ? null : { by: 'measure', direction: 'descending' };
    }
    if (extreme !== null) this.#unexplained.push(extreme.piece);
    if (order === null) return null;
    const by = order.by[this.#subject];
    const known: readonly Order[] = ORDERS[this.#subject];
    if (by !== undefined && known.includes(by)) return { by, direction: order.direction };
    this.#unexplained.push(order.piece);
    return null;
  }
}

/** Rows that are grouped by their status are of each. */
const isByStatus = (groupBy: readonly Dimension[]): boolean =>
  groupBy.some((each) => each === 'findingStatus' || each === 'candidateStatus');

function withStatus<C extends Condition>(subject: Subject, where: readonly C[]): (C | SimpleCondition)[] {
  const unsaid = UNSAID[subject];
  return unsaid === undefined || where.some(({ field }) => OF_STATUS.includes(field))
    ? [...where]
    : [unsaid, ...where];
}
