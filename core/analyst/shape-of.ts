import { TIME } from './fragment.ts';
import type { Piece } from './pieces.ts';
import {
  type Condition,
  DEFAULT_ROWS,
  DIMENSIONS,
  type Dimension,
  grantConditions,
  isOfGrants,
  MAX_ROWS,
  ORDERS,
  type Plan,
  PlanSchema,
  type SimpleCondition,
  type Subject,
} from './plan.ts';
import type { Item } from './tagger.ts';

/** Tokens of a question. */
export type Span = { from: number; to: number };
type Once = 'lead' | 'ask' | 'order' | 'ranked' | 'limit' | 'having' | 'day';
/** What a question says of the shape of the answer, and where. */
export type Said = Pick<Piece, Once> & {
  groups: { group: Item; span: Span }[];
  spans: Partial<Record<Once, Span>>;
  /** It says what was done. */
  isDone?: true;
};

/** What findings and candidates are meant where nothing is said of their status. */
const UNSAID: Readonly<Partial<Record<Subject, SimpleCondition>>> = {
  findings: { field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] },
  candidates: { field: 'candidateStatus', any: ['pending'] },
};
const OF_STATUS: readonly Condition['field'][] = [
  'findingStatus',
  'candidateStatus',
  'acknowledgedBy',
  'acknowledged',
  'resolved',
  'answered',
];

export function withStatus<C extends Condition>(
  subject: Subject,
  where: readonly C[],
): (C | SimpleCondition)[] {
  const unsaid = UNSAID[subject];
  return unsaid === undefined || where.some(({ field }) => OF_STATUS.includes(field))
    ? [...where]
    : [unsaid, ...where];
}

/** The plan of all conditions, and what is said of its shape and does not fit. */
export function shapeOf(said: Said, subject: Subject, where: Condition[]): { plan: Plan; unfit: Span[] } {
  const { ask, order, ranked, limit, having, day, lead, spans } = said;
  const unfit: (Span | undefined)[] = [];
  const groupBy = groupByOf(said, subject, where, unfit);
  const isGrouped = groupBy.length > 0;
  const by = order?.by[subject];
  const known: readonly string[] = ORDERS[subject];
  const isOrdered = by !== undefined && known.includes(by) && !isGrouped;
  if (order !== undefined && (!isOrdered || ask !== undefined)) unfit.push(spans.order);
  const rows = limit?.number ?? DEFAULT_ROWS;
  const isBound = Number.isInteger(rows) && rows >= 1 && rows <= MAX_ROWS;
  const isLimited = isBound && (isGrouped || (ask === undefined && (isOrdered || limit?.tag !== 'p')));
  if (limit !== undefined && !isLimited) unfit.push(spans.limit);
  if (having !== undefined && !isGrouped) unfit.push(spans.having);
  if (ranked !== undefined && !isGrouped) unfit.push(spans.ranked);
  if (ask?.show === 'size' && subject !== 'assets') unfit.push(spans.ask);
  const isByStatus = groupBy.some((each) => each === 'findingStatus' || each === 'candidateStatus');
  const isOne = ranked?.tag === 'E' && limit === undefined && lead?.plural !== true;
  const isRanked = isGrouped && (ranked !== undefined || limit !== undefined);
  const plan: Plan = {
    subject,
    where: isByStatus ? where : withStatus(subject, where),
    show: ask?.show === 'share' ? 'count' : (ask?.show ?? (isGrouped ? 'count' : 'rows')),
    groupBy,
    order: isRanked
      ? { by: 'measure', direction: ranked?.direction ?? 'descending' }
      : isOrdered && order !== undefined
        ? { by, direction: order.direction }
        : null,
    limit: isGrouped && isOne ? 1 : isLimited ? rows : DEFAULT_ROWS,
    ...(isGrouped && having && { having }),
  };
  const isCount =
    (ask === undefined || ask.show === 'count') && (isGrouped || limit === undefined) && said.isDone !== true;
  const compared = isCount && day !== undefined ? comparedWith(plan, day.window?.to) : null;
  if (compared === null) unfit.push(spans.day, ask?.compared === true ? spans.ask : undefined);
  return { plan: compared ?? plan, unfit: unfit.filter((each) => each !== undefined) };
}

/** The plan on the last day of a time and on the last one that was measured. Null if the daily series does not hold it. */
function comparedWith(plan: Plan, to: number | undefined): Plan | null {
  if (to === undefined) return null;
  const earlier = new Date(to - 1).toISOString().slice(0, 10);
  return PlanSchema.safeParse({ ...plan, show: 'count', compare: { earlier } }).data ?? null;
}

function groupByOf(
  { lead, groups, spans }: Said,
  subject: Subject,
  where: readonly Condition[],
  unfit: (Span | undefined)[],
): Dimension[] {
  const known: readonly Dimension[] = DIMENSIONS[subject];
  const groupBy: Dimension[] = [];
  const all = [...(lead ? [{ group: lead, span: spans.lead }] : []), ...groups];
  for (const { group, span } of all) {
    const dimension = group.dimensions?.find((each) => known.includes(each));
    // Rows are counted by the month of one time only.
    const isOtherMonth =
      /Month$/.test(dimension ?? '') &&
      where.some(
        (each) =>
          each.field === 'findingStatus' ||
          (('from' in each || 'to' in each) && each.field !== TIME[subject]),
      );
    const isTwice = groupBy.length === 2 || groupBy.some((each) => each === dimension);
    const isOfSeveral = dimension !== undefined && isOfGrants(dimension) && grantConditions(where).length > 1;
    if (dimension === undefined || isTwice || isOtherMonth || isOfSeveral) unfit.push(span);
    else groupBy.push(dimension);
  }
  return groupBy;
}
