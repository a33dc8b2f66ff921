import { sql } from '../db/sql.ts';
import { type Db, withQueueTx } from '../db/tx.ts';
import type { SharedPause } from './call-pace.ts';

const PAUSE = { lasting: false, planned: 'once' } as const;

/**
 * The pause that all processes of the deployment share, by the clock of the database. A pause that a crash of the
 * database loses is learned again from the source.
 * @param budget names the tenant of the source
 */
export const sharedPause = (db: Db, budget: string): SharedPause => ({
  leftMs: () =>
    withQueueTx(db, PAUSE, async (tx) => {
      const [row] = await tx.query<{ leftMs: number }>(sql`
        select (extract(epoch from paused_until - clock_timestamp()) * 1000)::float8 as "leftMs"
          from call_budgets where budget = ${budget} and paused_until > clock_timestamp()`);
      return row?.leftMs ?? 0;
    }),
  extend: (ms) =>
    withQueueTx(db, PAUSE, async (tx) => {
      await tx.execute(sql`
        insert into call_budgets (budget, paused_until)
        values (${budget}, clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8))
            on conflict (budget) do update
           set paused_until = greatest(call_budgets.paused_until, excluded.paused_until)`);
    }),
});
