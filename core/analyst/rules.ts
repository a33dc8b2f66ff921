import { boundsOf, either, opposite } from './conditions.ts';
import {
  alternatives,
  type Build,
  condition,
  counted,
  drop,
  exception,
  find,
  firstOf,
  grouping,
  has,
  isGeneric,
  isOn,
  joined,
  LABELED,
  labelOf,
  limit,
  listOf,
  manyFinds,
  measure,
  named,
  negated,
  negatedName,
  possessed,
  severity,
  sorting,
  tagsOf,
  texts,
  timed,
  times,
  verbOf,
  withKind,
} from './joins.ts';
import { byPerson, granted, owned, ranked } from './joins-of-people.ts';
import type { Condition } from './plan.ts';
import type { Item } from './tagger.ts';

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
type Rule = readonly [pattern: RegExp, build: Build];

const ELEMENT = '(?:[lqyIJ]|[CV]*[FKA])';

/**
 * Patterns of tags, in the order in which they apply. Each joins items into larger ones, until only nouns, conditions,
 * times, groups, orders and limits are left. What no rule takes is not understood.
 */
const RULES: readonly Rule[] = [
  // Whose an action is would be that of who requested it, approves it, or owns the domain.
  [/(?<=^[^A]*)5(?=[^A]*$)/g, (items) => [condition(items, ...(items[0]?.readings ?? []))]],
  [/,(?=[&/~])/g, drop],
  [/(?<=^[hQ]?)!/g, drop],
  [/(?<=^[hQp#!]*)e(?=,?[~xCNFKAZTDsPO])/g, drop],
  [/(?<=^[hQ])o/g, drop],
  [/(?<!n)2(?=[INC])/g, drop],
  [
    /w(?=n?[VGC])/g,
    (items, _, after) =>
      /^n?C[CVs]*[FKA]/.test(tagsOf(after)) || (items[0]?.idle !== true && /^n?C/.test(tagsOf(after)))
        ? null
        : [],
  ],
  [
    /0W|(?<=Q.*)MW/g,
    ([than, day]) =>
      than?.tag === 'M' && than.compared !== true
        ? null
        : [joined([than, day] as Item[], { tag: '9', window: day?.window ?? {} })],
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
  [/CH/g, (items) => (items[0]?.people === true ? [joined(items, { tag: '_' })] : null)],
  // Who has access, as it is written.
  [/Cw3?[j"]/g, (items) => (isOn(items[0], 'exposure') ? granted(items) : null)],
  [/ct?3?[j"]|3?[j"]c/g, granted],
  [
    /(?<=N)"/g,
    (items, before) =>
      before.at(-1)?.plural === true
        ? null
        : [condition(items, { field: 'name', text: items[0]?.text ?? '' })],
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
  // What groups have: `which types have more than 100 files`.
  [
    /(?<=^h?(?:[dlqH]|Z(?=[wk]?M?#Y?(?:[CGJTI]+N|C*[FKA])))[wk]?)M?#Y?(?=[CGJTI]*[FKAN])/g,
    (items) => {
      const bounds = boundsOf(
        'count',
        find(items, 'MY')?.comparison ?? 'exactly',
        find(items, '#')?.number ?? 0,
        null,
      );
      return bounds === null || has(items, 'M') === has(items, 'Y')
        ? null
        : [joined(items, { tag: '4', bounds })];
    },
  ],
  [/(?<=N[^FKAZ]*)(?:[wk](?:E|(?=O))[CO]*|@C*)[FK]/g, ranked],
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
  // `IBANs enthalten`
  [/[IJ]k(?![IJ"])/g, (items) => [items[1] as Item, items[0] as Item]],
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
    (items, before, after) => {
      const of = items.find((each) => each.tag === 'C');
      // `how many guests can read invoices` asks for people, not for what they read.
      const isSubject =
        items[0] === of &&
        /^[hQ]*$/.test(tagsOf(before)) &&
        /^[CGsIJTN]/.test(tagsOf(after)) &&
        after[0]?.apart !== true;
      return isOn(of, 'exposure') && !isSubject ? [joined(items, of as Item)] : null;
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
    /(?<=^.+)Wn?V(?![Wb])/g,
    (items) => (items[0]?.window?.age === true ? null : timed([verbOf(items), items[0] as Item])),
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
  [/p$/g, (_, before) => (has(before, 'O') ? [] : null)],
  [
    /(?<=^[hR]*)[dlq]/g,
    (items, before, after) =>
      before.length > 0 || (items[0]?.tag === 'l' ? /^[wkfEn@]/ : /^[wkfEn@C]/).test(tagsOf(after))
        ? [{ ...(items[0] as Item), tag: 'H' }]
        : null,
  ],
  [
    /H/g,
    (items) => {
      const { readings, ...lead } = items[0] as Item;
      return readings === undefined ? null : [lead, condition([lead], ...readings)];
    },
  ],
  [
    /(?<=H[wk]?)O/g,
    (items) =>
      items[0]?.readings === undefined
        ? null
        : [joined(items, { tag: 'E', direction: 'descending' }), condition(items, ...items[0].readings)],
  ],
  [
    /(?<=H.*)Ec/g,
    ([most], before) =>
      most !== undefined && find(before, 'H')?.dimensions?.includes('granteeDomain') === true ? [most] : null,
  ],
  [/[wkf](?=[EO4])/g, drop],
  [/(?<=H)[wkf]/g, drop],
  [/[wk](?=C*N)/g, (_, before) => (has(before, 'Z') && !has(before, 'N') ? [] : null)],
  [/[ioufr](?=C*N)/g, (_, before) => (has(before, 'FKA') ? [] : null)],
  [/(?<=[CWVN])&(?=[CWV])/g, drop],
  [/(?<=[CWV])&(?=[CWV])/g, drop],
  [/[h,]/g, drop],
];

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
