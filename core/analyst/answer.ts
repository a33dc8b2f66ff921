import type { Principal, Visibility } from '../authz/principal.ts';
import { sqlState } from '../db/errors.ts';
import { type Tx, withTx } from '../db/tx.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { DomainId, PrincipalId } from '../kernel/ids.ts';
import { findAssets } from '../search/search.sql.ts';
import type { ShownScope } from '../sources/scope-schema.ts';
import { shownScopes } from '../sources/shown-scopes.ts';
import type { Answer, Planner, Result } from './answer-schema.ts';
import { comparedOf } from './comparison.sql.ts';
import type { Asking } from './conditions.sql.ts';
import { coverageOf } from './coverage.sql.ts';
import { describeConditions, describePlan, type Names, namesIn } from './describe.ts';
import { execute, limitTime } from './execute.sql.ts';
import { type Condition, isOfGrants, type Plan, PlanSchema } from './plan.ts';
import { planByAi, requirePlanner } from './plan-by-ai.ts';
import { planOf, reachOf, rowsInBudget } from './plan-for-asker.ts';
import { rowsOf } from './rows.sql.ts';
import { suggestionsFor } from './suggestions.ts';
import { readQuestion, type Understanding, understandingOf } from './understand.ts';
import { everyDomain, loadVocabulary } from './vocabulary.sql.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Milliseconds. A statement that takes longer is stopped, and so are the searches for words that do together. */
const TIMEOUT_MS = 4_000;
const MAX_SCOPES = 500;
/** Of the assets that hold some words, as many are compared with the other conditions. */
const MAX_HOLDING = 5_000;

class TookTooLong extends Error {}

type AiParts = SourceParts & Parameters<typeof planByAi>[0];

/** What was understood, and what can be asked instead. */
type Read = Understanding & { suggestions?: string[] };

export type Asker = { principal: Principal; visibility: Visibility };

/** Answers a question by the grammar. A question that is not understood as a whole is not run. */
export const answerQuestion = (
  parts: SourceParts,
  asker: Asker,
  question: string,
  now: number,
): Promise<Answer> =>
  answer(parts, asker, 'deterministic', (vocabulary) => {
    const read = readQuestion(question, vocabulary, now);
    const suggestions = read.reading.state === 'whole' ? [] : suggestionsFor(read, vocabulary, now);
    return { ...understandingOf(read), suggestions };
  });

/** Answers a question by the plan of an AI provider. Throws `blocked_capability` if there is none, or no usable plan. */
export const answerByAi = (parts: AiParts, asker: Asker, question: string, now: number): Promise<Answer> => {
  requirePlanner(parts);
  return answer(parts, asker, 'ai', (vocabulary) =>
    planByAi(parts, asker.principal.tenantId, question, vocabulary, now),
  );
};

/** The names that the asker may use in a plan. */
export const vocabularyOf = async (
  parts: SourceParts,
  { principal, visibility }: Asker,
): Promise<Vocabulary> =>
  withTx(
    parts.db,
    { tenantId: principal.tenantId, mode: 'read' },
    async (tx) => (await knownTo(parts, tx, principal.principalId, visibility)).vocabulary,
  );

/** What the trail holds of an answer. */
export const auditedAnswer = ({ planner, understanding, plan, result }: Answer) => ({
  planner,
  state: understanding.state,
  subject: plan?.subject ?? null,
  count: result?.count ?? null,
});

/** Runs a plan as the asker, also if somebody else made it. */
export const answerPlan = (parts: SourceParts, asker: Asker, plan: Plan, planner: Planner): Promise<Answer> =>
  answer(parts, asker, planner, () => ({ state: 'whole', plan, used: [], ignored: [], corrections: [] }));

/**
 * Reads with one snapshot. A plan that takes too long has no result, and the answer says so. Throws `not_permitted` if
 * the plan is about what the asker may not read.
 */
