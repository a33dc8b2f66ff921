import {
  type Dimension,
  type FieldCondition,
  ME,
  type Order,
  type Plan,
  rankedBy,
  type SimpleCondition,
} from './plan.ts';
import { FIELD_WORDS, NAMED } from './plan-words.ts';
import { namesOf, type Vocabulary } from './vocabulary.ts';

const UNSEEN = 'something that you may not see';
const SUBJECT_WORDS: Readonly<Record<Plan['subject'], string>> = {
  assets: 'assets',
  findings: 'findings',
  candidates: 'review candidates',
  actions: 'remediation actions',
  scopes: 'scopes',
};
const DIMENSION_WORDS: Readonly<Partial<Record<Dimension, string>>> = {
  modifiedMonth: 'month of the last modification',
  openedMonth: 'month of opening',
  grantee: 'who has access',
  granteeDomain: 'domain of the addresses that have access',
};

export type Names = (field: SimpleCondition['field'] | Dimension, id: string) => string;

/** Names of ids, as the asker may see them. What is not an id is written in words. */
export function namesIn(vocabulary: Vocabulary): Names {
  const known = namesOf(vocabulary);
  const byKind = new Map(
    Object.entries(known).map(([kind, named]) => [kind, new Map(named.map(({ id, name }) => [id, name]))]),
  );
  return (field, id) => {
    const kind = NAMED[field];
    // Who has access is written as the source writes it.
    if (kind === undefined) return field.startsWith('grantee') ? id : id.replaceAll('_', ' ');
    if (kind === 'person' && id === ME) return 'you';
    const name = byKind.get(kind)?.get(id);
    // A group by label holds states besides labels.
    return name ?? (field === 'label' && (id === 'unlabeled' || id === 'unknown') ? id : UNSEEN);
  };
}

/** The plan as a sentence for the asker. */
export function describePlan(plan: Plan, names: Names): string {
  const what = SUBJECT_WORDS[plan.subject];
  const shown = { rows: `Lists ${what}`, count: `Counts ${what}`, size: `Adds up the sizes of ${what}` }[
    plan.show
  ];
  const where = describeConditions(plan.where, names);
  const share = describeConditions(plan.share ?? [], names).join('; ');
  const group = plan.groupBy.map((each) => DIMENSION_WORDS[each] ?? wordsOf(each)).join(' and ');
  const order = plan.order && `${plan.order.direction} by ${orderOf(plan, plan.order.by)}`;
  const most = plan.groupBy.length > 0 ? `at most ${plan.limit} groups` : `at most ${plan.limit}`;
  return [
    shown,
    where.length === 0 ? '' : ` with ${where.join('; ')}`,
    share === '' ? '' : `, and the share of those with ${share}`,
    group === '' ? '' : `, by ${group}`,
    plan.having === undefined ? '' : `, only groups of ${numbers(plan.having)}`,
    plan.compare === undefined
      ? ''
      : `, on ${plan.compare.earlier} and on ${plan.compare.later ?? 'the last day that was measured'}, by the daily series`,
    order === null ? '' : `, ${order}`,
    plan.show === 'rows' || plan.groupBy.length > 0 ? `, ${most}` : '',
    '.',
  ].join('');
}

/** Each condition in words. */
export const describeConditions = (where: Plan['where'], names: Names): string[] =>
  where.map((condition) => {
    if (condition.field !== 'has') return describe(condition, names);
    const number = numbers(condition);
    const meets = condition.where.map((each) => describe(each, names)).join(', ');
    const of = SUBJECT_WORDS[condition.of];
    return `${number === '' ? 'at least 1' : number} ${of}${meets === '' ? '' : ` (${meets})`}`;
  });

function orderOf({ where, share }: Plan, by: Order): string {
  if (by === 'measure') return share === undefined ? 'that number' : 'that share';
  const counted = rankedBy(where);
  return by === 'parts' && counted !== undefined ? `the number of ${SUBJECT_WORDS[counted.of]}` : wordsOf(by);
}

function describe(condition: SimpleCondition, names: Names): string {
  const field = FIELD_WORDS[condition.field];
  const not = 'not' in condition && condition.not === true;
  if (condition.field === 'owned') return not ? 'domain without an owner' : field;
  if ('text' in condition) return `${not ? 'not ' : ''}${field} “${condition.text}”`;
  if (condition.field === 'identifier') return describeFinds(condition, names);
  if ('any' in condition) {
    const values = condition.any.map((value) => names(condition.field, value)).join(' or ');
    return `${field} ${not ? 'not ' : ''}${values}`;
  }
  if ('min' in condition || 'max' in condition) return `${field} ${numbers(condition)}`;
  const { from, to } = condition as { from?: string; to?: string };
  const bounds = [from === undefined ? '' : `from ${day(from)}`, to === undefined ? '' : `before ${day(to)}`];
  return `${not ? 'not ' : ''}${field} ${bounds.filter((each) => each !== '').join(' and ')}`;
}

function describeFinds({ any, finds, least, not }: FieldCondition<'identifier'>, names: Names): string {
  const values = any.map((value) => names('identifier', value)).join(' or ');
  const which = finds === 'all' ? 'finds, also doubtful ones,' : 'sure finds';
  return `${not === true ? 'does not hold' : 'holds'} ${least === undefined ? '' : `at least ${least} `}${which} of ${values}`;
}

function numbers({ min, max }: { min?: number | undefined; max?: number | undefined }): string {
  if (min !== undefined && min === max) return `exactly ${min}`;
  return [
    min === undefined ? '' : `at least ${min}`,
    max === undefined ? '' : max === 0 ? 'no' : `at most ${max}`,
  ]
    .filter((each) => each !== '')
    .join(' and ');
}

const day = (at: string): string => at.replace('T00:00:00.000Z', '');
/** `contentState` in words. */
const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
