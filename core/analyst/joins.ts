import { boundsOf, either, opposite, severitiesBy } from './conditions.ts';
import type { Fragment } from './fragment.ts';
import { type Condition, hasOwnField, isPart, type SimpleCondition } from './plan.ts';
import type { Item } from './tagger.ts';

/** What items that match a pattern of tags become, or null if they do not. `before`: the items in front of them. */
export type Build = (
  items: readonly Item[],
  before: readonly Item[],
  after: readonly Item[],
) => readonly Item[] | null;

const NOUNS = 'NFKAZ';
const FIELDS = { D: 'domain', T: 'type', S: 'scope', L: 'label', I: 'identifier', P: 'owner' } as const;
export const LABELED: Condition = { field: 'labelState', any: ['labeled'] };
/** Fields by which `but` leaves something out. Between others it means `and`. */
const OF_THINGS: readonly string[] = ['domain', 'type', 'scope', 'format'];

export const firstOf = (item: Item | undefined): Condition | undefined => item?.readings?.[0];
export const isOn = (item: Item | undefined, ...fields: Condition['field'][]): boolean =>
  item?.readings?.some(({ field }) => fields.includes(field)) === true;
export const isGeneric = (item: Item): boolean => item.tag === 'N' && (item.readings ?? []).length === 0;
export const has = (items: readonly Item[], tags: string): boolean =>
  items.some(({ tag }) => tags.includes(tag));
export const find = (items: readonly Item[], tags: string): Item | undefined =>
  items.find(({ tag }) => tags.includes(tag));

/** One item in the place of several. */
export const joined = (items: readonly Item[], item: Pick<Item, 'tag'> & Partial<Item>): Item => ({
  ...item,
  from: items[0]?.from ?? 0,
  to: items.at(-1)?.to ?? 0,
});
export const condition = (items: readonly Item[], ...readings: Condition[]): Item =>
  joined(items, {
    tag: 'C',
    readings,
    ...('iofrwbtuakX'.includes(items[0]?.tag ?? '-') && { apart: true as const }),
    ...(items[0]?.idle && items[0].tag === 'i' && { idle: true as const }),
  });
export const drop: Build = () => [];

/** `A, B and C` of names: any of them. */
export const listOf: Build = (items) => [
  joined(items, {
    tag: items[0]?.tag ?? '_',
    ids: [...new Set(items.flatMap(({ ids }) => ids ?? []))],
  }),
];

export const named: Build = (items) => {
  const name = items.find(({ ids }) => ids !== undefined);
  if (name === undefined) return null;
  const field = FIELDS[name.tag as keyof typeof FIELDS];
  return [condition(items, { field, any: [...(name.ids ?? [])] } as SimpleCondition)];
};
export const negatedName: Build = (items, before, after) => {
  if (isOn(before.at(-1), 'exposure', 'copies')) return null;
  const [item] = named(items, before, after) ?? [];
  return item === undefined ? null : [{ ...item, readings: (item.readings ?? []).flatMap(opposite) }];
};

/** A name with the noun that says what it names. */
export const withKind: Build = (items) => {
  const name = items.find(({ ids }) => ids !== undefined);
  const kind = items.find(({ ids }) => ids === undefined)?.names;
  const isOf = { D: 'domain', T: 'type', S: 'scope' }[name?.tag ?? ''] === kind;
  return name !== undefined && isOf ? [joined(items, { tag: name.tag, ids: name.ids ?? [] })] : null;
};

export const severity: Build = (items) => {
  const values = items.filter(({ tag }) => tag === 's').map((each) => firstOf(each));
  const comparison = find(items, 'MY')?.comparison ?? 'exactly';
  const all = values.flatMap((each) => (each?.field === 'severity' ? each.any : []));
  const any = comparison === 'exactly' ? all : all.flatMap((each) => severitiesBy(each, comparison));
  if (any.length === 0 || (comparison !== 'exactly' && all.length > 1)) return null;
  const level = find(items, 'v')?.dimensions?.[0];
  const readings = (['severity', 'risk'] as const)
    .filter((field) => level === undefined || field === level)
    .map((field) => ({ field, any: [...new Set(any)] }) as SimpleCondition);
  return [condition(items, ...readings)];
};

/** A number with what it measures: `larger than 10 MB`, `with more than 5 copies`, `confidence above 80%`. */
export const measure: Build = (items) => {
  const [first, second] = items.filter(({ tag }) => tag === '#');
  const scales = items.filter(({ tag }) => tag === 'U' || tag === '%');
  const comparison = find(items, 'Y')?.comparison ?? find(items, 'M')?.comparison ?? 'exactly';
  const said = items.filter(({ measured }) => measured !== undefined).at(-1)?.measured;
  const scale = scales.at(-1);
  const measured = said ?? (scale === undefined ? null : scale.tag === 'U' ? 'size' : 'confidence');
  if (first === undefined || measured == null || (second !== undefined) !== (comparison === 'between'))
    return null;
  const factorOf = (unit: Item | undefined, number: number) => {
    if (measured === 'confidence')
      return unit?.tag === 'U' ? null : unit !== undefined || number > 1 ? 0.01 : 1;
    if (measured === 'size') return unit?.factor ?? null;
    return unit === undefined ? 1 : null;
  };
  const factor = factorOf(scales[0] ?? scale, first.number ?? 0);
  const other =
    second === undefined ? null : (second.number ?? 0) * (factorOf(scale, second.number ?? 0) ?? Number.NaN);
  const bounds = factor === null ? null : boundsOf(measured, comparison, (first.number ?? 0) * factor, other);
  return bounds === null ? null : [condition(items, { field: measured, ...bounds })];
};

