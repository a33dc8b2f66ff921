import type { ConnectorMode } from '../connectors/connector.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { atMoment, type Moment } from '../work/moment.sql.ts';

/** What the configuration selects of a family. `entries`: null if it names none, as for the made-up company. */
export type ConfiguredEntries = { mode: ConnectorMode; entries: readonly string[] | null };

/** Whether the family was ever synced. Whoever selects its containers waits until this transaction has ended. */
export async function lockFamily(tx: Tx, family: MessageFamily): Promise<boolean> {
  const rows = await tx.query(sql`
    select from message_syncs where tenant_id = ${tx.tenantId} and family = ${family} for update`);
  return rows.length > 0;
}

/** `message_containers c` of a family, without those that go anyway. */
const inFamily = (tx: Tx, family: MessageFamily): Statement =>
  sql`c.tenant_id = ${tx.tenantId} and c.family = ${family} and c.selection <> 'going'`;

/** @param configured null if nothing can be read */
const isConfigured = (configured: ConfiguredEntries | null): Statement =>
  configured === null
    ? sql`false`
    : sql`(c.mode = ${configured.mode} and (${configured.entries === null} or c.entry = any(${configured.entries ?? []}::text[])))`;

/** Those of these ids that are no containers of the family. */
export async function unknownContainers(
  tx: Tx,
  family: MessageFamily,
  containerIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    select w.id from unnest(${containerIds}::text[]) as w (id)
     where not exists (select from message_containers c where ${inFamily(tx, family)} and c.container_id = w.id)`);
  return new Set(rows.map(({ id }) => id));
}

/** How many of these containers the configuration does not select now. */
export async function notConfigured(
  tx: Tx,
  family: MessageFamily,
  containerIds: readonly string[],
  configured: ConfiguredEntries | null,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from message_containers c
     where ${inFamily(tx, family)} and c.container_id = any(${containerIds}::text[])
       and not ${isConfigured(configured)}`);
  return row?.count ?? 0;
}

/**
 * Selects these containers, or all that the configuration selects (null), and leaves out the others. One that is selected
 * again is due now.
 */
export async function storeSelection(
  tx: Tx,
  family: MessageFamily,
  containerIds: readonly string[] | null,
  configured: ConfiguredEntries | null,
  now: Moment,
): Promise<void> {
  const isAll = containerIds === null;
  await tx.execute(sql`
    update message_containers t
       set selection = case when w.wanted then 'selected' else 'kept' end,
           due_at = case when w.wanted then ${atMoment(now)} end,
           lease_owner = null, leased_until = null, sync_began_at = null
      from (select c.container_id,
                   (${isAll} or c.container_id = any(${containerIds ?? []}::text[])) and ${isConfigured(configured)} as wanted
              from message_containers c where ${inFamily(tx, family)}) w
     where t.tenant_id = ${tx.tenantId} and t.container_id = w.container_id
       and (t.selection = 'selected') <> w.wanted and (w.wanted or not ${isAll})`);
}

/** Those that are not synced, or that the configuration does not select any more. */
const isLeftOut = (configured: ConfiguredEntries | null): Statement =>
  sql`(c.selection <> 'selected' or not ${isConfigured(configured)})`;

export type LeftOut = { scopeId: string; name: string; assets: number };

/** Containers that are not selected and have messages, ordered by name; at most `limit`. */
export const leftOut = (
  tx: Tx,
  family: MessageFamily,
  configured: ConfiguredEntries | null,
  limit: number,
): Promise<LeftOut[]> =>
  tx.query<LeftOut>(sql`
    select c.container_id as "scopeId", c.name, n.messages as assets
      from message_containers c
     cross join lateral (select count(*)::int as messages from messages m
                          where m.tenant_id = c.tenant_id and m.container_id = c.container_id) n
     where ${inFamily(tx, family)} and ${isLeftOut(configured)} and n.messages > 0
     order by c.name, c.container_id limit ${limit}`);

/** Containers that are not selected and not ended. */
export async function notEnded(
  tx: Tx,
  family: MessageFamily,
  configured: ConfiguredEntries | null,
): Promise<string[]> {
  const rows = await tx.query<{ containerId: string }>(sql`
    select c.container_id as "containerId" from message_containers c
     where ${inFamily(tx, family)} and ${isLeftOut(configured)} and c.selection <> 'ended'
     order by c.container_id`);
  return rows.map(({ containerId }) => containerId);
}

/** Takes a container from its sync. If it is selected again before it is ended, it is walked from the beginning. */
export async function beginEnd(tx: Tx, containerId: string): Promise<void> {
  await tx.execute(sql`
    update message_containers
       set selection = 'kept', due_at = null, lease_owner = null, leased_until = null, sync_began_at = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
  await tx.execute(sql`
    update message_feeds set cursor = null, walk = walk + 1, caught_up_at = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
}

/** Notes that no message of a container is left, and resolves its finding. */
export async function endContainer(tx: Tx, containerId: string, now: Moment): Promise<void> {
  await tx.execute(sql`
    update message_containers
       set selection = 'ended', coverage = 'partial', refused_reason = null, covered_at = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
  await tx.execute(sql`
    delete from message_feeds where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
  await tx.execute(sql`
    update message_findings set status = 'resolved', resolved_at = ${atMoment(now)}, unconfirmed_since = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and status = 'open'`);
}

export type SelectionCounts = { selected: number; notSelected: number; messagesNotSelected: number };

export async function countSelection(
  tx: Tx,
  family: MessageFamily,
  configured: ConfiguredEntries | null,
): Promise<SelectionCounts> {
  const [row] = await tx.query<SelectionCounts>(sql`
    select count(*) filter (where not ${isLeftOut(configured)})::int as selected,
           count(*) filter (where ${isLeftOut(configured)})::int as "notSelected",
           (select count(*)::int from messages m join message_containers c using (tenant_id, container_id)
             where ${inFamily(tx, family)} and ${isLeftOut(configured)}) as "messagesNotSelected"
      from message_containers c where ${inFamily(tx, family)}`);
  return row ?? { selected: 0, notSelected: 0, messagesNotSelected: 0 };
}
