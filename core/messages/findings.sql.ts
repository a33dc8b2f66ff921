import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Severity } from '../kernel/vocabulary.ts';
import { atMoment, type Moment } from '../work/moment.sql.ts';
import type { Leased } from './containers.sql.ts';

/** Of identifiers that prove themselves: 2 confidential, 3 restricted. */
export type ProvenLevel = 2 | 3;

/** `messageId`: null for the finding of the container. */
type Opened = { messageId: string | null; level: ProvenLevel; severity: Severity };

/** Opens findings, or changes what is known of open ones. One that was resolved is opened again. */
export async function openFindings(
  tx: Tx,
  { containerId }: Leased,
  opened: readonly Opened[],
  now: Moment,
): Promise<void> {
  if (opened.length === 0) return;
  const rows = opened.map((finding) => ({ ...finding, findingId: newId('mfd') }));
  await tx.execute(sql`
    insert into message_findings (tenant_id, finding_id, container_id, message_id, kind, level, severity, opened_at)
    select ${tx.tenantId}, "findingId", ${containerId}, "messageId",
           case when "messageId" is null then 'outsiders' else 'identifiers' end, level, severity, ${atMoment(now)}
      from jsonb_to_recordset(${sql.json(rows)}::jsonb)
        as r ("findingId" text, "messageId" text, level smallint, severity text)
    on conflict on constraint message_findings_once do update set
      level = excluded.level, severity = excluded.severity, status = 'open', resolved_at = null,
      unconfirmed_since = null,
      opened_at = case when message_findings.status = 'open' then message_findings.opened_at else excluded.opened_at end
      where (message_findings.level, message_findings.severity, message_findings.status,
             message_findings.unconfirmed_since)
            is distinct from (excluded.level, excluded.severity, 'open', null)`);
}

/**
 * Notes of messages that were read in part that their open findings are not confirmed, unless the part has identifiers of
 * the same level. Returns these messages.
 */
export async function keepUnconfirmed(
  tx: Tx,
  { containerId }: Leased,
  inPart: readonly { messageId: string; level: ProvenLevel | null }[],
  now: Moment,
): Promise<ReadonlySet<string>> {
  if (inPart.length === 0) return new Set();
  const rows = await tx.query<{ messageId: string }>(sql`
    update message_findings f set unconfirmed_since = coalesce(f.unconfirmed_since, ${atMoment(now)})
      from jsonb_to_recordset(${sql.json(inPart)}::jsonb) as r ("messageId" text, level smallint)
     where f.tenant_id = ${tx.tenantId} and f.container_id = ${containerId} and f.message_id = r."messageId"
       and f.status = 'open' and f.level > coalesce(r.level, 0)
    returning f.message_id as "messageId"`);
  return new Set(rows.map(({ messageId }) => messageId));
}

/** Resolves the findings of these messages, and with null that of the container. */
export async function resolveFindings(
  tx: Tx,
  { containerId }: Leased,
  messageIds: readonly string[] | null,
  now: Moment,
): Promise<void> {
  if (messageIds?.length === 0) return;
  const which = messageIds === null ? sql`message_id is null` : sql`message_id = any(${messageIds}::text[])`;
  await tx.execute(sql`
    update message_findings set status = 'resolved', resolved_at = ${atMoment(now)}, unconfirmed_since = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and ${which} and status = 'open'`);
}

export type ContainerFacts = {
  /** Of the most sensitive proven identifiers in the container; null if there are none. */
  level: ProvenLevel | null;
  guests: number | null;
  outsiders: number | null;
  isOpen: boolean | null;
};

export async function factsOf(tx: Tx, { containerId }: Leased): Promise<ContainerFacts> {
  const [facts] = await tx.query<ContainerFacts>(sql`
    select guests, outsiders, is_open as "isOpen",
           (select max(level) from message_findings f
             where f.tenant_id = c.tenant_id and f.container_id = c.container_id
               and f.status = 'open' and f.kind = 'identifiers') as level
      from message_containers c where tenant_id = ${tx.tenantId} and container_id = ${containerId}`);
  return facts ?? { level: null, guests: null, outsiders: null, isOpen: null };
}