/** `more than 50 phone numbers` */
export const manyFinds: Build = (items) => {
  const comparison = find(items, 'MY')?.comparison ?? 'exactly';
  const bounds = boundsOf('count', comparison, find(items, '#')?.number ?? 0, null);
  const least = bounds?.min;
  const any = find(items, 'I')?.ids;
  if (least === undefined || bounds?.max !== undefined || least < 1 || any === undefined) return null;
  return [condition(items, { field: 'identifier', any: [...any], least })];
};

/** How many findings an asset has, or assets a scope: the noun with its bounds. */
export const counted: Build = (items, before) => {
  const noun = items.at(-1);
  const isOfScope = noun?.tag === 'N' && has(before, 'Z') && isGeneric(noun);
  if (noun === undefined || !(isOfScope || (noun.tag !== 'N' && has(before, 'N')))) return null;
  const comparison = find(items, 'MY')?.comparison ?? 'exactly';
  const bounds = boundsOf('count', comparison, find(items, '#')?.number ?? 0, null);
  if (bounds === null) return null;
  return isOfScope
    ? [condition(items, { field: 'assetCount', ...bounds })]
    : [{ ...noun, ...joined(items, noun), bounds }];
};

export const labelOf = (items: readonly Item[], not?: true): Condition => ({
  field: 'label',
  any: [...(find(items, 'L')?.ids ?? [])],
  ...(not && { not }),
});

/** Words that are searched for, or identifiers. */
export const texts: Build = (items) => {
  const field = find(items, 'm')?.field ?? 'words';
  const sought = items.flatMap(({ tag, text }) => (tag === '"' && text !== undefined ? [text] : []));
  return has(items, '/') ? null : sought.map((text) => condition(items, { field, text }));
};

/** What rows have or lack: `without a label or an owner`, `with more than 2 open findings and IBANs`. */
export const possessed: Build = (items, before, after) => {
  const last = before.at(-1);
  // `mentioning IBANs` is what a text has; `named salary` is a name.
  if (items[0]?.tag === 'm' && items[0].field !== 'words') return null;
  // `shared with the owner`, `whose label was changed`
  if (has(items.slice(0, 1), 'w') && isOn(last, 'exposure') && last?.people !== true) return null;
  if (after[0]?.tag === 'V' && has(items.slice(-1), 'lq')) return null;
  const groups: { element: Item[]; isLacking: boolean; join: string }[] = [];
  let isLacking = /^\w?n/.test(tagsOf(items).slice(0, 2)) && has(items.slice(0, 2), 'n');
  let element: Item[] = [];
  let join = '';
  for (const item of items) {
    if ('&/,~'.includes(item.tag)) join = item.tag;
    if (item.tag === '~') {
      if (!isLacking) return null;
      isLacking = false;
    }
    if (!'lqyIJFKACV'.includes(item.tag)) continue;
    element.push(item);
    if (!'lqyIJFKA'.includes(item.tag)) continue;
    groups.push({ element, isLacking, join });
    element = [];
  }
  const conditions = groups.map(({ element: each, isLacking: isNone }) => {
    const said = possession(each, before);
    return said === null ? null : isNone ? (opposite(said)[0] ?? null) : said;
  });
  const known = conditions.filter((each) => each !== null);
  if (known.length < groups.length) return null;
  if (!has(items, '/') || groups[0]?.isLacking === true)
    return known.map((each, i) => ({
      ...condition(items, each),
      ...(groups[i]?.isLacking && { negated: true as const }),
    }));
  const one = either(known);
  return one === null ? null : [condition(items, one)];
};

function possession(element: readonly Item[], before: readonly Item[]): Condition | null {
  const item = element.at(-1);
  if (item === undefined) return null;
  if (item.tag === 'l') return LABELED;
  if (item.tag === 'q') return { field: 'owned' };
  if (item.tag === 'y') return item.measured === 'copies' ? { field: 'copies', min: 1 } : null;
  if (item.tag === 'I') return { field: 'identifier', any: [...(item.ids ?? [])] };
  if (item.tag === 'J') return firstOf(item) ?? null;
  const { subject, readings = [], bounds } = item;
  if (!isPart(subject) || !has(before, 'N')) return null;
  const where = element
    .slice(0, -1)
    .map((each) => each.readings?.find(({ field }) => hasOwnField(subject, field)));
  const own = [...where, ...readings].filter(
    (each) => each !== undefined && each.field !== 'has',
  ) as SimpleCondition[];
  return own.length < element.length - 1 + readings.length
    ? null
    : { field: 'has', of: subject, where: own, ...bounds };
}

