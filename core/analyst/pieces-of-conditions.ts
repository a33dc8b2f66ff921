import { boundsOf, either, opposite, severitiesBy } from './conditions.ts';
import { type Build, fieldOf, find, has, idsOf, not, where } from './pieces.ts';
import { type Condition, hasOwnField, isPart, type SimpleCondition } from './plan.ts';
import type { Item } from './tagger.ts';

const LABELED: Condition = { field: 'labelState', any: ['labeled'] };
/** The prepositions that conditions on a field may have. */
const PREPOSITIONS: Readonly<Record<string, string>> = {
  family: 'iro',
  exposure: 'btwo',
  findingKind: 'ou',
  contentState: 'w',
};
/** Fields of things that `but` leaves out. Between others it means `and`. */
const OF_THINGS: readonly Condition['field'][] = ['format', 'family'];
/** After these, a place may be that of somebody else, or of a copy. */
const OF_OTHERS: readonly Condition['field'][] = ['exposure', 'copies', 'owned'];

/** Names of one kind, of which one is enough. */
export const named =
  (field: 'domain' | 'type' | 'scope', tag: string): Build =>
  (items, { before }) => {
    const isOfKind = items.every((each) => !'dZ'.includes(each.tag) || each.names === field);
    const isOfOther = OF_OTHERS.includes(fieldOf(before) ?? 'domain') && has(items, 'xX~');
    // `everyone in Finance`, `copies in Legal`
    const isAmong = before?.people === true || before?.measured === 'copies';
    if (!isOfKind || isOfOther || (isAmong && field !== 'type')) return null;
    return where({ field, any: idsOf(items, tag), ...not(has(items, 'nxX~')) });
  };

export const owned: Build = (items) =>
  where({ field: 'owner', any: idsOf(items, 'P'), ...not(has(items, 'n')) });

/** Whose something is: `Lena's files`, `files of Lena`, `requests by Lena`. */
export const ofPerson: Build = (items, { subject, before }) => {
  const [first] = items;
  const isSaid =
    first?.tag === 'P'
      ? first.genitive === true
      : 'NFKAT'.includes(before?.tag ?? '-') && (first?.tag === 'o' || subject === 'actions');
  const any = idsOf(items, 'P');
  return isSaid
    ? {
        where: [
          [
            { field: 'requester', any },
            { field: 'owner', any },
          ],
        ],
      }
    : null;
};
/** Whose an action is would be that of who requested it, approves it, or owns the domain. */
export const mine: Build = ([item], { subject }) =>
  subject === 'actions' ? null : { where: [item?.readings ?? []] };

/** `confirmed`, `not shared`, `open or acknowledged`, `in mail`. */
export const stated: Build = (items) => {
  const preposition = items.find(({ tag }) => tag !== 'n');
  const said = items.filter(({ readings }) => readings !== undefined);
  const [first, ...others] = said.map(({ readings = [] }) => readings);
  if (first === undefined || preposition === undefined) return null;
  const allowed = PREPOSITIONS[first[0]?.field ?? ''] ?? '';
  const isApart = 'iofrwbtu'.includes(preposition.tag);
  if (isApart ? !allowed.includes(preposition.tag) : said[0]?.people === true) return null;
  const any = first.flatMap((reading) => {
    if (others.length === 0) return [reading];
    const same = others.map((each) => each.find(({ field }) => field === reading.field));
    return same.includes(undefined) ? [] : (either([reading, ...(same as Condition[])]) ?? []);
  });
  const meant = has(items, 'n') ? any.flatMap(opposite) : any;
  return meant.length === 0 ? null : { where: [meant] };
};

/** `labelled`, `not labelled Public`, `with a label other than Public`. */
export const labelled: Build = (items) => {
  const any = idsOf(items, 'L');
  const isNot = has(items, 'nx~');
  if (items[0]?.tag === 'n' && has(items, 'x~')) return null;
  if (any.length === 0) return where({ field: 'labelState', any: [isNot ? 'unlabeled' : 'labeled'] });
  const label: Condition = { field: 'label', any, ...not(isNot) };
  return has(items, 'x~') ? where(LABELED, label) : where(label);
};

