import { z } from 'zod';
import { AI_TASKS } from '../ai/meter.ts';
import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { bounded, listOf } from '../kernel/list.ts';
import { monthOf } from './month.ts';
import { FiguresSchema, listUsage, reservedCost, sumUsage, sumUsageBy } from './usage-report.sql.ts';

const LIMIT = 500;

const Day = z.iso.date();
const Task = z.enum(AI_TASKS);

/** One calendar month in UTC. `items` are the figures of each day, task and model, the newest day first. */
export const UsageReportSchema = listOf(
  FiguresSchema.extend({ day: Day, task: Task, model: z.string() }),
).extend({
  month: z.string(),
  mode: z.enum(['mock', 'live']),
  totals: z.object({
    tasks: z.array(FiguresSchema.extend({ task: Task })),
    models: z.array(FiguresSchema.extend({ model: z.string() })),
    days: z.array(FiguresSchema.extend({ day: Day })),
    month: FiguresSchema,
  }),
  spending: z.object({
    /** The most that the tenant may spend in a month. Null if there is no cap. */
    cap: z.number().nullable(),
    /** What calls that are under way, or were not settled yet, may cost. */
    reserved: z.number(),
  }),
});

/** @param asked as `2026-03`; the present month if undefined */
export async function usageReport(
  tx: Tx,
  { mode, cap }: { mode: 'mock' | 'live'; cap: Config['SVC_AI_MONTHLY_CAP'] },
  asked: string | undefined,
  now: number,
): Promise<z.infer<typeof UsageReportSchema>> {
  const month = monthOf(asked === undefined ? now : Date.parse(asked));
  const [listed, tasks, models, days, whole, reserved] = await Promise.all([
    listUsage(tx, month, LIMIT + 1),
    sumUsageBy(tx, 'task', month, LIMIT),
    sumUsageBy(tx, 'model', month, LIMIT),
    sumUsageBy(tx, 'day', month, LIMIT),
    sumUsage(tx, month),
    reservedCost(tx),
  ]);
  return {
    month: month.name,
    mode,
    ...bounded(listed, LIMIT),
    totals: { tasks, models, days, month: whole },
    spending: { cap: cap ?? null, reserved },
  };
}
