import { type Clause, HEAD, TAIL } from './clauses.ts';
import { excludes, statusTime, windowCondition } from './conditions.ts';
import { TIME, type TimeField } from './fragment.ts';
import type { Piece } from './pieces.ts';
import {
  type Condition,
  type Has,
  hasOwnField,
  isPart,
  type Plan,
  type SimpleCondition,
  type Subject,
} from './plan.ts';
import { type Said, type Span, shapeOf, withStatus } from './shape-of.ts';
import type { Item } from './tagger.ts';

/** States of which a time would be the time, and no such time is stored. */
const TIMELESS: readonly Condition['field'][] = [
  'provenance',
  'labelState',
  'label',
  'exposure',
  'grantee',
  'contentState',
  'copies',
  'owned',
  'coverage',
  'acknowledgedBy',
];
const isNot = (condition: Condition): boolean => 'not' in condition && condition.not === true;
/** What may be between a verb and its time. */
const OF_PLACE: readonly Condition['field'][] = ['domain', 'type', 'scope', 'family'];
const STATUSES: readonly Condition['field'][] = ['findingStatus', 'candidateStatus', 'actionStatus'];
/** `modified yesterday`, `by scope`: files, of which nothing is said before. */
const NO_NOUN = /^(?!w?Ec)(?:[^hQe!pM#OHdlqvNFKAZT][^NFKAZT]*(?:[bg]|$)|[bg])/;
const ONCE = ['lead', 'ask', 'order', 'ranked', 'limit', 'having', 'day'] as const;

/** The plan that the parts of a question make from left to right, and the spans that do and do not fit into it. */
export function readPlan(items: readonly Item[]): { plan: Plan; taken: Span[]; left: Span[] } {
  const draft = new Draft();
  const tags = items.map(({ tag }) => tag).join('');
  const left: Item[] = [];
  let clauses: readonly Clause[] = HEAD;
  for (let at = 0; at < items.length; ) {
    if (draft.subject === undefined && NO_NOUN.test(tags.slice(at))) draft.setSubject('assets');
    if (draft.subject !== undefined) clauses = TAIL;
    const read = readAt(draft, clauses, items, tags, at);
    if (read === 0) left.push(items[at] as Item);
    at += Math.max(read, 1);
  }
  // `in Marketing`: the preposition is understood.
  const isUnknown = left.some(({ tag }) => tag === '_');
  for (const item of left) if (!isUnknown || !'iofrwbtauk&'.includes(item.tag)) draft.leave(item);
  return draft.finish();
}

/** How many items the first clause that fits takes. */
function readAt(
  draft: Draft,
  clauses: readonly Clause[],
  items: readonly Item[],
  tags: string,
  at: number,
): number {
  for (const [pattern, build] of clauses) {
    pattern.lastIndex = at;
    const length = pattern.exec(tags)?.[0].length ?? 0;
    if (length === 0) continue;
    const taken = items.slice(at, at + length);
    const piece = build(taken, draft.contextAfter(items[at - 1]));
    const span = { from: taken[0]?.from ?? 0, to: taken.at(-1)?.to ?? 0 };
    if (piece !== null && draft.add(piece, span)) return length;
  }
  return 0;
}

type Timed = { span: Span; window: Item; verb: Item | undefined; part: Has | undefined; isOfFiles: boolean };

class Draft {
  subject: Subject | undefined;
  readonly #taken: Span[] = [];
  readonly #left: Span[] = [];
  readonly #said: Said = { groups: [], spans: {} };
  /** What describes the noun that follows. */
  readonly #waiting: [Piece, Span][] = [];
  readonly #where: Condition[] = [];
  /** Findings or candidates of the rows, which what follows may describe. */
  #part: Has | undefined;
  readonly #parts: Has[] = [];
  /** Whether files were named that the rows are about. */
  #isOfFiles = false;
  #verb: { verb: Item; span: Span; isParted?: true } | undefined;
  /** The verb of the time before. */
  #timed: Item | undefined;
  readonly #times: Timed[] = [];

  contextAfter(before: Item | undefined) {
    const { lead, limit } = this.#said;
    return { subject: this.subject ?? 'assets', lead, limit, before };
  }

  setSubject(subject: Subject): void {
    this.subject = subject;
    for (const [piece, span] of this.#waiting) if (!this.#describe(piece, span)) this.leave(span);
  }

  leave({ from, to }: Span): void {
    this.#left.push({ from, to });
  }

  /** Whether the piece fits to what was said before. */
  add(piece: Piece, span: Span): boolean {
    if (ONCE.some((key) => piece[key] !== undefined && this.#said[key] !== undefined)) return false;
    if (piece.noun !== undefined && this.subject === undefined)
      this.setSubject(piece.noun.subject ?? 'assets');
    else if (piece.noun !== undefined) this.#isOfFiles = true;
    if (this.subject === undefined) this.#waiting.push([piece, span]);
    else if (!this.#describe(piece, span)) return false;
    for (const key of ONCE)
      if (piece[key] !== undefined) Object.assign(this.#said, { [key]: piece[key] }).spans[key] = span;
    for (const group of piece.groups ?? []) this.#said.groups.push({ group, span });
    if (Object.keys(piece).length > 0) this.#taken.push(span);
    return true;
  }

  #describe({ where = [], verb, window, noun, isClosed }: Piece, span: Span): boolean {
    const placed = where.map((readings) => this.#place(readings));
    if (placed.some((each) => each === null)) return false;
    for (const each of placed) if (each !== null && !this.#put(each.of, each.condition)) return false;
    const has = placed.at(-1)?.condition;
    if (has?.field === 'has' && isClosed !== true) this.#part = has;
    if (where.length > 0 || verb !== undefined) this.#timed = undefined;
    if (verb !== undefined) {
      if (this.#verb !== undefined) this.#endVerb(this.#verb);
      this.#verb = { verb, span };
      this.#said.isDone = true;
    } else if (
      this.#verb !== undefined &&
      noun === undefined &&
      placed.some((each) => !OF_PLACE.includes(each?.condition.field ?? 'domain'))
    )
      this.#verb.isParted = true;
    return window === undefined || this.#takeTime(window, span);
  }

  /** The first reading that what is described has. */
  #place(readings: readonly Condition[]): { of: Condition[]; condition: Condition } | null {
    const subject = this.subject as Subject;
    const of = (each: Subject) => readings.find(({ field }) => hasOwnField(each, field));
    const part = this.#part;
    const ofPart = part && of(part.of);
    if (part !== undefined && ofPart !== undefined) return { of: part.where, condition: ofPart };
    const [own, ofFile] = [of(subject), isPart(subject) ? of('assets') : undefined];
    // `candidates on PDFs that were confirmed`: of either.
    const isOfEither = this.#isOfFiles && own !== undefined && ofFile !== undefined;
    const condition = own ?? (ofFile?.field === 'has' ? undefined : ofFile);
    if (condition === undefined || isOfEither) return null;
    if (condition.field !== 'has') return { of: this.#where, condition };
    const copy = { ...condition, where: [...condition.where] };
    this.#parts.push(copy);
    return { of: this.#where, condition: copy };
  }

  #put(where: Condition[], condition: Condition): boolean {
    // A row that has been acknowledged has another status now.
    const isSecond = (each: Condition) =>
      STATUSES.includes(each.field) && each.field === condition.field && !(isNot(each) && isNot(condition));
    if (where.some((each) => excludes(each, condition) || isSecond(each))) return false;
    where.push(condition);
    return true;
  }

  #takeTime(window: Item, span: Span): boolean {
    const verb = this.#verb?.verb ?? this.#timed;
    // `requested and approved last week`: of either.
    if (this.#verb?.isParted || (verb === undefined && this.#times.length > 0)) return false;
    this.#times.push({ span, window, verb, part: this.#part, isOfFiles: this.#isOfFiles });
    this.#verb = undefined;
    this.#timed = verb;
    return true;
  }

  /** A verb without a time says a status, or what is new. */
  #endVerb({ verb, span }: { verb: Item; span: Span }): void {
    const { readings, negated, by } = verb;
    const said = readings?.map((each) =>
      negated === true ? { ...each, not: true as const } : each,
    ) as Condition[];
    const placed = readings && this.#place(said);
    const isSaid = placed && this.#put(placed.of, placed.condition);
    if (isSaid) return;
    const isIdle = verb.idle === true && this.#fieldOf(verb, this.#part, this.#isOfFiles) !== null;
    if (negated !== true && readings === undefined && by !== undefined && this.#said.order === undefined) {
      this.#said.order = { by, direction: 'descending' };
      this.#said.spans.order = span;
    } else if (negated === true || readings !== undefined || !isIdle) this.leave(span);
  }

  #fieldOf({ time }: Item, part: Has | undefined, isOfFiles: boolean): TimeField | null {
    const subject = this.subject as Subject;
    const ofPart = part && time?.[part.of];
    const [own, ofFile] = [time?.[subject], isOfFiles ? time?.assets : undefined];
    if (ofPart === undefined && own !== undefined && ofFile !== undefined) return null;
    return ofPart ?? own ?? ofFile ?? null;
  }

  /** The condition of a time, or null if what it is the time of is not known, or not stored. */
  #timeOf({ window: item, verb, part, isOfFiles }: Timed): SimpleCondition | null {
    const { lasting, age, ...window } = item.window ?? {};
    const span = lasting === true ? { to: window.from ?? 0 } : window;
    if (verb !== undefined) {
      const field = this.#fieldOf(verb, part, isOfFiles);
      const negated = verb.negated === true;
      if (field === null || (lasting === true && negated === (verb.readings !== undefined))) return null;
      return windowCondition(field, negated ? window : span, negated);
    }
    const of = part?.of ?? (isOfFiles && age === true ? 'assets' : (this.subject as Subject));
    if (age === true) return windowCondition(TIME[of], window, false);
    const said: readonly Condition[] = part?.where ?? this.#where;
    const status = said.find(({ field }) => STATUSES.includes(field));
    if (isOfFiles && part === undefined) return null;
    if (status === undefined)
      return lasting === true ||
        this.#where.some(({ field }) => part === undefined && TIMELESS.includes(field))
        ? null
        : windowCondition(TIME[of], window, false);
    const field = statusTime(status);
    // What was open at a time, or is put off until one, is not stored.
    const isAt = window.to !== undefined && lasting !== true && (field === 'opened' || field === 'asked');
    const isPutOff =
      window.from === undefined && status.field === 'candidateStatus' && status.any.includes('deferred');
    return field === null || isAt || isPutOff ? null : windowCondition(field, span, false);
  }

  finish(): { plan: Plan; taken: Span[]; left: Span[] } {
    if (this.subject === undefined) this.setSubject('assets');
    if (this.#verb !== undefined) this.#endVerb(this.#verb);
    for (const timed of this.#times) {
      const condition = this.#timeOf(timed);
      const where =
        timed.part !== undefined && condition !== null && hasOwnField(timed.part.of, condition.field)
          ? timed.part.where
          : this.#where;
      if (condition === null || !this.#put(where, condition)) this.leave(timed.span);
    }
    for (const part of this.#parts) part.where = withStatus(part.of, part.where);
    const { plan, unfit } = shapeOf(this.#said, this.subject as Subject, this.#where);
    for (const span of unfit) this.leave(span);
    const taken = this.#taken.filter(({ from }) => this.#left.every((each) => each.from !== from));
    return { plan, taken, left: this.#left.sort((a, b) => a.from - b.from) };
  }
}
