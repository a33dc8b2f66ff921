import type { CallGate } from '../../core/connectors/cloud-http/call-gate.ts';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { Turns } from '../../core/db/turns.ts';
import type { Db } from '../../core/db/tx.ts';
import type { TestDatabase } from './database.ts';

export type MortalProcess = {
  db: Db;
  /** For the client of a source. */
  gate: CallGate;
  /** Resolves when it is dead, or stopped. Nothing that it waits for comes, unless it goes on. */
  halt: Promise<void>;
  /** A stopped process goes on where it was. */
  goOn(): void;
};

let processes = 0;

/**
 * What a process has of the world: a pool and a gate for calls. It halts before the step of this number, where a step
 * is a call to the source or the begin of a transaction. A process that `dies` loses its connections, as by SIGKILL:
 * the server undoes open transactions, and nobody learns what was under way. One that `stops` keeps them, as by SIGSTOP.
 */
export function mortalProcess(
  database: TestDatabase,
  haltsAt: number,
  how: 'dies' | 'stops' = 'dies',
): MortalProcess {
  const applicationName = `mortal-${++processes}`;
  const { promise: halt, resolve: isHalted } = Promise.withResolvers<void>();
  const { promise: onward, resolve: goOn } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  let steps = 0;
  const step = async () => {
    if (++steps < haltsAt) return;
    if (how === 'stops') {
      isHalted();
      return onward;
    }
    if (steps === haltsAt) {
      const connections = sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`;
      void database.inspect(connections).then(() => isHalted());
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
  const gate: CallGate = {
    enter: async () => {
      await step();
      return { leave: () => undefined };
    },
  };
  return { db, gate, halt, goOn };
}
