import { z } from 'zod';
import { AiError, type AiProvider } from '../ai/provider.ts';
import type { PlannerInput } from '../ai/question-planner.ts';
import { meterFor } from '../ai-usage/meter-for.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/tx.ts';
import { missingFor } from '../integrations/integrations.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type Condition, ME, type Plan, PlanSchema } from './plan.ts';
import { NAMED } from './plan-words.ts';
import type { Understanding } from './understand.ts';
import { type NameKind, namesOf, type Vocabulary } from './vocabulary.ts';

/** Names of each kind that the provider is sent. */
const MAX_NAMES = 200;
const MAX_NAME = 120;
const WITHIN_MS = 40_000;

const ProposedSchema = z.strictObject({ plan: PlanSchema.nullable() });
const SCHEMA = z.toJSONSchema(ProposedSchema, { io: 'input' });
const NOTHING: Plan = { subject: 'assets', where: [], show: 'rows', groupBy: [], order: null, limit: 1 };

type Parts = { ai: AiProvider; config: Config; db: Db; clock: Clock; stopping: AbortSignal };

/** Throws `blocked_capability`, which names the missing settings, unless a provider plans questions. */
export function requirePlanner({ ai, config }: Pick<Parts, 'ai' | 'config'>): void {
  if (ai.planner !== null) return;
  const missing = [
    ...missingFor(config, 'aiProvider'),
    ...(config.SVC_AI_CHAT_DEPLOYMENT === undefined ? ['SVC_AI_CHAT_DEPLOYMENT'] : []),
  ];
  throw new ServiceError(
    'blocked_capability',
    `No AI provider plans questions. Set ${missing.join(', ')}, or use the planner "deterministic".`,
  );
}

/**
 * Asks the provider for a plan. It sees the question and names that the asker may see, by refs instead of ids. Its
 * answer is a valid plan that refers to these names, or nothing. Throws `blocked_capability` for any other answer.
 */
export async function planByAi(
  parts: Parts,
  tenantId: TenantId,
  question: string,
  vocabulary: Vocabulary,
  now: number,
): Promise<Understanding> {
  requirePlanner(parts);
  const { names, ids } = referable(vocabulary);
  const input = { question, today: new Date(now).toISOString().slice(0, 10), names };
  const signal = AbortSignal.any([parts.stopping, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const proposed = ProposedSchema.safeParse(
      await parts.ai.planner?.plan(input, SCHEMA, signal, meterFor(parts, tenantId)),
    );
    if (!proposed.success) throw new AiError('malformed');
    const { plan } = proposed.data;
    if (plan === null) return { state: 'none', plan: NOTHING, used: [], ignored: [], corrections: [] };
    const [where, share] = [plan.where, plan.share].map((each) =>
      each?.map((condition) => resolved(condition, ids)),
    );
    return {
      state: 'whole',
      plan: { ...plan, where: where ?? [], ...(share && { share }) },
      used: [],
      ignored: [],
      corrections: [],
    };
  } catch (error) {
    if (!(error instanceof AiError)) throw error;
    throw new ServiceError(
      'blocked_capability',
      `The AI provider gave no usable plan (${error.message}). Nothing was looked up. Try again, or use the planner "deterministic".`,
    );
  }
}

type Ids = ReadonlyMap<string, { kind: NameKind; id: string }>;

/** The names with refs in the place of ids, and what each ref stands for. */
function referable(vocabulary: Vocabulary): { names: PlannerInput['names']; ids: Ids } {
  const ids = new Map<string, { kind: NameKind; id: string }>();
  const names = Object.entries(namesOf(vocabulary)).map(([kind, named]) => [
    kind,
    named.slice(0, MAX_NAMES).map(({ id, name }, i) => {
      const ref = `${kind}-${i + 1}`;
      ids.set(ref, { kind: kind as NameKind, id });
      return { ref, name: name.slice(0, MAX_NAME).toWellFormed() };
    }),
  ]);
  return { names: Object.fromEntries(names), ids };
}

/** The condition with ids in the place of refs. Throws `malformed` for a ref that was not given. */
function resolved<C extends Condition>(condition: C, ids: Ids): C {
  if (condition.field === 'has')
    return { ...condition, where: condition.where.map((each) => resolved(each, ids)) };
  const wanted = NAMED[condition.field];
  if (wanted === undefined || !('any' in condition)) return condition;
  const any = condition.any.map((ref) => {
    if (wanted === 'person' && ref === ME) return ME;
    const known = ids.get(ref);
    if (known?.kind !== wanted) throw new AiError('malformed');
    return known.id;
  });
  return { ...condition, any };
}
