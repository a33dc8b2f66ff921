import type { AiTask, Tokens } from '../ai/meter.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { monthOf } from './month.ts';

/** Longer than any call takes, with its retry. */
const RESERVED_MS = 15 * 60_000;
/** As much of a model's name as the ledger keeps. */
const MODEL_CHARACTERS = 256;

/**
 * Reserves what a call may cost. Reservations of a tenant are made one after the other.
 * @returns false, and reserves nothing, if the month's costs, all reservations and this one exceed the cap
 */
export async function reserve(
  tx: Tx,
  { reservationId, cost, cap }: { reservationId: string; cost: number; cap: number },
  now: number,
): Promise<boolean> {
  const { first, next } = monthOf(now);
  const at = new Date(now);
  const [, reserved] = await Promise.all([
    // The statement that follows sees what its predecessors have committed.
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended('ai_spending ' || ${tx.tenantId}::text, 0))`),
    tx.query(sql`
      with expired as (
        delete from ai_reservations where tenant_id = ${tx.tenantId} and expires_at <= ${at}
      )
      insert into ai_reservations (tenant_id, reservation_id, cost, expires_at)
      select ${tx.tenantId}, ${reservationId}, ${cost}::numeric, ${new Date(now + RESERVED_MS)}
       where ${cost}::numeric
             + (select coalesce(sum(cost), 0) from ai_reservations
                 where tenant_id = ${tx.tenantId} and expires_at > ${at})
             + (select coalesce(sum(cost), 0) from ai_usage
                 where tenant_id = ${tx.tenantId} and day >= ${first}::date and day < ${next}::date)
             <= ${cap}::numeric
      returning 1`),
  ]);
  return reserved.length > 0;
}

export const release = (tx: Tx, reservationId: string): Promise<unknown> =>
  tx.query(sql`
    delete from ai_reservations where tenant_id = ${tx.tenantId} and reservation_id = ${reservationId}`);

type Spent = {
  task: AiTask;
  model: string;
  tokens: Tokens;
  isEstimated: boolean;
  /** Null if it is not known. */
  cost: number | null;
};

/** Counts a call and deletes its reservation. */
export async function settle(
  tx: Tx,
  { task, model, tokens, isEstimated, cost }: Spent,
  reservationId: string | null,
  now: number,
): Promise<void> {
  await Promise.all([
    reservationId !== null && release(tx, reservationId),
    tx.query(sql`
      insert into ai_usage (tenant_id, day, task, model, calls, estimated_calls, unpriced_calls, input_tokens,
                            output_tokens, cost)
      values (${tx.tenantId}, ${dayOf(now)}::date, ${task}, ${model.slice(0, MODEL_CHARACTERS)}, 1, ${isEstimated ? 1 : 0},
              ${cost === null ? 1 : 0}, ${tokens.input}, ${tokens.output}, ${cost ?? 0}::numeric)
      on conflict (tenant_id, day, task, model) do update set
        calls = ai_usage.calls + 1,
        estimated_calls = ai_usage.estimated_calls + excluded.estimated_calls,
        unpriced_calls = ai_usage.unpriced_calls + excluded.unpriced_calls,
        input_tokens = ai_usage.input_tokens + excluded.input_tokens,
        output_tokens = ai_usage.output_tokens + excluded.output_tokens,
        cost = ai_usage.cost + excluded.cost`),
  ]);
}

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
