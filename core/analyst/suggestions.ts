import type { Plan } from './plan.ts';
import type { Vocabulary } from './vocabulary.ts';

const MOST = 4;

/** Questions that can be asked instead, about the same subject and with names that the asker may see. */
export function suggestionsFor({ subject }: Pick<Plan, 'subject'>, { domains, types }: Vocabulary): string[] {
  const domain = domains[0]?.name;
  const type = types[0]?.name;
  const inDomain = domain === undefined ? '' : ` in ${domain}`;
  const byField: Readonly<Record<Plan['subject'], readonly string[]>> = {
    assets: [
      `unlabelled files${inDomain}`,
      ...(type === undefined ? [] : [`“${type}” shared externally`]),
      'how many files per domain',
      `files${inDomain} not modified since last year`,
    ],
    findings: [
      `open critical findings${inDomain}`,
      'findings by severity',
      'findings opened in the last 30 days',
    ],
    candidates: [
      `pending candidates${inDomain}`,
      'candidates with confidence above 80%',
      'candidates by domain',
    ],
    actions: ['actions awaiting approval', 'failed actions this month', 'actions by status'],
    scopes: ['stale scopes', 'scopes never scanned', 'scopes with more than 1000 assets'],
  };
  return byField[subject].slice(0, MOST);
}
