import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';

/** What became of a payload. */
export const SENDING_OUTCOMES = ['accepted', 'refused', 'failed', 'timeout', 'unreachable'] as const;
export type SendingOutcome = (typeof SENDING_OUTCOMES)[number];

/** The pseudonym of the tenant, and since when nothing may be sent; null if nobody opted out. */
export type TelemetryChoice = { deployment: string; optedOutAt: Date | null };

export async function telemetryChoice(tx: Tx): Promise<TelemetryChoice> {
  const [choice] = await tx.query<TelemetryChoice>(sql`
    select telemetry_deployment::text as deployment, telemetry_opted_out_at as "optedOutAt"
      from tenants where tenant_id = ${tx.tenantId}`);
  if (choice === undefined) throw new Error('The tenant does not exist');
  return choice;
}

/** Keeps everybody from opting out until the end of the transaction: what it keeps to be sent was allowed. */
export const holdTelemetryChoice = (tx: Tx): Promise<number> =>
  tx.execute(sql`select from tenants where tenant_id = ${tx.tenantId} for share`);

/**
 * Opts out, or in again. Returns 0 if it was so already. Who opts out gets a new pseudonym, so that what is sent later
 * cannot be joined with what was sent before.
 */
export const chooseTelemetry = (tx: Tx, optedOutAt: Date | null): Promise<number> =>
  tx.execute(sql`
    update tenants
       set telemetry_opted_out_at = ${optedOutAt},
           telemetry_deployment = case when ${optedOutAt !== null} then gen_random_uuid() else telemetry_deployment end
     where tenant_id = ${tx.tenantId} and (telemetry_opted_out_at is null) = ${optedOutAt !== null}`);

/** What the fleet and the queue do not show of the tenant's health. */
export async function scanFacts(tx: Tx): Promise<{ staleScopes: number; lastCompletedAt: Date | null }> {
  const [row] = await tx.query<{ staleScopes: number; lastCompletedAt: Date | null }>(sql`
    select (select count(*)::float8 from scopes
             where tenant_id = ${tx.tenantId} and selected and coverage_state = 'stale') as "staleScopes",
           (select max(finished_at) from campaigns
             where tenant_id = ${tx.tenantId} and status = 'completed' and kind <> 'rescore')
             as "lastCompletedAt"`);
  return row ?? { staleScopes: 0, lastCompletedAt: null };
}

/** Keeps a payload that is about to be sent. Null if one was kept for that day (UTC). */
export async function keepPayload(tx: Tx, payload: string, now: number): Promise<string | null> {
  const at = new Date(now);
  const [kept] = await tx.query<{ id: string }>(sql`
    insert into telemetry_sent (telemetry_id, tenant_id, day, sent_at, payload)
    values (${newId('tel', now)}, ${tx.tenantId}, ${at.toISOString().slice(0, 10)}::date, ${at}, ${payload})
    on conflict (tenant_id, day) do nothing returning telemetry_id as id`);
  return kept?.id ?? null;
}

export const noteOutcome = (tx: Tx, id: string, outcome: SendingOutcome): Promise<number> =>
  tx.execute(sql`
    update telemetry_sent set outcome = ${outcome} where tenant_id = ${tx.tenantId} and telemetry_id = ${id}`);

export type SentPayload = { sentAt: Date; payload: string; outcome: SendingOutcome | null };

/** The newest payloads that were sent, at most `limit`. */
export const sentPayloads = (tx: Tx, limit: number): Promise<SentPayload[]> =>
  tx.query<SentPayload>(sql`
    select sent_at as "sentAt", payload, outcome from telemetry_sent
     where tenant_id = ${tx.tenantId} order by sent_at desc, telemetry_id desc limit ${sql.whole(limit)}`);
