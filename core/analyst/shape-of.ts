import { TIME } from './fragment.ts';
import {
  type Condition,
  DEFAULT_ROWS,
  DIMENSIONS,
  type Dimension,
  grantConditions,
  hasField,
  hasOwnField,
  isOfGrants,
  MAX_ROWS,
  ORDERS,
  type Plan,
  PlanSchema,
  type SimpleCondition,
  SUBJECTS,
  type Subject,
} from './plan.ts';
import type { Item } from './tagger.ts';

type Of = {
  items: readonly Item[];
  written: (item: Item) => string;
  subject: Subject;
  /** The dimension that the question asks for: `which domains`. */
  lead: Item | undefined;
  where: Condition[];
  orders: readonly Item[];
  /** Takes an item that does not fit into the plan. */
  leave: (item: Item) => void;
};

/** What findings and candidates are meant where nothing is said of their status. */
const UNSAID: Readonly<Partial<Record<Subject, SimpleCondition>>> = {
  findings: { field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] },
  candidates: { field: 'candidateStatus', any: ['pending'] },
};
/** Conditions that say something of the status. */
export const OF_STATUS: readonly Condition['field'][] = [
  'findingStatus',
  'candidateStatus',
  'acknowledgedBy',
  'acknowledged',
  'resolved',
  'answered',
];
function only(of: Of, tag: string): Item | undefined {
  const [first, ...more] = of.items.filter((each) => each.tag === tag);
  for (const each of more) of.leave(each);
  return first;
}

/** The plan of all conditions: what it shows, by what, in which order. */
export function shapeOf(of: Of): Plan {
  const [ask, ...asks] = of.items.filter(({ tag }) => tag === 'Q');
  for (const each of asks)
    if (each.show !== ask?.show || of.items[of.items.indexOf(each) - 1]?.tag !== 'Q') of.leave(each);
  const limit = only(of, 'R');
  const extreme = only(of, 'E');
  const having = only(of, '4');
  const groupBy = groupByOf(of);
  const isGrouped = groupBy.length > 0;
  const rows = limit?.number ?? null;
  if (rows !== null && !(Number.isInteger(rows) && rows >= 1 && rows <= MAX_ROWS)) of.leave(limit as Item);
  if (!isGrouped && limit !== undefined && of.orders.length === 0 && /^top|^first/i.test(of.written(limit)))
    of.leave(limit);
  if (!isGrouped && ask !== undefined)
    for (const each of [limit, ...of.orders]) if (each !== undefined) of.leave(each);
  for (const each of of.items) if ('@4'.includes(each.tag) && !isGrouped) of.leave(each);
  if (ask?.show === 'size' && of.subject !== 'assets') of.leave(ask);
  const day = only(of, '9');
  const isOne = extreme !== undefined && of.lead !== undefined && rows === null && of.lead.plural !== true;
  const plan: Plan = {
    subject: of.subject,
    where: groupBy.some((each) => each === 'findingStatus' || each === 'candidateStatus')
      ? of.where
      : withStatus(of.subject, of.where),
    show:
      ask?.show === 'share'
        ? 'count'
        : (ask?.show ?? (isGrouped || extreme?.show === 'share' ? 'count' : 'rows')),
    groupBy,
    order: orderOf(of, isGrouped, extreme, limit),
    limit: isOne ? 1 : Math.min(Math.max(Math.trunc(rows ?? DEFAULT_ROWS), 1), MAX_ROWS),
    ...(isGrouped && having?.bounds && { having: having.bounds }),
  };
  const isCount =
    (ask === undefined || ask.show === 'count') &&
    (isGrouped || limit === undefined) &&
    !of.items.some(({ tag }) => tag === 'V');
  const compared = isCount ? comparedWith(plan, day?.window?.to) : null;
  if (compared === null)
    for (const each of [ask?.compared ? ask : undefined, day]) if (each !== undefined) of.leave(each);
  return compared ?? plan;
}

/** The plan on the last day of a time and on the last one that was measured. Null if the daily series does not hold it. */
function comparedWith(plan: Plan, to: number | undefined): Plan | null {
  if (to === undefined) return null;
  const earlier = new Date(to - 1).toISOString().slice(0, 10);
  return PlanSchema.safeParse({ ...plan, show: 'count', compare: { earlier } }).data ?? null;
}

function groupByOf(of: Of): Dimension[] {
  const known: readonly Dimension[] = DIMENSIONS[of.subject];
  const groupBy: Dimension[] = [];
  for (const item of [of.lead, ...of.items.filter(({ tag }) => tag === 'B')]) {
    if (item === undefined) continue;
    const dimension = item.dimensions?.find((each) => known.includes(each));
    if (
      dimension === undefined ||
      groupBy.includes(dimension) ||
      groupBy.length === 2 ||
      isOtherMonth(of, dimension) ||
      (isOfGrants(dimension) && grantConditions(of.where).length > 1)
    )
      of.leave(item);
    else groupBy.push(dimension);
  }
  return groupBy;
}

/** `resolved per month`: rows are counted by the month of one time only. */
function isOtherMonth(of: Of, dimension: Dimension): boolean {
  const own = TIME[of.subject];
  return (
    (dimension === 'openedMonth' || dimension === 'modifiedMonth') &&
    (of.where.some(({ field }) => field === 'findingStatus') ||
      of.items.some(({ tag, time }) => tag === 'V' && (time?.[of.subject] ?? own) !== own))
  );
}

function orderOf(
  of: Of,
  isGrouped: boolean,
  extreme: Item | undefined,
  limit: Item | undefined,
): Plan['order'] {
  const [order, ...more] = of.orders;
  for (const each of more) of.leave(each);
  if (isGrouped) {
    if (order !== undefined) of.leave(order);
    const direction = extreme?.direction ?? 'descending';
    const isRanked = extreme !== undefined || limit !== undefined || of.items.some(({ tag }) => tag === '@');
    return isRanked ? { by: 'measure', direction } : null;
  }
  if (extreme !== undefined) of.leave(extreme);
  if (order === undefined) return null;
  const by = order.by?.[of.subject];
  const known: readonly string[] = ORDERS[of.subject];
  if (by !== undefined && known.includes(by)) return { by, direction: order.direction ?? 'descending' };
  of.leave(order);
  return null;
}

export function withStatus<C extends Condition>(
  subject: Subject,
  where: readonly C[],
): (C | SimpleCondition)[] {
  const unsaid = UNSAID[subject];
  return unsaid === undefined || where.some(({ field }) => OF_STATUS.includes(field))
    ? [...where]
    : [unsaid, ...where];
}

/** What rows are where no noun says it. */
export function subjectSaid(items: readonly Item[]): Subject {
  const fields = items.flatMap(({ readings, time }) =>
    readings === undefined
      ? time === undefined
        ? []
        : [Object.values(time)]
      : [readings.map(({ field }) => field)],
  );
  const isThing = fields.some((each) => each.includes('type'));
  const said = fields.find((each) => each.length > 0 && each.every((field) => !hasField('assets', field)));
  return (
    (isThing ? undefined : SUBJECTS.find((each) => said?.some((field) => hasOwnField(each, field)))) ??
    'assets'
  );
}
