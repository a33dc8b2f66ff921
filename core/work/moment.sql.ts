import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';

/** The present: of the database, or a time that a test sets, in milliseconds. */
export type Moment = number | 'of the database';

/**
 * The present for leases, retries and heartbeats. The clock of a machine does not decide on them: processes with
 * different clocks share them, and one that ran ahead would hold them back.
 */
export const momentOf = (clock: Clock): Moment => (clock === systemClock ? 'of the database' : clock());

export const atMoment = (moment: Moment): Statement =>
  moment === 'of the database' ? sql`statement_timestamp()` : sql`${new Date(moment)}::timestamptz`;

/** A time after the moment, or before it if `milliseconds` is negative. */
export const sinceMoment = (moment: Moment, milliseconds: number): Statement =>
  sql`(${atMoment(moment)} + ${milliseconds}::float8 * interval '1 millisecond')`;

/** The moment, in milliseconds. */
export async function presentOf(tx: Tx, moment: Moment): Promise<number> {
  const [row] = await tx.query<{ now: Date }>(sql`select ${atMoment(moment)} as now`);
  if (row === undefined) throw new Error('The database has no present');
  return row.now.getTime();
}
