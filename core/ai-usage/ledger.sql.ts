import type { ModelCall, Tokens } from '../ai/meter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { monthOf } from './month.ts';

/** Longer than any call takes, with its retry. */
const RESERVED_MS = 15 * 60_000;
/** As much of a model's name as the ledger keeps. */
const MODEL_CHARACTERS = 256;

/** Counts calls: rows of `day`, `task`, `model`, `calls`, `estimated`, `unpriced`, `input`, `output`, `cost`. */
const count = (tx: Tx, calls: Statement): Statement => sql`
  insert into ai_usage (tenant_id, day, task, model, calls, estimated_calls, unpriced_calls, input_tokens,
                        output_tokens, cost)
  select ${tx.tenantId}, day, task, model, calls, estimated, unpriced, input, output, cost from (${calls}) counted
  on conflict (tenant_id, day, task, model) do update set
    calls = ai_usage.calls + excluded.calls,
    estimated_calls = ai_usage.estimated_calls + excluded.estimated_calls,
    unpriced_calls = ai_usage.unpriced_calls + excluded.unpriced_calls,
    input_tokens = ai_usage.input_tokens + excluded.input_tokens,
    output_tokens = ai_usage.output_tokens + excluded.output_tokens,
    cost = ai_usage.cost + excluded.cost`;

/** The day in UTC on which a reservation was made. */
const RESERVED_ON = sql`((expires_at - ${`${RESERVED_MS} milliseconds`}::interval) at time zone 'UTC')::date`;

type Reserved = Pick<ModelCall, 'task' | 'model' | 'expected'> & {
  reservationId: string;
  /** Null if it is not known. */
  cost: number | null;
  /** Null if there is none. */
  cap: number | null;
};

/**
 * Reserves what a call may cost. Reservations of a tenant are made one after the other. Calls that were reserved long
 * ago and never settled count as spent: their process died, or could not reach the database.
 * @returns false, and reserves nothing, if the month's costs, all reservations and this one exceed the cap
 */
export async function reserve(
  tx: Tx,
  { reservationId, task, model, expected, cost, cap }: Reserved,
  now: number,
): Promise<boolean> {
  const { first, next } = monthOf(now);
  const at = new Date(now);
  const [, , reserved] = await Promise.all([
    // The statements that follow see what their predecessors have committed.
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended('ai_spending ' || ${tx.tenantId}::text, 0))`),
    tx.query(sql`
      with expired as (
        delete from ai_reservations where tenant_id = ${tx.tenantId} and expires_at <= ${at} returning *
      ) ${count(
        tx,
        sql`select ${RESERVED_ON} as day, task, model, count(*) as calls, count(*) as estimated,
                   count(*) filter (where cost is null) as unpriced, sum(input_tokens) as input,
                   sum(output_tokens) as output, coalesce(sum(cost), 0) as cost
              from expired where task is not null group by 1, 2, 3`,
      )}`),
    tx.query(sql`
      insert into ai_reservations (tenant_id, reservation_id, cost, expires_at, task, model, input_tokens, output_tokens)
      select ${tx.tenantId}, ${reservationId}, ${cost}::numeric, ${new Date(now + RESERVED_MS)}, ${task},
             ${model.slice(0, MODEL_CHARACTERS)}, ${expected.input}, ${expected.output}
       where ${cap}::numeric is null or coalesce(${cost}::numeric, 0)
             + (select coalesce(sum(cost), 0) from ai_reservations where tenant_id = ${tx.tenantId})
             + (select coalesce(sum(cost), 0) from ai_usage
                 where tenant_id = ${tx.tenantId} and day >= ${first}::date and day < ${next}::date)
             <= ${cap}::numeric
      returning 1`),
  ]);
  return reserved.length > 0;
}

/** Takes back a reservation of a call that was not sent, or that cost nothing. */
export const release = (tx: Tx, reservationId: string): Promise<unknown> =>
  tx.query(sql`
    delete from ai_reservations where tenant_id = ${tx.tenantId} and reservation_id = ${reservationId}`);

type Spent = {
  tokens: Tokens;
  isEstimated: boolean;
  /** Null if it is not known. */
  cost: number | null;
};

/** Counts a call in the place of its reservation. One that has expired is counted already. */
export const settle = (
  tx: Tx,
  { task, model }: Pick<ModelCall, 'task' | 'model'>,
  { tokens, isEstimated, cost }: Spent,
  reservationId: string,
  now: number,
): Promise<unknown> =>
  tx.query(sql`
    with released as (
      delete from ai_reservations
       where tenant_id = ${tx.tenantId} and reservation_id = ${reservationId} returning 1
    ) ${count(
      tx,
      sql`select ${new Date(now).toISOString().slice(0, 10)}::date as day, ${task}::text as task,
                 ${model.slice(0, MODEL_CHARACTERS)}::text as model, 1 as calls, ${isEstimated ? 1 : 0}::int as estimated,
                 ${cost === null ? 1 : 0}::int as unpriced, ${tokens.input}::bigint as input,
                 ${tokens.output}::bigint as output, ${cost ?? 0}::numeric as cost
            from released`,
    )}`);