/** `open or acknowledged`: conditions on one field. */
export const alternatives: Build = (items) => {
  const parts = items.filter(({ tag }) => tag === 'C' || tag === 'V');
  if (parts.some(({ readings }) => readings === undefined)) return null;
  const readings = (parts[0]?.readings ?? []).flatMap((reading) => {
    const same = parts.map((part) => part.readings?.find(({ field }) => field === reading.field));
    return same.includes(undefined) ? [] : (either(same as Condition[]) ?? []);
  });
  return readings.length === 0 ? null : [condition(items, ...readings)];
};

export const negated: Build = (items, before) => {
  const item = items.at(-1);
  if (item?.tag === 'V') return [joined(items, { ...item, negated: true })];
  if (item === undefined || (item.tag === 'N' && (isGeneric(item) || !has(before, NOUNS)))) return null;
  const readings = (item.readings ?? []).flatMap(opposite);
  return readings.length === 0 ? null : [joined(items, { ...item, tag: 'C', readings, negated: true })];
};

/** `everything but PDFs`: what follows is left out, if it is one condition. */
export const exception: Build = (items, before) => {
  const conditions = items.filter(({ readings, tag }) => 'CN'.includes(tag) && (readings ?? []).length > 0);
  const said = conditions.flatMap(({ readings = [] }) => readings);
  const isOfBefore = has(before, NOUNS) || before.length === 0 || has(items.slice(0, 1), 'e');
  if (
    conditions.length !== 1 ||
    said.length !== 1 ||
    isOn(before.at(-1), 'exposure', 'copies', 'owned') ||
    !isOfBefore
  )
    return null;
  // `restricted but unlabelled`
  const [one] = said;
  if (has(items, '~') && items.length === 2 && has(items, 'C') && !OF_THINGS.includes(one?.field ?? ''))
    return null;
  if (conditions[0]?.negated === true) return null;
  const noun = items.find(isGeneric);
  const left = condition(items, ...said.flatMap(opposite));
  return noun === undefined || has(before, NOUNS) ? [left] : [noun, left];
};

/** What rows are counted by. */
export const grouping: Build = (items, before) => {
  // `acknowledged by the owner`
  const last = before.at(-1);
  if (
    has(items, 'q') &&
    (last?.tag === 'V' || isOn(last, 'candidateStatus', 'findingStatus', 'actionStatus'))
  )
    return null;
  const readings = items.flatMap((each) => each.readings ?? []);
  const groups = items
    .filter(({ dimensions }) => dimensions !== undefined)
    .map((each) => ({ ...joined([each], { tag: 'B' }), dimensions: each.dimensions ?? [] }))
    .map((each, i, all) => ({ ...each, from: i === 0 ? (items[0]?.from ?? 0) : (all[i - 1]?.to ?? 0) }));
  return readings.length === 0 ? groups : [...groups, condition(items, ...readings)];
};
export const sorting: Build = (items) => {
  const key = items.find(({ tag }) => 'yVv'.includes(tag));
  const times = Object.entries(key?.time ?? {}).map(([subject, field]) => [
    subject,
    field === 'firstSeen' ? 'changed' : field,
  ]);
  const by =
    key?.tag === 'v' ? { assets: 'risk', findings: 'severity' } : (key?.by ?? Object.fromEntries(times));
  const direction =
    find(items, '<')?.direction ?? find(items, 'E')?.direction ?? key?.direction ?? 'descending';
  return [joined(items, { tag: 'O', by: by as NonNullable<Fragment['by']>, direction })];
};

export const limit: Build = (items) => [joined(items, { tag: 'R', number: find(items, '#')?.number ?? 0 })];

export const verbOf = (items: readonly Item[]): Item => ({
  ...(items.at(-1) as Item),
  ...(has(items, 'n') && { negated: true as const }),
});

export const timed = ([verb, window]: readonly Item[]): readonly Item[] | null => {
  if (verb === undefined || window === undefined) return null;
  return [
    {
      ...joined(
        [verb, window].sort((a, b) => a.from - b.from),
        { tag: 'W' },
      ),
      window: window.window ?? {},
      time: verb.time ?? {},
      ...(verb.readings && { readings: verb.readings }),
      ...(verb.negated && { negated: true as const }),
      ...(verb.idle && { idle: true as const }),
    },
  ];
};

/** Times of one verb: `created after January and before March`. */
export const times = (items: readonly Item[]): readonly Item[] | null => {
  const time = items.find(({ tag }) => tag === 'W')?.time;
  if (time === undefined || !has(items, '&~n,')) return null;
  return items.flatMap((each, i) =>
    each.tag !== 'W'
      ? []
      : [
          {
            ...each,
            time: each.time ?? time,
            from: i === 0 ? each.from : (items[i - 1]?.from ?? each.from),
            ...(items[i - 1]?.tag === 'n' && { negated: true as const }),
          },
        ],
  );
};

export const tagsOf = (items: readonly Item[]): string => items.map(({ tag }) => tag).join('');
