import { excludes, statusTime, windowCondition } from './conditions.ts';
import { TIME } from './fragment.ts';
import {
  type Condition,
  type Has,
  hasField,
  hasOwnField,
  isPart,
  type Plan,
  type SimpleCondition,
  type Subject,
} from './plan.ts';
import { OF_STATUS, shapeOf, subjectSaid, withStatus } from './shape-of.ts';
import type { Item } from './tagger.ts';

const NOUNS = 'NFKAZ';
/** Conditions of which a time after them would be the time. */
const STATES: readonly Condition['field'][] = [
  ...OF_STATUS,
  'actionStatus',
  'provenance',
  'labelState',
  'label',
  'exposure',
  'contentState',
  'coverage',
  'copies',
  'owned',
  'risk',
  'severity',
];
/** Fields by which the domains, scopes and the like that are asked for may themselves be left out. */
const OF_GROUPS: readonly Condition['field'][] = [
  'domain',
  'type',
  'scope',
  'family',
  'owner',
  'coverage',
  'label',
];
const LASTED =
  /\b(?:within|in) (?!the |last |past |previous |this ).*(?:hour|day|week|month|quarter|year)s?$/i;

/** The plan that joined items make, and the items that do not fit into it. */
export function compose(
  items: readonly Item[],
  written: (item: Item) => string,
): { plan: Plan; left: Item[] } {
  return new Composer(items, written).compose();
}

class Composer {
  readonly #items: readonly Item[];
  readonly #written: (item: Item) => string;
  readonly #left = new Set<Item>();
  readonly #subject: Subject;
  readonly #noun: Item | undefined;
  readonly #lead: Item | undefined;
  readonly #where: Condition[] = [];
  readonly #parts = new Map<Item, Has>();
  readonly #orders: Item[] = [];

  constructor(items: readonly Item[], written: (item: Item) => string) {
    this.#items = items;
    this.#written = written;
    const nouns = items.filter(({ tag }) => NOUNS.includes(tag));
    const [first] = nouns;
    const held = nouns.find(({ tag, bounds }) => tag !== 'Z' && bounds === undefined);
    const isLead =
      first?.tag === 'Z' &&
      (held !== undefined ||
        items.some(({ tag, readings }) => tag === 'E' || (tag === 'C' && readings?.every(isOfAssetsOnly))));
    this.#lead = items.find(({ tag }) => tag === 'H') ?? (isLead ? first : undefined);
    this.#noun = isLead ? held : first;
    this.#subject = this.#noun?.subject ?? (isLead ? 'assets' : subjectSaid(items));
  }