async function answer(
  parts: SourceParts,
  { principal, visibility }: Asker,
  planner: Planner,
  plan: (vocabulary: Vocabulary) => Read | Promise<Read>,
): Promise<Answer> {
  const within = { tenantId: principal.tenantId, mode: 'read' as const };
  const known = await withTx(parts.db, within, (tx) => knownTo(parts, tx, principal.principalId, visibility));
  const understanding = await plan(known.vocabulary);
  const isRun = understanding.state === 'whole';
  const reach = isRun ? reachOf(principal, visibility, understanding.plan) : visibility;
  const names = namesIn(known.vocabulary);
  const reached =
    reach === visibility
      ? known
      : await withTx(parts.db, within, (tx) => knownTo(parts, tx, principal.principalId, reach));
  const ran = await withTx(parts.db, within, async (tx) =>
    run(tx, reached, isRun ? await planOf(tx, understanding.plan, principal) : null, names),
  ).catch((error: unknown) => {
    if (!(error instanceof TookTooLong) && sqlState(error) !== '57014') throw error;
    return withTx(parts.db, within, (tx) => run(tx, reached, null, names)).then((none) => ({
      ...none,
      notes: ['The question took too long and was stopped. Narrow it by a domain, type, scope or time.'],
    }));
  });
  return {
    planner,
    interpretation: { text: interpretationOf(understanding, names), isAiOutput: planner === 'ai' },
    understanding: {
      state: understanding.state,
      understood: understanding.state === 'none' ? [] : describeConditions(understanding.plan.where, names),
      used: understanding.used,
      ignored: understanding.ignored,
      kept: understanding.state === 'partly' ? (PlanSchema.safeParse(understanding.plan).data ?? null) : null,
      corrections: understanding.corrections,
      suggestions: understanding.suggestions ?? [],
    },
    plan: isRun ? understanding.plan : null,
    scopeNote: scopeNoteOf(reached),
    ...ran,
  };
}

type Known = {
  reach: Visibility;
  domainIds: readonly DomainId[];
  scopes: readonly ShownScope[];
  vocabulary: Vocabulary;
};

async function knownTo(
  parts: SourceParts,
  tx: Tx,
  principalId: PrincipalId,
  reach: Visibility,
): Promise<Known> {
  const domainIds = reach.kind === 'tenant' ? await everyDomain(tx) : reach.domainIds;
  const scopes = await shownScopes(parts, tx, reach, MAX_SCOPES);
  const named = scopes.map(({ scopeId: id, name }) => ({ id, name }));
  return {
    reach,
    domainIds,
    scopes,
    vocabulary: await loadVocabulary(tx, { principalId, domainIds }, named),
  };
}

type Ran = Pick<Answer, 'result' | 'coverage' | 'notes'>;

async function run(
  tx: Tx,
  { reach, domainIds, scopes }: Known,
  plan: Plan | null,
  names: Names,
): Promise<Ran> {
  if (plan === null) {
    await limitTime(tx, TIMEOUT_MS);
    return {
      result: null,
      coverage: await coverageOf({ tx, reach, domainIds, holding: new Map() }, scopes, true),
      notes: [],
    };
  }
  if (plan.compare !== undefined)
    return runComparison({ tx, reach, domainIds, holding: new Map() }, scopes, plan);
  const { holding, isWhole: areWordsWhole } = await findWords(tx, reach, plan.where);
  const asking: Asking = { tx, reach, domainIds, holding };
  const most = rowsInBudget(plan);
  const executed = await execute(asking, plan, most);
  const shown = executed.ids.map(({ id }) => id);
  const [rows, coverage] = await Promise.all([
    rowsOf(asking, plan.subject, shown),
    coverageOf(asking, scopes, executed.isWhole && areWordsWhole),
  ]);
  const notes = [
    ...(executed.isWhole
      ? []
      : [`Only ${most} rows were looked at: the most recently changed, or the most severe.`]),
    ...(areWordsWhole
      ? []
      : [`More than ${MAX_HOLDING} assets hold the words. Only the newest of them were looked at.`]),
    ...(asksForLabels(plan) && coverage.labelNotKnown > 0
      ? [
          `The labels of ${coverage.labelNotKnown} assets in reach are not known here. They are in no count by label.`,
        ]
      : []),
    ...(asksForGrantees(plan) ? [GRANTEES_NOTE] : []),
  ];
  const result = resultOf(plan, executed, rows, names);
  const isUnknown =
    asksForLabels(plan) && coverage.labelNotKnown > 0 && (await hasNoKnownLabel(asking, plan));
  const unknown = {
    ...(asksForLabels({ where: plan.where }) && { count: null }),
    ...(plan.share !== undefined && { partCount: null }),
  };
  return { result: isUnknown ? { ...result, ...unknown } : result, coverage, notes };
}

/** The daily series says how much, and not which rows. */
async function runComparison(asking: Asking, scopes: Known['scopes'], plan: Plan): Promise<Ran> {
  await limitTime(asking.tx, TIMEOUT_MS);
  const compared = await comparedOf(asking, plan);
  const [only, ...more] = compared?.items ?? [];
  const isMissing = compared?.items.some(({ change }) => change === null) === true;
  return {
    result: {
      count: more.length === 0 ? (only?.later?.count ?? null) : null,
      compared,
      sizeBytes: null,
      partCount: null,
      groups: null,
      rows: [],
      truncated: false,
    },
    coverage: await coverageOf(asking, scopes, true),
    notes: [
      ...(isMissing
        ? [
            'A day has no count if nothing was measured on it or in the week before it, or since the earlier day.',
          ]
        : []),
      ...(more.length > 0 ? ['An asset in several domains counts in each.'] : []),
    ],
  };
}