/** `high or critical`, `at least high risk`. */
export const severity: Build = (items) => {
  const comparison = find(items, 'MY')?.comparison ?? 'exactly';
  const said = items.flatMap(({ tag, readings = [] }) => (tag === 's' ? readings : []));
  const all = said.flatMap((each) => (each.field === 'severity' ? each.any : []));
  const any = comparison === 'exactly' ? all : all.flatMap((each) => severitiesBy(each, comparison));
  if (any.length === 0 || (comparison !== 'exactly' && all.length > 1)) return null;
  const level = find(items, 'v')?.dimensions?.[0];
  const fields = (['severity', 'risk'] as const).filter((field) => level === undefined || field === level);
  if (has(items, 'n') && comparison !== 'exactly') return null;
  return { where: [fields.map((field) => ({ field, any: [...new Set(any)], ...not(has(items, 'n')) }))] };
};

/** `larger than 10 MB`, `with more than 5 copies`, `confidence above 80%`. */
export const measured: Build = (items) => {
  const [first, second] = items.filter(({ tag }) => tag === '#');
  const scales = items.filter(({ tag }) => tag === 'U' || tag === '%');
  const scale = scales.at(-1);
  const comparison = find(items, 'Y')?.comparison ?? find(items, 'M')?.comparison ?? 'exactly';
  const said = items.filter((each) => each.measured !== undefined).at(-1)?.measured;
  const field = said ?? (scale === undefined ? null : scale.tag === 'U' ? 'size' : 'confidence');
  if (first === undefined || field == null || (second !== undefined) !== (comparison === 'between'))
    return null;
  const amountOf = ({ number = 0 }: Item, unit: Item | undefined) => {
    if (field === 'size') return number * (unit?.factor ?? Number.NaN);
    if (field === 'copies') return unit === undefined ? number : Number.NaN;
    return unit?.tag === 'U' ? Number.NaN : unit !== undefined || number > 1 ? number / 100 : number;
  };
  const other = second === undefined ? null : amountOf(second, scale);
  const bounds = boundsOf(field, comparison, amountOf(first, scales[0]), other);
  return bounds === null ? null : where({ field, ...bounds });
};

export const countOf = (items: readonly Item[]) =>
  boundsOf('count', find(items, 'MY')?.comparison ?? 'exactly', find(items, '#')?.number ?? 0, null);

export const assetCount: Build = (items, { subject }) => {
  const bounds = countOf(items);
  const isOfScopes = subject === 'scopes' && items.at(-1)?.readings?.length === 0;
  return isOfScopes && bounds !== null ? where({ field: 'assetCount', ...bounds }) : null;
};

/** A thing that rows have: a label, an owner, copies, identifiers, findings. */
export function possession(items: readonly Item[]): Condition | null {
  const item = items.at(-1);
  const bounds = has(items, '#') ? countOf(items) : {};
  if (item === undefined || bounds === null) return null;
  if (item.tag === 'l') return LABELED;
  if (item.tag === 'q') return { field: 'owned' };
  if (item.tag === 'y') return item.measured === 'copies' ? { field: 'copies', min: 1 } : null;
  if (item.tag === 'J') return item.readings?.[0] ?? null;
  if (item.tag === 'I') {
    const { min, max } = bounds;
    if (has(items, '#') && (min === undefined || min === 0 || max !== undefined)) return null;
    return { field: 'identifier', any: idsOf(items, 'I'), ...(min !== undefined && { least: min }) };
  }
  const { subject } = item;
  if (!isPart(subject)) return null;
  const said = items.filter(({ readings = [] }) => readings.length > 0);
  const own = said.flatMap(
    ({ readings = [] }) => readings.find(({ field }) => hasOwnField(subject, field)) ?? [],
  );
  return own.length < said.length
    ? null
    : { field: 'has', of: subject, where: own as SimpleCondition[], ...bounds };
}