  compose(): { plan: Plan; left: Item[] } {
    this.#items.forEach((item, at) => {
      if (NOUNS.includes(item.tag)) this.#takeNoun(item, at);
      else if (item.tag === 'C') this.#takeCondition(item, at);
      else if (item.tag === 'W') this.#takeWindow(item, at);
      else if (item.tag === 'V') this.#takeVerb(item, at);
      else if (item.tag === 'O') this.#orders.push(item);
      else if (!'QHBERh@49'.includes(item.tag)) this.#left.add(item);
    });
    for (const has of this.#parts.values()) has.where = withStatus(has.of, has.where);
    const plan = shapeOf({
      items: this.#items,
      written: this.#written,
      subject: this.#subject,
      lead: this.#lead,
      where: this.#where,
      orders: this.#orders,
      leave: (item) => this.#left.add(item),
    });
    const all = this.#items.filter((item) => this.#left.has(item));
    // `in Marketing`: the preposition is understood.
    const left = all.some(({ tag }) => tag === '_')
      ? all.filter(({ tag }) => !'iofrwtbauk&'.includes(tag))
      : all;
    return { plan, left };
  }

  #takeNoun(noun: Item, at: number): void {
    const { subject, readings = [], bounds } = noun;
    if (noun === this.#lead) return;
    const isFirst = noun === this.#noun;
    // `documents that wait for review`
    if (!isFirst && noun.idle === true && isPart(subject) && this.#noun?.tag === 'N') {
      const [own, others] = [true, false].map((isOwn) =>
        readings.filter(({ field }) => hasOwnField(subject, field) === isOwn),
      );
      this.#add({ field: 'has', of: subject, where: own as SimpleCondition[] }, noun);
      for (const each of others ?? []) this.#add(each, noun);
      return;
    }
    // `findings on files`
    const isAbout = noun.tag === 'N' && isPart(this.#subject) && this.#items[at - 1] !== undefined;
    if ((!isFirst && !isAbout) || bounds !== undefined) this.#left.add(noun);
    else for (const each of readings) this.#add(each, noun);
  }

  /** The noun that an item describes: the one that it stands before, or else the last one. */
  #nounOf(at: number): Item | undefined {
    const { apart } = this.#items[at] ?? {};
    let after = at + 1;
    while (
      this.#items[after] !== undefined &&
      'CVW'.includes(this.#items[after]?.tag ?? '-') &&
      this.#items[after]?.apart !== true
    )
      after++;
    const next = this.#items[after];
    if (apart !== true && next !== undefined && next !== this.#lead && NOUNS.includes(next.tag)) return next;
    return this.#items.slice(0, at).findLast((each) => NOUNS.includes(each.tag) || isHas(each));
  }

  #partOf(at: number): Has | undefined {
    const noun = this.#nounOf(at);
    return noun && this.#parts.get(noun);
  }

  #takeCondition(item: Item, at: number): void {
    const readings = item.readings ?? [];
    const [first] = readings;
    if (first?.field === 'has') {
      if (this.#subject !== 'assets') this.#left.add(item);
      else {
        const has: Has = { ...first };
        this.#parts.set(item, has);
        this.#where.push(has);
      }
      return;
    }
    const before = this.#items[at - 1];
    // `with copies in Legal`
    const isOfCopies =
      before?.tag === 'C' &&
      before.readings?.[0]?.field === 'copies' &&
      item.apart === true &&
      this.#written(before).includes(' ');
    const noun = this.#nounOf(at);
    const part = this.#partOf(at);
    const isOfPart = part !== undefined && readings.find(({ field }) => hasOwnField(part.of, field));
    if (isOfCopies) this.#left.add(item);
    else if (part !== undefined && isOfPart) part.where.push(isOfPart as SimpleCondition);
    else {
      const isOfFiles = noun?.tag === 'N' && this.#subject !== 'scopes';
      // `candidates on PDFs that were confirmed`: of either.
      const isOfEither =
        isOfFiles &&
        noun !== this.#noun &&
        noun !== undefined &&
        this.#items.indexOf(noun) < at &&
        (['assets', this.#subject] as const).every((each) =>
          readings.some(({ field }) => hasOwnField(each, field)),
        );
      const subjects = isOfFiles ? (['assets', this.#subject] as const) : [this.#subject];
      const reading =
        subjects
          .map((each) => readings.find(({ field }) => hasOwnField(each, field)))
          .find((each) => each !== undefined) ?? readings.find(({ field }) => hasField(this.#subject, field));
      const isOfLead =
        item.negated === true &&
        this.#lead !== undefined &&
        !this.#items.some(({ tag }) => tag === 'E') &&
        readings.every(({ field }) => !OF_GROUPS.includes(field));
      if (reading === undefined || isOfEither || isOfLead) this.#left.add(item);
      else this.#add(reading, item);
    }
  }

  #add(condition: Condition, item: Item): void {
    if (this.#where.some((each) => excludes(each, condition))) this.#left.add(item);
    else this.#where.push(condition);
  }

  /** A verb without a time beside it: its time may come later, or it is a status, or says what is new. */
  #takeVerb(verb: Item, at: number): void {
    const window = this.#items.slice(at + 1).find(({ tag, time }) => tag === 'W' && time === undefined);
    const leading =
      this.#items[0]?.tag === 'W' && this.#items[0].time === undefined ? this.#items[0] : undefined;
    const others = this.#items.filter(
      ({ tag, time, readings }) =>
        (tag === 'V' && time !== undefined) || (tag === 'W' && time !== undefined && readings !== undefined),
    );
    const of = verb.time === undefined ? undefined : (leading ?? window);
    const between =
      of === window && of !== undefined ? this.#items.slice(at + 1, this.#items.indexOf(of)) : [];
    if (of !== undefined && (others.length > 1 || between.some(isState))) this.#left.add(of);
    if (verb.infinitive === true && at === 0) {
      this.#left.add(verb);
      return;
    }
    const field = this.#timeField(verb, at);
    if (of !== undefined && field !== null && !this.#past.has(of)) {
      this.#past.set(of, verb);
      if (of === leading) this.#takeTime({ ...verb, window: of.window ?? {} }, of, at);
      return;
    }
    const part = this.#partOf(at);
    const reading = verb.readings?.find(
      (each) => part !== undefined && each.field !== 'has' && hasOwnField(part.of, each.field),
    );
    const own = verb.readings?.find((each) => hasField(this.#subject, each.field));
    const said = (each: Condition) =>
      verb.negated === true && verb.idle !== true ? negatedOf(each) : [each];
    if (part !== undefined && reading !== undefined) part.where.push(...(said(reading) as SimpleCondition[]));
    else if (own !== undefined) for (const each of said(own)) this.#add(each, verb);
    else if (verb.by !== undefined && verb.negated !== true)
      this.#orders.push({ ...verb, direction: 'descending' });
    else if (verb.idle !== true || verb.negated === true || field === null) this.#left.add(verb);
    if (of !== undefined && !this.#past.has(of)) this.#left.add(of);
  }

  /** The times of verbs that do not stand beside them. */
  readonly #past = new Map<Item, Item>();
  #timeField({ time }: Item, at: number) {
    const part = this.#partOf(at);
    const isOfFiles = this.#items.some(({ tag }) => tag === 'N');
    const ofFiles = this.#nounOf(at)?.tag === 'N' ? time?.assets : undefined;
    return (
      (part === undefined ? undefined : time?.[part.of]) ??
      ofFiles ??
      time?.[this.#subject] ??
      (isOfFiles && this.#subject !== 'scopes' ? time?.assets : undefined) ??
      null
    );
  }

  /** A time of a verb. `shown`: the item that is named if it does not fit. */
  #takeTime(item: Item, shown: Item, at: number): void {
    const field = this.#timeField(item, at);
    const { lasting, age: _, ...window } = item.window ?? {};
    const negated = item.negated === true;
    const isDuration = item.readings !== undefined && LASTED.test(this.#written(shown));
    if (field === null || isDuration || (lasting === true && negated === (item.readings !== undefined))) {
      this.#left.add(shown);
      return;
    }
    const part = this.#partOf(at);
    const span = lasting === true && !negated ? { to: window.from ?? 0 } : window;
    // Who did it, beside when.
    const [person] = item.readings ?? [];
    if (person?.field === 'acknowledgedBy' || person?.field === 'requester') {
      if (negated) this.#left.add(shown);
      else this.#add(person, shown);
    }
    const made = windowCondition(field, span, negated);
    if (part !== undefined && hasOwnField(part.of, field)) part.where.push(made);
    else this.#add(made, shown);
  }

  #takeWindow(item: Item, at: number): void {
    const verb = this.#past.get(item);
    if (verb !== undefined) {
      this.#takeTime({ ...verb, window: item.window ?? {} }, item, this.#items.indexOf(verb));
      return;
    }
    if (item.time !== undefined) {
      this.#takeTime(item, item, at);
      return;
    }
    const { lasting, age, ...window } = item.window ?? {};
    const part = this.#partOf(at);
    const before = this.#items.slice(0, at);
    const leading =
      at === 0 ? this.#items.find((each, i) => i > 0 && (isState(each) || each.tag === 'V')) : undefined;
    if (at === 0 && leading?.tag === 'V') return;
    const start = before.findLastIndex(({ tag }) => NOUNS.includes(tag) || tag === 'W');
    const state =
      leading ??
      before.slice(start + 1).findLast((each) => isState(each)) ??
      (before[start]?.tag !== 'W' &&
      before.length > 0 &&
      before.at(-1) === before[start] &&
      isState(before[start])
        ? before[start]
        : undefined);
    const subject =
      part?.of ?? (this.#nounOf(at)?.tag === 'N' && this.#subject !== 'scopes' ? 'assets' : this.#subject);
    if (
      (at > 0 && before.at(-1)?.tag === 'W') ||
      (at === 0 && this.#items.some(({ tag, time }) => tag === 'W' && time !== undefined))
    ) {
      this.#left.add(item);
      return;
    }
    if (state !== undefined && age !== true) {
      const reading = state.readings?.find(({ field }) => hasOwnField(part?.of ?? this.#subject, field));
      const field = statusTime(reading);
      const isAt = window.to !== undefined && lasting !== true;
      const isPutOff =
        window.from === undefined && reading?.field === 'candidateStatus' && reading.any.includes('deferred');
      const negated = state.negated === true;
      if (field === null || isPutOff || negated || ((field === 'asked' || field === 'opened') && isAt))
        this.#left.add(item);
      else {
        const made = windowCondition(field, lasting === true ? { to: window.from ?? 0 } : window, false);
        if (part !== undefined) part.where.push(made);
        else this.#add(made, item);
      }
      return;
    }
    if (lasting === true) {
      this.#left.add(item);
      return;
    }
    const isOfThing =
      age === true || /^from/i.test(this.#written(item)) || this.#subject === 'assets' || part !== undefined;
    const field = subject === 'assets' && !isOfThing ? TIME[this.#subject] : TIME[subject];
    if (part !== undefined) part.where.push(windowCondition(field, window, false));
    else this.#add(windowCondition(field, window, false), item);
  }
}

const negatedOf = (condition: Condition): Condition[] =>
  condition.field === 'has' ? [] : [{ ...condition, not: true } as Condition];
const isHas = ({ readings }: Item): boolean => readings?.[0]?.field === 'has';
const isState = (item: Item | undefined): boolean =>
  item !== undefined &&
  'CNFKA'.includes(item.tag) &&
  (item.readings?.some(({ field }) => STATES.includes(field)) === true ||
    (item.tag === 'C' && item.idle === true));

const isOfAssetsOnly = ({ field }: Condition): boolean =>
  hasOwnField('assets', field) && !hasOwnField('scopes', field);
