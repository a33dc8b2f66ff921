import type { MessageFamily } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { atMoment, type Moment, sinceMoment } from '../work/moment.sql.ts';
import { LeaseLost } from './containers.sql.ts';

/** A listing that takes longer than this has been given up by its process. */
const LISTING_MS = 60_000;

/** Notes that somebody wants the family synced now. */
export async function requestSync(tx: Tx, family: MessageFamily, now: Moment): Promise<void> {
  await tx.execute(sql`
    insert into message_syncs (tenant_id, family, due_at) values (${tx.tenantId}, ${family}, ${atMoment(now)})
    on conflict (tenant_id, family) do update set due_at = least(message_syncs.due_at, excluded.due_at)`);
  await tx.execute(sql`
    update message_containers set due_at = ${atMoment(now)}
     where tenant_id = ${tx.tenantId} and family = ${family} and due_at > ${atMoment(now)}`);
}

export type ListingLease = { family: MessageFamily; owner: string };

/** Null if another process lists the containers of the family, or they are not due. */
export async function leaseListing(tx: Tx, family: MessageFamily, now: Moment): Promise<ListingLease | null> {
  const owner = newId('syn');
  const leased = await tx.execute(sql`
    update message_syncs set lease_owner = ${owner}, leased_until = ${sinceMoment(now, LISTING_MS)}
     where tenant_id = ${tx.tenantId} and family = ${family} and due_at <= ${atMoment(now)}
       and (leased_until is null or leased_until <= ${atMoment(now)})`);
  return leased === 1 ? { family, owner } : null;
}

/** Locks the family for the transaction: a listing that was given up is older than what is stored. Throws `LeaseLost`. */
export async function holdListing(tx: Tx, { family, owner }: ListingLease): Promise<void> {
  const held = await tx.query(sql`
    select from message_syncs
     where tenant_id = ${tx.tenantId} and family = ${family} and lease_owner = ${owner} for update`);
  if (held.length !== 1) throw new LeaseLost();
}

/** Ends a listing, unless its lease was lost. It is due again after `inMs`. */
export async function endListing(
  tx: Tx,
  { family, owner }: ListingLease,
  inMs: number,
  now: Moment,
): Promise<void> {
  await tx.execute(sql`
    update message_syncs set lease_owner = null, leased_until = null, due_at = ${sinceMoment(now, inMs)}
     where tenant_id = ${tx.tenantId} and family = ${family} and lease_owner = ${owner}`);
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
