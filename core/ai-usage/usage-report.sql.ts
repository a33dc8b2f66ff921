import { z } from 'zod';
import type { AiTask } from '../ai/meter.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Month } from './month.ts';

export const FiguresSchema = z.object({
  calls: z.int(),
  /** Calls whose tokens are an estimate, because the service did not report them. */
  callsWithEstimatedTokens: z.int(),
  /** Calls that `estimatedCost` leaves out, because their model had no price. */
  callsWithoutCost: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** In the currency of `SVC_AI_PRICES`. Null if no call has a known cost. */
  estimatedCost: z.number().nullable(),
});
type Figures = z.infer<typeof FiguresSchema>;

const FIGURES = sql`
  coalesce(sum(calls), 0)::float8 as calls,
  coalesce(sum(estimated_calls), 0)::float8 as "callsWithEstimatedTokens",
  coalesce(sum(unpriced_calls), 0)::float8 as "callsWithoutCost",
  coalesce(sum(input_tokens), 0)::float8 as "inputTokens",
  coalesce(sum(output_tokens), 0)::float8 as "outputTokens",
  case when sum(unpriced_calls) = sum(calls) then null else coalesce(sum(cost), 0)::float8 end as "estimatedCost"`;

const inMonth = (tx: Tx, { first, next }: Month) => sql`
  from ai_usage where tenant_id = ${tx.tenantId} and day >= ${first}::date and day < ${next}::date`;

/** What figures are reported of. */
type Grouping = { day: string; task: AiTask; model: string };

/** The figures of each day, task and model, the newest day first; at most `limit`. */
export const listUsage = (tx: Tx, month: Month, limit: number): Promise<(Grouping & Figures)[]> =>
  tx.query<Grouping & Figures>(sql`
    select day::text as day, task, model, ${FIGURES} ${inMonth(tx, month)}
     group by day, task, model order by ai_usage.day desc, task, model limit ${sql.whole(limit)}`);

/** The figures of each day, task or model of the month, in the order of their names; at most `limit`. */
export const sumUsageBy = <By extends keyof Grouping>(
  tx: Tx,
  by: By,
  month: Month,
  limit: number,
): Promise<(Pick<Grouping, By> & Figures)[]> =>
  tx.query<Pick<Grouping, By> & Figures>(sql`
    select ${sql.ident(by)}::text as ${sql.ident(by)}, ${FIGURES} ${inMonth(tx, month)}
     group by 1 order by 1 limit ${sql.whole(limit)}`);

/** The figures of the whole month. */
export async function sumUsage(tx: Tx, month: Month): Promise<Figures> {
  const [sum] = await tx.query<Figures>(sql`select ${FIGURES} ${inMonth(tx, month)}`);
  if (sum === undefined) throw new Error('A sum over all rows has one row');
  return sum;
}

/** What calls that are under way or were never settled may cost. */
export async function reservedCost(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ cost: number }>(sql`
    select coalesce(sum(cost), 0)::float8 as cost from ai_reservations
     where tenant_id = ${tx.tenantId}`);
  return row?.cost ?? 0;
}