/** `without a label or an owner`, `with more than 2 open findings and IBANs`. */
export const possessed: Build = (items, { before }) => {
  // `shared with the owner`, `with copies with IBANs`
  if ((fieldOf(before) === 'exposure' && has(items, 'q')) || before?.measured === 'copies') return null;
  const isNone = has(items.slice(0, 2), 'n');
  const starts = items.flatMap(({ tag }, at) => (',&/~'.includes(tag) ? [at] : []));
  const turned = items.findIndex(({ tag }) => tag === '~');
  if (turned >= 0 && !isNone) return null;
  const said: Condition[] = [];
  for (const [i, from] of [-1, ...starts].entries()) {
    const element = items.slice(from + 1, starts[i]).filter(({ tag }) => !'wkn2'.includes(tag));
    if (element.length === 0) continue;
    const one = possession(element);
    const [meant] = one === null ? [] : isNone && (turned < 0 || from < turned) ? opposite(one) : [one];
    if (meant === undefined) return null;
    said.push(meant);
  }
  if (isNone || !has(items, '/')) return where(...said);
  const one = either(said);
  return one === null ? null : where(one);
};

/** `documents waiting for review` */
export const waiting: Build = (items, { subject }) => {
  const { readings = [], idle } = items.at(-1) as Item;
  const own = readings.filter(({ field }) => hasOwnField('candidates', field)) as SimpleCondition[];
  return idle === true && subject === 'assets'
    ? { ...where({ field: 'has', of: 'candidates', where: own }), isClosed: true }
    : null;
};

/** `named "payroll"`, `containing "a" and "b"`. */
export const texts: Build = (items) => {
  const field = find(items, 'm')?.field ?? 'words';
  return where(...items.flatMap(({ tag, text = '' }): Condition[] => (tag === '"' ? [{ field, text }] : [])));
};
export const fileName: Build = ([quoted], { before }) =>
  before?.tag === 'N' && before.plural !== true ? where({ field: 'name', text: quoted?.text ?? '' }) : null;

/** Who has access, as it is written. */
export const granted: Build = (items) =>
  items[0]?.tag === 'C' && fieldOf(items[0]) !== 'exposure'
    ? null
    : where({ field: 'grantee', text: find(items, 'j"')?.text ?? '' });

/** `that external people can open`, `accessible to everyone`, `shared with guests`. */
export const reachable: Build = (items) => {
  const conditions = items.filter(({ tag }) => tag === 'C');
  const said = conditions.find(({ people }) => people === true);
  // `that guests can open`
  const others = conditions.filter((each) => each !== said && each.idle !== true);
  // `not shared with anyone` is not shared at all.
  if (has(items, 'n') && said?.readings?.every((each) => 'any' in each && each.any.length === 1)) return null;
  const isVerb = items.length > conditions.length || others.length === 0;
  if (said?.readings === undefined || !isVerb || others.some((each) => fieldOf(each) !== 'exposure'))
    return null;
  return { where: [has(items, 'n') ? said.readings.flatMap(opposite) : said.readings] };
};

/** What was done, not done, or done by somebody. */
export const done: Build = (items, { before }) => {
  const verb = find(items, 'V') as Item;
  const negated = has(items, 'n');
  const said = { ...verb, ...(negated && { negated: true as const }) };
  const window = find(items, 'W');
  if (window?.window?.age === true) return null;
  if (!has(items, 'P')) return { verb: said, window };
  if (verb.role === undefined || before?.tag === '/') return null;
  const by = where({ field: verb.role, any: idsOf(items, 'P'), ...not(negated) });
  // What is not done by somebody has no time.
  const { readings: _, role: __, ...timed } = said;
  return verb.time === undefined || negated ? by : { ...by, verb: { ...timed, idle: true } };
};

/** `everything but PDFs`, `except unlabelled files`. */
export const except: Build = (items, { before }) => {
  const said = items.flatMap(({ readings = [] }) => readings);
  const isOut = has(items, 'x') || has(items, 'N') || said.every(({ field }) => OF_THINGS.includes(field));
  return said.length === 1 && isOut && !OF_OTHERS.includes(fieldOf(before) ?? 'domain')
    ? { where: [said.flatMap(opposite)] }
    : null;
};
