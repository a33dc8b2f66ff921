import type { ConnectorMode } from '../connectors/connector.ts';
import type {
  Audience,
  BackingItem,
  MessageContainer,
  MessageFamily,
  RefusedContainer,
} from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { ScopeRefusal } from '../kernel/vocabulary.ts';
import { atMoment, type Moment, sinceMoment } from '../work/moment.sql.ts';

/** Of a container that is listed again before it was removed. */
const isGoing = sql`message_containers.selection = 'going'`;

/**
 * Registers containers, each once, or changes what is known of them. A new one is selected and due now. What a person left
 * out stays so.
 */
export async function registerContainers(
  tx: Tx,
  { family, mode }: { family: MessageFamily; mode: ConnectorMode },
  containers: readonly MessageContainer[],
  now: Moment,
): Promise<void> {
  const listed = containers.map((container) => ({ ...container, containerId: newId('mct') }));
  await tx.execute(sql`
    insert into message_containers (tenant_id, container_id, family, mode, external_id, entry, name, kind, group_name,
                                    due_at, created_at)
    select ${tx.tenantId}, "containerId", ${family}, ${mode}, "externalId", entry, name, kind, "groupName",
           ${atMoment(now)}, ${atMoment(now)}
      from jsonb_to_recordset(${sql.json(listed)}::jsonb)
        as c ("containerId" text, "externalId" text, entry text, name text, kind text, "groupName" text)
    on conflict on constraint message_containers_external
      do update set entry = excluded.entry, name = excluded.name, kind = excluded.kind,
        group_name = excluded.group_name,
        selection = case when ${isGoing} then 'selected' else message_containers.selection end,
        due_at = case when ${isGoing} then excluded.due_at else message_containers.due_at end
      where message_containers.mode = excluded.mode
        and ((message_containers.entry, message_containers.name, message_containers.kind,
             message_containers.group_name)
            is distinct from (excluded.entry, excluded.name, excluded.kind, excluded.group_name)
          or ${isGoing})`);
}

/**
 * Notes the selected containers of entries that the source refuses. What was stored of them stays. Returns these entries.
 */
export async function refuseEntries(
  tx: Tx,
  family: MessageFamily,
  refused: readonly RefusedContainer[],
  again: { inMs: number },
  now: Moment,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ entry: string }>(sql`
    update message_containers c
       set coverage = 'refused', refused_reason = r.reason, sync_began_at = null,
           due_at = ${sinceMoment(now, again.inMs)}
      from jsonb_to_recordset(${sql.json(refused)}::jsonb) as r (name text, reason text)
     where c.tenant_id = ${tx.tenantId} and c.family = ${family} and c.entry = r.name and c.selection = 'selected'
    returning c.entry`);
  return new Set(rows.map(({ entry }) => entry));
}

/** A process that lost its lease learns of it at its next write, which then stores nothing. */
export type Leased = {
  containerId: string;
  family: MessageFamily;
  externalId: string;
  owner: string;
  /** Null if a sync begins now. */
  syncBeganAt: Date | null;
};

/** More than one message may take. */
const LEASE_MS = 300_000;
export const RENEWED_AFTER_MS = 60_000;

/** Leases the container of these families that is due for the longest time. Null if none is due. */
export async function leaseContainer(
  tx: Tx,
  readable: readonly { family: MessageFamily; mode: ConnectorMode }[],
  now: Moment,
): Promise<Leased | null> {
  const owner = newId('syn');
  const modes = readable.map(({ family, mode }) => ({ family, mode }));
  const [leased] = await tx.query<Omit<Leased, 'owner'>>(sql`
    update message_containers set lease_owner = ${owner}, leased_until = ${sinceMoment(now, LEASE_MS)}
     where tenant_id = ${tx.tenantId} and container_id = (
       select c.container_id from message_containers c
         join jsonb_to_recordset(${sql.json(modes)}::jsonb) as r (family text, mode text) using (family, mode)
        where c.tenant_id = ${tx.tenantId} and c.due_at <= ${atMoment(now)}
          and (c.leased_until is null or c.leased_until <= ${atMoment(now)})
        order by c.due_at, c.container_id limit 1 for update of c skip locked)
    returning container_id as "containerId", family, external_id as "externalId", sync_began_at as "syncBeganAt"`);
  return leased === undefined ? null : { ...leased, owner };
}

