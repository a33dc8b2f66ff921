import { z } from 'zod';
import { sql } from '../db/sql.ts';
import { type Db, type EngineTx, withQueueTx } from '../db/tx.ts';
import { type BudgetState, firstBudget, nextBudget } from './budget-state.ts';
import type { ReportCalls } from './shared-budget.ts';

const StoredBudget = z.object({
  limit: z.number().positive(),
  ceiling: z.number().positive().nullable(),
  depth: z.number(),
  grownMs: z.number(),
  epoch: z.int(),
  pausedUntil: z.number(),
  pauseMs: z.number(),
  at: z.number(),
  members: z.record(z.string(), z.object({ at: z.number(), used: z.number(), wants: z.boolean() })),
});

type Row = { state: unknown; now: number };

/**
 * Reports calls to the budget that all processes of the deployment share, by the clock of the database. One lock of one
 * row; what a crash of the database loses of it is learned again.
 * @param budget names the tenant of the source
 */
export const reportCalls =
  (db: Db, budget: string): ReportCalls =>
  (report) =>
    withQueueTx(db, { lasting: false, planned: 'once' }, async (tx) => {
      const { state: stored, now } = await lockBudget(tx, budget);
      const known = StoredBudget.safeParse(stored);
      // The release before may have stored another shape.
      const state = nextBudget(known.success ? known.data : firstBudget(now), report, now);
      await storeBudget(tx, budget, state);
      return { state, now };
    });

async function lockBudget(tx: EngineTx, budget: string): Promise<Row> {
  const read = () =>
    tx.query<Row>(sql`
      select state, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
        from call_budgets where budget = ${budget} for update`);
  const [row] = await read();
  if (row !== undefined) return row;
  await tx.query(
    sql`insert into call_budgets (budget, state) values (${budget}, '{}') on conflict do nothing`,
  );
  const [made] = await read();
  if (made === undefined) throw new Error('The budget was removed meanwhile');
  return made;
}

const storeBudget = (tx: EngineTx, budget: string, state: BudgetState) =>
  tx.query(sql`update call_budgets set state = ${sql.json(state)}::jsonb where budget = ${budget}`);