/** Whether the answer depends on labels that the service knows, and not on whether it knows them. */
const asksForLabels = ({ where, share = [] }: Pick<Plan, 'where' | 'share'>): boolean =>
  [...where, ...share].some(
    (condition) =>
      condition.field === 'label' || (condition.field === 'labelState' && !condition.any.includes('unknown')),
  );

const GRANTEES_NOTE =
  'Who has access is as the sources report it. Some do not report every grant, and nobody is listed as a member of a group.';
const asksForGrantees = ({ where, share = [], groupBy }: Plan): boolean =>
  groupBy.some(isOfGrants) || [...where, ...share].some(({ field }) => field === 'grantee');

/** Whether there are rows that meet the other conditions of the plan, and the label of none of them is known. */
async function hasNoKnownLabel(asking: Asking, plan: Plan): Promise<boolean> {
  const where = plan.where.filter(({ field }) => field !== 'label' && field !== 'labelState');
  const { subject, limit } = plan;
  const byLabel: Plan = { subject, where, show: 'count', groupBy: ['label'], order: null, limit };
  const { groups, groupsTotal } = await execute(asking, byLabel, rowsInBudget(byLabel));
  return groupsTotal === 1 && groups[0]?.keys[0] === 'unknown';
}

/**
 * The assets that hold the words of a plan, the newest. Words are literal: quotes and operators only separate them.
 * Throws `validation_failed` for words that must not occur and that too many assets hold.
 */
async function findWords(
  tx: Tx,
  reach: Visibility,
  where: readonly Condition[],
): Promise<{ holding: Map<string, readonly string[]>; isWhole: boolean }> {
  const holding = new Map<string, readonly string[]>();
  const ends = performance.now() + TIMEOUT_MS;
  let isWhole = true;
  for (const condition of where) {
    if (condition.field !== 'words') continue;
    // All searches together have the time of one statement.
    const left = Math.ceil(ends - performance.now());
    if (left <= 0) throw new TookTooLong();
    await limitTime(tx, left);
    const found = await findAssets(
      tx,
      reach,
      literalWords(condition.text),
      { filter: {}, after: null, most: MAX_HOLDING },
      { search: 'all' },
    );
    const isAll = found.isWhole && found.assetIds.length < MAX_HOLDING;
    if (!isAll && condition.not === true)
      throw new ServiceError('validation_failed', 'Too many assets hold these words to leave them out.', [
        { path: 'question', message: 'Name rarer words, or leave out the negation.' },
      ]);
    isWhole &&= isAll;
    holding.set(condition.text, found.assetIds);
  }
  await limitTime(tx, TIMEOUT_MS);
  return { holding, isWhole };
}

/** The words without quotes, which would make phrases of them. */
export const literalWords = (text: string): string => text.replaceAll('"', ' ');

function resultOf(
  plan: Plan,
  { total, size, part, groups, groupsTotal }: Awaited<ReturnType<typeof execute>>,
  rows: Result['rows'],
  names: Names,
): Result {
  const keysOf = (keys: readonly (string | null)[]) =>
    keys.map((key, i) => (key === null ? null : names(plan.groupBy[i] ?? 'scope', key)));
  return {
    count: total,
    sizeBytes: plan.show === 'size' ? size : null,
    partCount: plan.share === undefined ? null : part,
    groups:
      plan.groupBy.length === 0
        ? null
        : {
            dimensions: [...plan.groupBy],
            items: groups.map((group) => ({
              keys: keysOf(group.keys),
              count: group.count,
              sizeBytes: group.size,
              partCount: plan.share === undefined ? null : group.part,
            })),
            truncated: groupsTotal > groups.length,
          },
    compared: null,
    rows,
    truncated: total > rows.length,
  };
}

function interpretationOf({ state, plan, ignored }: Understanding, names: Names): string {
  if (state === 'whole') return describePlan(plan, names);
  if (state === 'none') return 'The question was not understood, so nothing was looked up.';
  return `The question was understood in part, so nothing was looked up. Not understood: ${ignored.join(', ')}.`;
}

function scopeNoteOf({ reach, vocabulary: { domains } }: Known): string {
  if (reach.kind === 'tenant') return 'The answer is about the whole tenant, also what is tied to no domain.';
  if (domains.length === 0) return 'You own no domain, so the answer is about nothing.';
  return `The answer is about what is tied to your domains: ${domains.map(({ name }) => name).join(', ')}.`;
}
