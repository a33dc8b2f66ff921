import { EXPOSURES } from '../findings/exposure.ts';

/** What the daily series holds of the tenant and of each domain. */
export type Measure = {
  of: 'assets' | 'sensitive' | 'exposed' | 'labeled' | 'unlabeled' | 'openFindings';
  /** Findings of these alone. */
  severities: readonly string[] | null;
};

/** A condition of a plan. */
type Stated = { field: string; any?: readonly string[]; not?: true | undefined };

const MEASURES = new Map<string, Measure['of']>([
  ['assets', 'assets'],
  ['assets sensitivity confidential,restricted', 'sensitive'],
  [`assets exposure ${[...EXPOSURES].sort().join()}`, 'exposed'],
  ['assets labelState labeled', 'labeled'],
  ['assets labelState unlabeled', 'unlabeled'],
  ['findings findingStatus acknowledged,open,reopened', 'openFindings'],
]);
export const MEASURED =
  'all, sensitive, exposed, labelled or unlabelled assets, or unresolved findings, also by severity; of the tenant and of domains in one condition';

/** What a plan counts, if the daily series holds it. */
export function measureOf(plan: { subject: string; where: readonly Stated[] }): Measure | null {
  const isOf = (wanted: string) => (each: Stated) => each.field === wanted && each.not !== true;
  const others = plan.where.filter((each) => !isOf('domain')(each) && !isOf('severity')(each));
  const of = MEASURES.get([plan.subject, ...others.map(keyOf)].join(' '));
  const [severity, ...more] = plan.where.filter(isOf('severity'));
  if (plan.where.filter(isOf('domain')).length > 1) return null;
  if (of === undefined || more.length > 0 || (severity !== undefined && of !== 'openFindings')) return null;
  return { of, severities: severity?.any ?? null };
}

const keyOf = (condition: Stated): string =>
  condition.any !== undefined && condition.not !== true
    ? `${condition.field} ${[...condition.any].sort().join()}`
    : JSON.stringify(condition);
