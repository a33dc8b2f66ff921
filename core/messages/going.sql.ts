import type { ConnectorMode } from '../connectors/connector.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** A container that the configuration does not select any more, with the messages that are left of it. */
export type Going = { containerId: string; name: string; messages: number };

/**
 * Takes the containers that are neither listed nor refused from their syncs, so that they can be removed. Those of
 * another mode are not listed. Returns all that are to be removed, also those of an earlier call that was cut off.
 */
export async function markGoing(
  tx: Tx,
  { family, mode }: { family: MessageFamily; mode: ConnectorMode },
  listed: { externalIds: readonly string[]; refusedEntries: readonly string[] },
): Promise<(Going & { isNew: boolean })[]> {
  return tx.query(sql`
    with gone as (
      select container_id, name, selection <> 'going' as is_new from message_containers
       where tenant_id = ${tx.tenantId} and family = ${family}
         and (mode <> ${mode} or not external_id = any(${listed.externalIds}::text[])
                                 and not entry = any(${listed.refusedEntries}::text[]))
         for update
    ), marked as (
      update message_containers c
         set selection = 'going', due_at = null, lease_owner = null, leased_until = null, sync_began_at = null
        from gone where c.tenant_id = ${tx.tenantId} and c.container_id = gone.container_id
    ), walked as (
      -- One that is selected again before it is removed is walked from the beginning.
      update message_feeds f set cursor = null, walk = walk + 1, caught_up_at = null
        from gone where f.tenant_id = ${tx.tenantId} and f.container_id = gone.container_id
    )
    select container_id as "containerId", name, is_new as "isNew",
           (select count(*)::int from messages m
             where m.tenant_id = ${tx.tenantId} and m.container_id = gone.container_id) as messages
      from gone order by container_id`);
}

/** Of one transaction that has no other work. */
export const DELETED_AT_ONCE = 1_000;

/** Deletes messages of a container, at most `DELETED_AT_ONCE`. Fewer were the last. */
export const deleteSome = (tx: Tx, containerId: string): Promise<number> =>
  tx.execute(sql`
    delete from messages where tenant_id = ${tx.tenantId} and message_id in (
      select message_id from messages where tenant_id = ${tx.tenantId} and container_id = ${containerId}
       limit ${DELETED_AT_ONCE})`);

/** Deletes a part of a container that is going, or the rest. Returns whether it is gone, or selected again. */
export async function removeGoing(tx: Tx, containerId: string): Promise<boolean> {
  const locked = await tx.query(sql`
    select from message_containers
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and selection = 'going' for update`);
  if (locked.length === 0) return true;
  if ((await deleteSome(tx, containerId)) === DELETED_AT_ONCE) return false;
  await tx.execute(sql`
    delete from message_containers where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
  return true;
}
