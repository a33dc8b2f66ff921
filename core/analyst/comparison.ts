import { EXPOSURES } from '../findings/exposure.ts';
import type { Severity } from '../kernel/vocabulary.ts';
import type { Condition, FieldCondition, Subject } from './plan.ts';

/** What the daily series holds of the tenant and of each domain. */
export type Measure = {
  of: 'assets' | 'sensitive' | 'exposed' | 'labeled' | 'unlabeled' | 'openFindings';
  /** Findings of these alone. */
  severities: readonly Severity[] | null;
};

const MEASURES = new Map<string, Measure['of']>([
  ['assets', 'assets'],
  ['assets sensitivity confidential,restricted', 'sensitive'],
  [`assets exposure ${[...EXPOSURES].sort().join()}`, 'exposed'],
  ['assets labelState labeled', 'labeled'],
  ['assets labelState unlabeled', 'unlabeled'],
  ['findings findingStatus acknowledged,open,reopened', 'openFindings'],
]);
export const MEASURED =
  'all, sensitive, exposed, labelled or unlabelled assets, or unresolved findings, also by severity; of the tenant and of domains';

export const isOfDomain = (condition: Condition): condition is FieldCondition<'domain'> =>
  condition.field === 'domain' && condition.not !== true;
const isOfSeverity = (condition: Condition): condition is FieldCondition<'severity'> =>
  condition.field === 'severity' && condition.not !== true;

/** What a plan counts, if the daily series holds it. */
export function measureOf(plan: { subject: Subject; where: readonly Condition[] }): Measure | null {
  const others = plan.where.filter((each) => !isOfDomain(each) && !isOfSeverity(each));
  const of = MEASURES.get([plan.subject, ...others.map(keyOf)].join(' '));
  const [severity, ...more] = plan.where.filter(isOfSeverity);
  if (of === undefined || more.length > 0 || (severity !== undefined && of !== 'openFindings')) return null;
  return { of, severities: severity?.any ?? null };
}

const keyOf = (condition: Condition): string =>
  'any' in condition && condition.not !== true
    ? `${condition.field} ${[...condition.any].sort().join()}`
    : JSON.stringify(condition);
