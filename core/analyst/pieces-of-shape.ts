import { either } from './conditions.ts';
import { type Build, find, has, type Readings, where } from './pieces.ts';
import { countOf, named, possession } from './pieces-of-conditions.ts';
import { isPart } from './plan.ts';
import type { Item } from './tagger.ts';

export const limited: Build = (items, { lead }) => {
  const [first] = items;
  if (lead !== undefined) return null;
  const isMost = first?.tag !== 'M' || first.comparison === 'most';
  return first !== undefined && isMost ? { limit: { ...first, ...items.at(-1), tag: first.tag } } : null;
};

const isOfDomains = (lead: Item | undefined): boolean => lead?.dimensions?.[0] === 'granteeDomain';
/** `which external domains can read` */
export const ofAccess: Build = (_, { lead }) => (isOfDomains(lead) ? {} : null);

export const ranked: Build = (items, { lead }) => {
  const said = find(items, 'E@');
  // Of whom, beside external domains, would be said by another verb.
  if (lead === undefined || has(items, 'c') !== isOfDomains(lead)) return null;
  return { ranked: said, ...(said?.show && { ask: said }) };
};

export const leading: Build = ([lead], { before }) => {
  const { readings = [] } = lead as Item;
  // `stale scopes with findings`: nothing but whose they are is known of groups.
  const isOfMine = before?.readings?.some((each) => each.field === 'owner') === true;
  if ('CGsvVTDSPLI'.includes(before?.tag ?? '-') && !isOfMine) return null;
  return { lead: lead as Item, where: readings.length > 0 ? [readings] : [] };
};

export const sorted: Build = (items, { limit, lead }) => {
  const key = find(items, 'yvO') as Item;
  const isLevel = key.tag === 'v';
  // `by risk` is in groups, but the first ten are rows.
  if (isLevel && has(items, 'b') && (limit === undefined || lead !== undefined)) return null;
  const by = isLevel ? { assets: 'risk' as const, findings: 'severity' as const } : key.by;
  const direction = find(items, '<E')?.direction ?? key.direction ?? 'descending';
  return by === undefined ? null : { order: { by, direction } };
};

/** `with the most critical findings`, `by number of findings`. The fewest would leave out the files that have none. */
export const richest: Build = (items, { subject, lead }) => {
  const said = possession(items.filter(({ tag }) => 'CsFK'.includes(tag)));
  const isFewest = find(items, 'E')?.direction === 'ascending';
  if (said === null || subject !== 'assets' || lead !== undefined || isFewest) return null;
  return { ...where(said), order: { by: { assets: 'parts' }, direction: 'descending' } };
};

/** What groups have: `which types have more than 100 files`. An exact number may be anything else. */
export const having: Build = (items, { lead }) => {
  const bounds = countOf(items);
  return lead === undefined || bounds === null || !has(items, 'MY') ? null : { having: bounds };
};

export const grouped: Build = (items, { before }) => {
  // `acknowledged by the owner`
  if (has(items, 'q') && 'CV'.includes(before?.tag ?? '-')) return null;
  const groups = items.filter(({ dimensions }) => dimensions !== undefined);
  return { groups, where: groups.flatMap(({ readings = [] }) => (readings.length > 0 ? [readings] : [])) };
};

export const noun: Build = (items) => {
  const nouns = items.filter(({ tag }) => 'NFKAZ'.includes(tag));
  const said = nouns.flatMap(({ readings = [] }) => readings);
  // `PDFs or spreadsheets`, `files and documents`
  const one = items.length > nouns.length && said.length === nouns.length ? either(said) : null;
  if (items.length > nouns.length && said.length > 0 && one === null) return null;
  return { noun: nouns[0], ...where(...(one === null ? said : [one])) };
};

export const typeAsNoun: Build = (items, context) => {
  const said = named('type', 'T')(items, context);
  return said && { ...said, noun: items.at(-1) };
};

/** `findings on unlabelled files` */
export const about: Build = (items, { subject }) => {
  const described = items.slice(1, -1);
  const noun = items.at(-1) as Item;
  if (!isPart(subject) || described.some(({ readings = [], ids = [] }) => readings.length + ids.length === 0))
    return null;
  const readings = [...described, noun].flatMap((each): Readings[] =>
    each.ids
      ? [[{ field: 'type', any: [...each.ids] }]]
      : (each.readings ?? []).length > 0
        ? [each.readings ?? []]
        : [],
  );
  return { where: readings, noun };
};
