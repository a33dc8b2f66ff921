import { boundsOf, either, opposite, severitiesBy } from './conditions.ts';
import type { Fragment } from './lexicon.ts';
import { type Condition, hasOwnField, isPart, type SimpleCondition } from './plan.ts';
import type { Item } from './tagger.ts';

/** What items that match a pattern of tags become, or null if they do not. `before`: the items in front of them. */
type Build = (
  items: readonly Item[],
  before: readonly Item[],
  after: readonly Item[],
) => readonly Item[] | null;
type Rule = readonly [pattern: RegExp, build: Build];

const NOUNS = 'NFKAZ';
const FIELDS = { D: 'domain', T: 'type', S: 'scope', L: 'label', I: 'identifier', P: 'owner' } as const;
/** How long something took. */
const LABELED: Condition = { field: 'labelState', any: ['labeled'] };
/** Fields by which `but` leaves something out. Between others it means `and`. */
const OF_THINGS: readonly string[] = ['domain', 'type', 'scope', 'format'];
/** The prepositions that conditions on a field may have. */
const PREPOSITIONS: Readonly<Record<string, string>> = {
  family: 'iro',
  exposure: 'btwo',
  findingKind: 'ou',
  risk: 'woi',
  severity: 'woi',
  contentState: 'w',
  findFamily: 'wk',
  format: 'io',
};

const firstOf = (item: Item | undefined): Condition | undefined => item?.readings?.[0];
const isOn = (item: Item | undefined, ...fields: Condition['field'][]): boolean =>
  item?.readings?.some(({ field }) => fields.includes(field)) === true;
const isGeneric = (item: Item): boolean => item.tag === 'N' && (item.readings ?? []).length === 0;
const has = (items: readonly Item[], tags: string): boolean => items.some(({ tag }) => tags.includes(tag));
const find = (items: readonly Item[], tags: string): Item | undefined =>
  items.find(({ tag }) => tags.includes(tag));

/** One item in the place of several. */
const joined = (items: readonly Item[], item: Pick<Item, 'tag'> & Partial<Item>): Item => ({
  ...item,
  from: items[0]?.from ?? 0,
  to: items.at(-1)?.to ?? 0,
});
const condition = (items: readonly Item[], ...readings: Condition[]): Item =>
  joined(items, {
    tag: 'C',
    readings,
    ...('iofrwbtuakX'.includes(items[0]?.tag ?? '-') && { apart: true as const }),
    ...(items[0]?.idle && items[0].tag === 'i' && { idle: true as const }),
  });
const drop: Build = () => [];

/** `A, B and C` of names: any of them. */
const listOf: Build = (items) => [
  joined(items, {
    tag: items[0]?.tag ?? '_',
    ids: [...new Set(items.flatMap(({ ids }) => ids ?? []))],
  }),
];

const named: Build = (items) => {
  const name = items.find(({ ids }) => ids !== undefined);
  if (name === undefined) return null;
  const field = FIELDS[name.tag as keyof typeof FIELDS];
  return [condition(items, { field, any: [...(name.ids ?? [])] } as SimpleCondition)];
};
const negatedName: Build = (items, before, after) => {
  if (isOn(before.at(-1), 'exposure', 'copies')) return null;
  const [item] = named(items, before, after) ?? [];
  return item === undefined ? null : [{ ...item, readings: (item.readings ?? []).flatMap(opposite) }];
};

/** A name with the noun that says what it names. */
const withKind: Build = (items) => {
  const name = items.find(({ ids }) => ids !== undefined);
  const kind = items.find(({ ids }) => ids === undefined)?.names;
  const isOf = { D: 'domain', T: 'type', S: 'scope' }[name?.tag ?? ''] === kind;
  return name !== undefined && isOf ? [joined(items, { tag: name.tag, ids: name.ids ?? [] })] : null;
};