export class LeaseLost extends Error {
  constructor() {
    super('lease_lost');
    this.name = 'LeaseLost';
  }
}

/** Locks the container for the transaction and extends its lease. Throws `LeaseLost`. */
export async function holdLease(tx: Tx, { containerId, owner }: Leased, now: Moment): Promise<void> {
  const held = await tx.execute(sql`
    update message_containers set leased_until = ${sinceMoment(now, LEASE_MS)}
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and lease_owner = ${owner}`);
  if (held !== 1) throw new LeaseLost();
}

/** Begins a sync of a leased container. What the source does not say now stays as it was known. */
export async function beginSync(
  tx: Tx,
  { containerId }: Leased,
  { audience, folder }: { audience: Audience | 'denied'; folder: BackingItem | null },
  now: Moment,
): Promise<void> {
  const said = audience === 'denied' ? null : audience;
  await tx.execute(sql`
    update message_containers
       set sync_began_at = ${atMoment(now)}, members = coalesce(${said?.members ?? null}, members),
           guests = coalesce(${said?.guests ?? null}, guests), outsiders = coalesce(${said?.outsiders ?? null}, outsiders),
           is_open = coalesce(${said?.isOpen ?? null}, is_open),
           audience_complete = coalesce(${said?.complete ?? null}, audience_complete),
           files_scope_external_id = coalesce(${folder?.scopeExternalId ?? null}, files_scope_external_id),
           files_external_id = coalesce(${folder?.externalId ?? null}, files_external_id)
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
}

/** A page was read, so the source does not refuse the container any more. */
export async function noteRead(tx: Tx, { containerId }: Leased): Promise<void> {
  await tx.execute(sql`
    update message_containers set coverage = 'partial', refused_reason = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and coverage = 'refused'`);
}

/** How a process leaves a container: `left`: to be continued. */
export type Leaving =
  | { kind: 'covered'; inMs: number }
  | { kind: 'refused'; reason: ScopeRefusal; inMs: number }
  | { kind: 'left'; inMs: number };

/** Ends a lease. A process that lost it changes nothing. All feeds of a covered container have been caught up with. */
export async function leaveContainer(
  tx: Tx,
  { containerId, owner }: Leased,
  leaving: Leaving,
  now: Moment,
): Promise<void> {
  const ended = leaving.kind !== 'left';
  await tx.execute(sql`
    update message_containers c
       set lease_owner = null, leased_until = null, due_at = ${sinceMoment(now, leaving.inMs)},
           sync_began_at = case when ${ended} then null else sync_began_at end,
           coverage = case when ${ended} then ${leaving.kind} else coverage end,
           refused_reason = case when ${ended} then ${leaving.kind === 'refused' ? leaving.reason : null} else refused_reason end,
           covered_at = case when ${leaving.kind === 'covered'} then coalesce(
             (select min(f.caught_up_at) from message_feeds f
               where f.tenant_id = c.tenant_id and f.container_id = c.container_id), ${atMoment(now)}) else covered_at end
     where c.tenant_id = ${tx.tenantId} and c.container_id = ${containerId} and c.lease_owner = ${owner}`);
}

/** How the selected containers of a family are covered. `left`: a sync of it is due or under way. */
export type Coverage = {
  containers: number;
  covered: number;
  refused: number;
  left: number;
  /** Containers that a person has left out. */
  notSelected: number;
};

export async function coverageOf(tx: Tx, family: MessageFamily, now: Moment): Promise<Coverage> {
  const [row] = await tx.query<Coverage>(sql`
    select count(*) filter (where is_selected)::int as containers,
           count(*) filter (where is_selected and coverage = 'covered')::int as covered,
           count(*) filter (where is_selected and coverage = 'refused')::int as refused,
           count(*) filter (where is_selected and (due_at <= ${atMoment(now)} or sync_began_at is not null
                               or leased_until > ${atMoment(now)}
                               or covered_at is null and coverage = 'partial'))::int as left,
           count(*) filter (where not is_selected)::int as "notSelected"
      from (select *, selection = 'selected' as is_selected from message_containers
             where tenant_id = ${tx.tenantId} and family = ${family} and selection <> 'going') c`);
  return row ?? { containers: 0, covered: 0, refused: 0, left: 0, notSelected: 0 };
}
