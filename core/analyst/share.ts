import { isDeepStrictEqual } from 'node:util';
import type { Plan } from './plan.ts';
import { readPlan } from './read-plan.ts';
import { withStatus } from './shape-of.ts';
import type { Item } from './tagger.ts';
import type { Token } from './tokens.ts';

/** Words between what a share is of, and what its part is. */
const PREDICATES = new Set([
  'is',
  'are',
  'was',
  'were',
  'has',
  'have',
  'contain',
  'contains',
  'hold',
  'holds',
  'lack',
]);
const RELATIVES = new Set(['that', 'which', 'who', 'whose']);
const NOUNS = 'NFKAT';

/**
 * The items of what a share is of: `invoices in Finance` of `what share of invoices in Finance is labelled`, `files` of
 * `share of labelled files in Finance`. Null if the question does not say it.
 */
function itemsOfWhole(items: readonly Item[], tokens: readonly Token[]): Item[] | null {
  const asked = items.findIndex(({ show }) => show === 'share');
  const noun = items.findIndex(({ tag }, i) => i > asked && NOUNS.includes(tag));
  const from = items[noun]?.from ?? tokens.length;
  const verbs = tokens.flatMap(({ text }, at) => (at > from && PREDICATES.has(text) ? [at] : []));
  const [relative, main] = [true, false].map((isRelative) =>
    verbs.filter((at) => RELATIVES.has(tokens[at - 1]?.text ?? '') === isRelative),
  ) as [number[], number[]];
  // `files that are unlabelled and have no owner`: of what the second one is said is not known.
  if (relative.length > 0 && (main.length > 1 || (main.length === 0 && relative.length > 1))) return null;
  const verb = main[0] ?? relative[0];
  if (verb !== undefined) return items.filter((item) => item.to <= verb);
  const described = items.slice(asked + 1, noun).filter(({ tag }) => 'CGsJ'.includes(tag));
  return described.length === 1 && noun - asked === 2
    ? items.filter((item) => !described.includes(item))
    : null;
}

/** The plan with its share, which is what it asks for beyond the whole. Null if that cannot be said. */
export function withShare(plan: Plan, items: readonly Item[], tokens: readonly Token[]): Plan | null {
  const ofWhole = itemsOfWhole(items, tokens);
  if (ofWhole === null) return null;
  const whole = readPlan(ofWhole);
  const isSame = (one: unknown) => (other: unknown) => isDeepStrictEqual(one, other);
  const share = plan.where.filter((each) => !whole.plan.where.some(isSame(each)));
  const unsaid = withStatus(plan.subject, []);
  const where = whole.plan.where.filter(
    (each) => plan.where.some(isSame(each)) || !unsaid.some(isSame(each)),
  );
  const isPart = where.every((each) => plan.where.some(isSame(each)));
  const isWhole = whole.left.length === 0 && whole.plan.subject === plan.subject;
  return isWhole && isPart && share.length > 0 ? { ...plan, where, share } : null;
}
