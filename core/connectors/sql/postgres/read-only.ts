import type { Client, QueryArrayResult, QueryResultRow } from 'pg';
import { LOCK_MS } from '../engine.ts';
import { stateOf } from './failure.ts';
import { BEGIN, BOUNDS, COMMIT, ROLLBACK } from './transaction.sql.ts';

/** A transaction that waits for its next statement is ended by the server. */
const IDLE_MS = 30_000;

/** What a transaction offers: statements of the fixed lists, and values as parameters. */
export type Asked = {
  rows<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Rows as lists of values. */
  values(text: string): Promise<(string | null)[][]>;
};

/** Whether rows that row security hides are left out, or make the statement fail. */
export type Hidden = 'left_out' | 'refused';

/** Runs `use` in a transaction that can only read, with a bound for each statement. Rolls back and throws what it throws. */
export type ReadOnly = <T>(boundMs: number, hidden: Hidden, use: (asked: Asked) => Promise<T>) => Promise<T>;

export function readOnlyOf(client: Client): ReadOnly {
  const asked: Asked = {
    rows: async (text, values = []) => (await client.query(text, [...values])).rows,
    values: async (text) => {
      const { rows }: QueryArrayResult<(string | null)[]> = await client.query({ text, rowMode: 'array' });
      return rows;
    },
  };
  return async (boundMs, hidden, use) => {
    await client.query(BEGIN);
    try {
      const bounds = [boundMs, LOCK_MS, IDLE_MS, hidden === 'refused' ? 'off' : 'on'];
      await client.query(BOUNDS, bounds.map(String));
      const value = await use(asked);
      await client.query(COMMIT);
      return value;
    } catch (error) {
      // A statement that the server refused leaves the connection as it was.
      if (stateOf(error) !== null) await client.query(ROLLBACK);
      throw error;
    }
  };
}
