import type { CallBudget } from '../../core/connectors/m365/call-budget.ts';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { Turns } from '../../core/db/turns.ts';
import type { Db } from '../../core/db/tx.ts';
import type { TestDatabase } from './database.ts';

export type MortalProcess = {
  db: Db;
  /** For the client of a source. */
  budget: CallBudget;
  /** Resolves when it is dead: its connections are cut, and nothing that it waits for ever comes. */
  death: Promise<void>;
};

let processes = 0;

/**
 * What a process has of the world: a pool and a budget of calls. Like a process that is killed, it dies before the step
 * of this number, where a step is a call to the source or the begin of a transaction. Open transactions are undone by
 * the server, and nobody learns what was under way.
 */
export function mortalProcess(database: TestDatabase, diesAt: number): MortalProcess {
  const applicationName = `mortal-${++processes}`;
  const { promise: death, resolve: isDead } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  let steps = 0;
  const step = async () => {
    if (++steps < diesAt) return;
    if (steps === diesAt) {
      const connections = sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`;
      void database.inspect(connections).then(() => isDead());
    }
    await never;
  };
  class MortalTurns extends Turns {
    override take: Turns['take'] = async (claim) => {
      await step();
      return Turns.prototype.take.call(this, claim);
    };
  }
  const max = 5;
  const db = { ...createPool(database.url, { max, applicationName }), turns: new MortalTurns(max) };
  const budget: CallBudget = {
    enter: async () => {
      await step();
      return { leave: () => undefined };
    },
  };
  return { db, budget, death };
}