const severity: Build = (items) => {
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
const measure: Build = (items) => {
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
const manyFinds: Build = (items) => {
  const comparison = find(items, 'MY')?.comparison ?? 'exactly';
  const bounds = boundsOf('count', comparison, find(items, '#')?.number ?? 0, null);
  const least = bounds?.min;
  const any = find(items, 'I')?.ids;
  if (least === undefined || bounds?.max !== undefined || least < 1 || any === undefined) return null;
  return [condition(items, { field: 'identifier', any: [...any], least })];
};

/** How many findings an asset has, or assets a scope: the noun with its bounds. */
const counted: Build = (items, before) => {
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

/** What a person did, or has: the role is that of the verb. */
const byPerson: Build = (items, _, after) => {
  const verb = find(items, 'V');
  const ids = find(items, 'P')?.ids ?? [];
  const isOfTwo = items.at(-1)?.tag === 'V' && /^[&/]V/.test(tagsOf(after));
  if (verb?.role === undefined || isOfTwo) return null;
  const said: SimpleCondition = {
    field: verb.role,
    any: [...ids],
    ...(has(items, 'n') && { not: true as const }),
  };
  return verb.time === undefined
    ? [condition(items, said)]
    : [
        joined(items, {
          tag: 'V',
          time: verb.time,
          readings: [said],
          ...(has(items, 'n') && { negated: true as const, idle: true as const }),
        }),
      ];
};
const owned = (items: readonly Item[]): Item =>
  condition(
    items,
    ...(['requester', 'owner'] as const).map(
      (field) =>
        ({
          field,
          any: [...(find(items, 'P')?.ids ?? [])],
          ...(has(items, 'n') && { not: true as const }),
        }) as SimpleCondition,
    ),
  );

const labelOf = (items: readonly Item[], not?: true): Condition => ({
  field: 'label',
  any: [...(find(items, 'L')?.ids ?? [])],
  ...(not && { not }),
});

/** Words that are searched for, or identifiers. */
const texts: Build = (items) => {
  const field = find(items, 'm')?.field ?? 'words';
  const sought = items.flatMap(({ tag, text }) => (tag === '"' && text !== undefined ? [text] : []));
  return has(items, '/') ? null : sought.map((text) => condition(items, { field, text }));
};

/** What rows have or lack: `without a label or an owner`, `with more than 2 open findings and IBANs`. */
const possessed: Build = (items, before, after) => {
  const last = before.at(-1);
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
const alternatives: Build = (items) => {
  const parts = items.filter(({ tag }) => tag === 'C' || tag === 'V');
  if (parts.some(({ readings }) => readings === undefined)) return null;
  const readings = (parts[0]?.readings ?? []).flatMap((reading) => {
    const same = parts.map((part) => part.readings?.find(({ field }) => field === reading.field));
    return same.includes(undefined) ? [] : (either(same as Condition[]) ?? []);
  });
  return readings.length === 0 ? null : [condition(items, ...readings)];
};

const negated: Build = (items, before) => {
  const item = items.at(-1);
  if (item?.tag === 'V') return [joined(items, { ...item, negated: true })];
  if (item === undefined || (item.tag === 'N' && (isGeneric(item) || !has(before, NOUNS)))) return null;
  const readings = (item.readings ?? []).flatMap(opposite);
  return readings.length === 0 ? null : [joined(items, { ...item, tag: 'C', readings, negated: true })];
};

/** `everything but PDFs`: what follows is left out, if it is one condition. */
const exception: Build = (items, before) => {
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
const grouping: Build = (items, before) => {
  // `acknowledged by the owner`
  const last = before.at(-1);
  if (
    has(items, 'q') &&
    (last?.tag === 'V' || isOn(last, 'candidateStatus', 'findingStatus', 'actionStatus'))
  )
    return null;
  return items
    .filter(({ dimensions }) => dimensions !== undefined)
    .map((each) => ({ ...joined([each], { tag: 'B' }), dimensions: each.dimensions ?? [] }))
    .map((each, i, all) => ({ ...each, from: i === 0 ? (items[0]?.from ?? 0) : (all[i - 1]?.to ?? 0) }));
};
const ORDER_OF_TIME: Readonly<Record<string, string>> = { firstSeen: 'changed' };
const sorting: Build = (items) => {
  const key = items.find(({ tag }) => 'yVv'.includes(tag));
  const times = Object.entries(key?.time ?? {}).map(([subject, field]) => [
    subject,
    ORDER_OF_TIME[field] ?? field,
  ]);
  const by =
    key?.tag === 'v' ? { assets: 'risk', findings: 'severity' } : (key?.by ?? Object.fromEntries(times));
  const direction =
    find(items, '<')?.direction ?? find(items, 'E')?.direction ?? key?.direction ?? 'descending';
  return [joined(items, { tag: 'O', by: by as NonNullable<Fragment['by']>, direction })];
};

const limit: Build = (items) => [joined(items, { tag: 'R', number: find(items, '#')?.number ?? 0 })];

const ELEMENT = '(?:[lqyIJ]|[CV]*[FKA])';

/**
 * Patterns of tags, in the order in which they apply. Each joins items into larger ones, until only nouns, conditions,
 * times, groups, orders and limits are left. What no rule takes is not understood.
 */
const RULES: readonly Rule[] = [
  [/,(?=[&/~])/g, drop],
  [/(?<=^[hQ]?)!/g, drop],
  [/(?<=^[hQp#!]*)e(?=,?[~xCNFKAZTDsPO])/g, drop],
  [/(?<!n)2(?=[INC])/g, drop],
  [
    /w(?=n?[VGC])/g,
    (items, _, after) =>
      /^n?C[CVs]*[FKA]/.test(tagsOf(after)) || (items[0]?.idle !== true && /^n?C/.test(tagsOf(after)))
        ? null
        : [],
  ],
  // Names.
  [/[dZ][DTS]|[DTS][dZ]/g, withKind],
  [/D(?:[,&/]D)+|S(?:[,&/]S)+|P(?:[,&/]P)+|L(?:[,&/]L)+/g, listOf],
  [
    /TN?(?:[,&/]TN?)+/g,
    (items) =>
      items.some((each) => each.tag === 'N' && !isGeneric(each))
        ? null
        : [
            ...(listOf(
              items.filter(({ tag }) => tag !== 'N'),
              [],
              [],
            ) ?? []),
            ...(has(items, 'N')
              ? [joined(items.slice(-1), { tag: 'N', subject: 'assets', readings: [] })]
              : []),
          ],
  ],
  [
    /N(?:[,&/]N)+/g,
    (items) => {
      const nouns = items.filter(({ tag }) => tag === 'N');
      const one = either(nouns.flatMap(({ readings = [] }) => readings.slice(0, 1)));
      if (nouns.every(isGeneric)) return [joined(items, { tag: 'N', subject: 'assets', readings: [] })];
      return nouns.some(isGeneric) || one === null
        ? null
        : [joined(items, { tag: 'N', subject: 'assets', readings: [one] })];
    },
  ],
  [
    /NN/g,
    (items) =>
      isGeneric(items[0] as Item)
        ? null
        : [
            joined(items, {
              tag: 'N',
              subject: 'assets',
              readings: items.flatMap(({ readings = [] }) => readings),
            }),
          ],
  ],
  // Severities, measures, counts.
  [
    /s(?:[,&/]s)+/g,
    (items) => [
      joined(items, {
        tag: 's',
        readings: [either(items.flatMap(({ readings = [] }) => readings)) as Condition],
      }),
    ],
  ],
  [/[woi]?(?:M?sY?vY?|vM?sY?)/g, severity],
  [/M?sY?/g, severity],
  [/w?y?M?#[U%]?(?:&#[U%]?)?Y?y?/g, measure],
  [/[wk]?M?#Y?I/g, manyFinds],
  [
    /[wk]?M?#Y?[FKAN]/g,
    (items, before, after) => {
      const built = counted(
        items.filter(({ tag }) => !'wk'.includes(tag)),
        before,
        after,
      );
      const [marker] = items;
      return built === null || marker === undefined || !'wk'.includes(marker.tag) || built[0]?.tag === 'C'
        ? built
        : [marker, ...built];
    },
  ],
  // People.
  [/VbP|Pn?V/g, byPerson],
  [/A[br]P/g, (items) => [items[0] as Item, owned(items.slice(1))]],
  [/[NFKATC]oP/g, (items) => [items[0] as Item, owned(items.slice(1))]],
  [
    /(?:qP|Pn?q)/g,
    (items) => [
      condition(items, {
        field: 'owner',
        any: [...(find(items, 'P')?.ids ?? [])],
        ...(has(items, 'n') && { not: true as const }),
      }),
    ],
  ],
  [/P(?=[CT]*[NFKAT])/g, (items) => (items[0]?.genitive === true ? [owned(items)] : null)],
  // Labels.
  [
    /(?<!n)G,?a?N?(?:x|~n?)a?L|w?l(?:x|,?~n)L/g,
    (items) => [condition(items, LABELED), condition(items, labelOf(items, true))],
  ],
  [/(?<!w)lnL/g, (items) => [condition(items, labelOf(items, true))]],
  [/Ga?L|w?lL|w?Ll/g, (items) => [condition(items, labelOf(items))]],
  [/G/g, (items) => [condition(items, LABELED)]],
  // Names in their places.
  [/X[DS]/g, negatedName],
  [
    /[iofr]?D/g,
    (items, before, after) =>
      before.at(-1)?.people === true && has(items, 'i') ? null : named(items, before, after),
  ],
  [/[iofr]?S/g, named],
  [/[wouai]?T/g, named],
  [
    /[io]Nd/g,
    (items) =>
      items.at(-1)?.dimensions?.[0] === 'format' && isOn(items[1], 'format')
        ? [condition(items, firstOf(items[1]) as Condition)]
        : null,
  ],
  [
    /[iofrwbtuk][CJ]/g,
    (items, _, after) => {
      const [preposition, item] = items;
      if (/^[CVs]*[FKA]/.test(tagsOf(after))) return null;
      const allowed = PREPOSITIONS[firstOf(item)?.field ?? ''] ?? '';
      return allowed.includes(preposition?.tag ?? '-')
        ? [{ ...joined(items, { ...(item as Item), tag: 'C' }), apart: true }]
        : null;
    },
  ],
  [
    /cC|Cc/g,
    (items) => {
      const of = items.find((each) => each.tag === 'C');
      return isOn(of, 'exposure') ? [joined(items, of as Item)] : null;
    },
  ],
  [
    /CC/g,
    (items) => {
      const access = items.find((each) => isOn(each, 'exposure'));
      const open = items.find((each) => each.idle === true);
      return access !== undefined && open !== undefined ? [joined(items, access)] : null;
    },
  ],
  [/[ki]?m"(?:[,&/]")*|[ku]"(?:[,&/]")*/g, texts],
  // What rows have.
  [
    /(?<=F)[ou]n[lq]/g,
    (items) => [condition(items, { field: 'findingKind', any: [has(items, 'l') ? 'label' : 'no_owner'] })],
  ],
  [new RegExp(`(?:nw|wn|kn|nk|n|w|k|m(?=[IJ]))${ELEMENT}(?:(?:[,&/]|~w?)${ELEMENT})*`, 'g'), possessed],
  [
    /w?n?N(?!.*N)/g,
    (items, before) =>
      isOn(items.at(-1), 'copies') && items.length > 1 && has(before, 'N')
        ? [
            condition(
              items,
              ...(has(items, 'n')
                ? opposite(firstOf(items.at(-1)) as Condition)
                : (items.at(-1)?.readings ?? [])),
            ),
          ]
        : null,
  ],
  [/I(?=N)/g, named],
  [/J/g, (items) => [condition(items, ...(items[0]?.readings ?? []))]],
  // Times, alternatives, negations.
  [/VW/g, (items) => timed(items)],
  [
    /(?<=^.+)WV(?![Wb])/g,
    (items) => (items[0]?.window?.age === true ? null : timed([items[1] as Item, items[0] as Item])),
  ],
  [/W(?:[,&~]*n?W)+/g, (items) => times(items)],
  [/[CV](?:,[CV])*(?:\/[CV])+/g, alternatives],
  [/n[CVN]/g, negated],
  [/nW/g, (items) => (items[1]?.time === undefined ? null : [joined(items, { ...items[1], negated: true })])],
  [/[x~](?:CN|NC?|C)(?=$|[,bgz@])/g, exception],
  [/(?<=C)~(?=[CVW])/g, drop],
  // Groups, orders, limits.
  [/[bg][dlqvZ](?:[,&][bg]?[dlqvZ])*/g, grouping],
  [/[bz][yVv]<?|@y|Ey/g, sorting],
  [
    /p#|M?#(?=O)|(?<=^[hQ]*)#(?=[CNFKAZTH])/g,
    (items) => (has(items, 'M') && items[0]?.comparison !== 'most' ? null : limit(items, [], [])),
  ],
  [/p$/g, (items, before) => (has(before, 'O') ? [] : null)],
  [
    /(?<=^[hR]*)[dlq]/g,
    (items, before, after) =>
      before.length > 0 || (items[0]?.tag === 'l' ? /^[wkfEn@]/ : /^[wkfEn@C]/).test(tagsOf(after)) ? [{ ...(items[0] as Item), tag: 'H' }] : null,
  ],
  [
    /(?<=H[wk]?)O/g,
    (items) =>
      items[0]?.readings === undefined
        ? null
        : [joined(items, { tag: 'E', direction: 'descending' }), condition(items, ...items[0].readings)],
  ],
  [/[wkf](?=[EO])/g, drop],
  [/(?<=H)[wkf]/g, drop],
  [/[wk](?=C*N)/g, (_, before) => (has(before, 'Z') && !has(before, 'N') ? [] : null)],
  [/[ioufr](?=C*N)/g, (_, before) => (has(before, 'FKA') ? [] : null)],
  [/(?<=[CWVN])&(?=[CWV])/g, drop],
  [/(?<=[CWV])&(?=[CWV])/g, drop],
  [/[h,]/g, drop],
];

const timed = ([verb, window]: readonly Item[]): readonly Item[] | null => {
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
const times = (items: readonly Item[]): readonly Item[] | null => {
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

const tagsOf = (items: readonly Item[]): string => items.map(({ tag }) => tag).join('');

/** The items of a question joined by the rules. */
export function joinedItems(items: readonly Item[]): Item[] {
  let all = [...items];
  for (const [pattern, build] of RULES) {
    let from = 0;
    for (;;) {
      pattern.lastIndex = from;
      const match = pattern.exec(tagsOf(all));
      if (match === null) break;
      const [at, length] = [match.index, match[0].length];
      const built = build(all.slice(at, at + length), all.slice(0, at), all.slice(at + length));
      if (built === null) from = at + 1;
      else {
        all = [...all.slice(0, at), ...built, ...all.slice(at + length)];
        from = at + built.length;
      }
    }
  }
  return all;
}
