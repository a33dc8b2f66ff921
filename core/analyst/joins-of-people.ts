import { type Build, condition, find, has, joined, tagsOf } from './joins.ts';
import { hasOwnField, isPart, type Part, type SimpleCondition } from './plan.ts';
import type { Item } from './tagger.ts';

/** What a person did, or has: the role is that of the verb. */
export const byPerson: Build = (items, _, after) => {
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
export const owned = (items: readonly Item[]): Item =>
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

/** Who has access, as they are written. */
export const granted = (items: readonly Item[]): readonly Item[] => [
  condition(items, { field: 'grantee', text: find(items, 'j"')?.text ?? '' }),
];

/** Files by the number of their findings or candidates: `with the most critical findings`. */
export const ranked: Build = (items) => {
  const part = items.at(-1);
  const severity = items.find(({ tag, readings }) => tag === 'O' && readings !== undefined);
  // The fewest would leave out the files that have none.
  const isRank = find(items, 'E')?.direction !== 'ascending' && (has(items, 'E@') || severity !== undefined);
  if (part === undefined || !isPart(part.subject) || !isRank) return null;
  const said = [...items.slice(0, -1), part].filter(({ readings }) => readings !== undefined);
  const own = said.map(({ readings = [] }) =>
    readings.find(({ field }) => hasOwnField(part.subject as Part, field)),
  );
  if (own.some((each, i) => each === undefined && said[i]?.readings?.length !== 0)) return null;
  const where = own.filter((each) => each !== undefined && each.field !== 'has') as SimpleCondition[];
  return [
    condition(items, { field: 'has', of: part.subject, where }),
    { ...joined([part], { tag: 'O', by: { assets: 'parts' }, direction: 'descending' }), from: part.to },
  ];
};
