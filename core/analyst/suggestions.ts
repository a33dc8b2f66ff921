import type { Condition, Plan, SimpleCondition } from './plan.ts';
import { NAMED } from './plan-words.ts';
import { understand } from './understand.ts';
import { namesOf, type Vocabulary } from './vocabulary.ts';

const MOST = 4;

const NOUNS: Readonly<Record<Plan['subject'], string>> = {
  assets: 'files',
  findings: 'findings',
  candidates: 'candidates',
  actions: 'actions',
  scopes: 'scopes',
};
const DIMENSIONS: Readonly<Record<Plan['subject'], readonly string[]>> = {
  assets: ['domain', 'label'],
  findings: ['severity', 'domain'],
  candidates: ['type', 'domain'],
  actions: ['status', 'domain'],
  scopes: ['coverage'],
};
/** Sets of values that have a word of their own. */
const SAID: Readonly<Record<string, string>> = {
  'labelState unlabeled': 'unlabelled',
  'labelState labeled': 'labelled',
  'sensitivity confidential,restricted': 'sensitive',
  'findingStatus open,reopened': 'open',
  'findingStatus open,acknowledged,reopened': '',
  'exposure anyone,external': '… shared externally',
  'exposure anyone': '… that anyone with a link can open',
  'exposure organization,broad_group': '… shared with everyone in the organization',
  'exposure anyone,organization,broad_group': '… shared with everyone',
  'actionStatus awaiting_approval': '… awaiting approval',
  'coverage never': '… never scanned',
  'format pdf': '… in PDF format',
};
const VERBS: Readonly<Partial<Record<Condition['field'], string>>> = {
  modified: 'modified',
  created: 'created',
  classified: 'classified',
  opened: 'opened',
  resolved: 'resolved',
  acknowledged: 'acknowledged',
  asked: 'asked',
  requested: 'requested',
  scanned: 'scanned',
};
/** Fields whose single value is an adjective. */
const ADJECTIVES: readonly Condition['field'][] = [
  'sensitivity',
  'severity',
  'findingStatus',
  'candidateStatus',
  'actionStatus',
  'provenance',
  'coverage',
];

/**
 * Questions that can be asked instead, made from what was understood: as a list, a count and groups. Each is one that
 * the grammar understands as a whole.
 */
export function suggestionsFor(plan: Plan, vocabulary: Vocabulary, now: number): string[] {
  const said = plan.where.flatMap((condition) => sayCondition(condition, vocabulary) ?? []);
  const before = said.filter((each) => each !== '' && !each.startsWith('…'));
  const after = said.filter((each) => each.startsWith('…')).map((each) => each.slice(2));
  const rows = [...before, NOUNS[plan.subject], ...after].join(' ');
  const counted = `how many ${rows}`;
  const grouped = DIMENSIONS[plan.subject].map((dimension) => `${rows} by ${dimension}`);
  const inOrder = plan.show === 'rows' ? [rows, counted, ...grouped] : [counted, ...grouped, rows];
  return inOrder.filter((question) => understand(question, vocabulary, now).state === 'whole').slice(0, MOST);
}

/** A condition in the words of the grammar; after the noun if it begins with `…`. Null if it has none. */
function sayCondition(condition: Condition, vocabulary: Vocabulary): string | null {
  if (condition.field === 'has') return null;
  const isNot = 'not' in condition && condition.not === true;
  if ('any' in condition) return isNot ? null : sayValues(condition, vocabulary);
  const verb = VERBS[condition.field];
  if (verb === undefined || isNot || !('from' in condition || 'to' in condition)) return null;
  const { from, to } = condition;
  if (from !== undefined && to !== undefined) return null;
  return `… ${verb} ${from === undefined ? `before ${day(to)}` : `since ${day(from)}`}`;
}

const day = (at: string | undefined): string => at?.slice(0, 10) ?? '';

function sayValues(
  condition: Extract<SimpleCondition, { any: readonly string[] }>,
  vocabulary: Vocabulary,
): string | null {
  const { field } = condition;
  const any: readonly string[] = condition.any;
  const known = SAID[`${field} ${any.join(',')}`];
  if (known !== undefined) return known;
  if (ADJECTIVES.includes(field)) return any.length === 1 ? (any[0]?.replaceAll('_', ' ') ?? null) : null;
  const kind = NAMED[field];
  const names = kind === undefined ? [] : namesOf(vocabulary)[kind].filter(({ id }) => any.includes(id));
  if (names.length === 0) return null;
  const listed = names.map(({ name }) => `“${name}”`).join(' or ');
  if (field === 'domain' || field === 'scope') return `… in ${listed}`;
  if (field === 'identifier') return `… containing ${listed}`;
  if (field === 'label') return `… labelled ${listed}`;
  return field === 'type' ? listed : null;
}
