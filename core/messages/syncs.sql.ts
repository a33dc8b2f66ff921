import type { MessageFamily } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { atMoment, type Moment, sinceMoment } from '../work/moment.sql.ts';

/** A listing that takes longer than this has been given up by its process. */
const LISTING_MS = 60_000;

/** Notes that somebody wants the family synced now. */
export async function requestSync(tx: Tx, family: MessageFamily, now: Moment): Promise<void> {
  await tx.execute(sql`
    insert into message_syncs (tenant_id, family, due_at) values (${tx.tenantId}, ${family}, ${atMoment(now)})
    on conflict (tenant_id, family) do update set due_at = least(message_syncs.due_at, excluded.due_at)`);
  await tx.execute(sql`
    update message_containers set due_at = ${atMoment(now)}
     where tenant_id = ${tx.tenantId} and family = ${family} and due_at > ${atMoment(now)} and due_at < 'infinity'`);
}

/** Whether the caller may list the containers of the family now. Another process may be doing it, or it is not due. */
export async function leaseListing(tx: Tx, family: MessageFamily, now: Moment): Promise<boolean> {
  const leased = await tx.execute(sql`
    update message_syncs set leased_until = ${sinceMoment(now, LISTING_MS)}
     where tenant_id = ${tx.tenantId} and family = ${family} and due_at <= ${atMoment(now)}
       and (leased_until is null or leased_until <= ${atMoment(now)})`);
  return leased === 1;
}

/** Ends a listing. It is due again after `inMs`. */
export async function endListing(tx: Tx, family: MessageFamily, inMs: number, now: Moment): Promise<void> {
  await tx.execute(sql`
    update message_syncs set leased_until = null, due_at = ${sinceMoment(now, inMs)}
     where tenant_id = ${tx.tenantId} and family = ${family}`);
}

/** Tenants in which a listing or a container is due, those that wait the longest first. */
export async function tenantsDue(tx: EngineTx, now: Moment): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select tenant_id as "tenantId" from (
      select tenant_id, due_at, leased_until from message_syncs
      union all select tenant_id, due_at, leased_until from message_containers) due
     where due_at <= ${atMoment(now)} and (leased_until is null or leased_until <= ${atMoment(now)})
     group by tenant_id order by min(due_at), tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}
