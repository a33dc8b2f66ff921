import { z } from 'zod';
import type { MessageFamily } from '../connectors/message-source.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { containersOf } from './container-list.sql.ts';
import {
  MESSAGE_FINDING_KINDS,
  MESSAGE_FINDING_STATUSES,
  type ShownMessageFinding,
} from './message-schema.ts';

export const MessageFindingFilterSchema = z.strictObject({
  status: z.enum([...MESSAGE_FINDING_STATUSES, 'all']).default('open'),
  kind: z.enum(MESSAGE_FINDING_KINDS).optional(),
  severity: z.enum(SEVERITIES).optional(),
  containerId: z.string().max(64).optional().describe('Findings of this channel or mailbox alone'),
});
type Filter = z.infer<typeof MessageFindingFilterSchema>;

type Row = Omit<ShownMessageFinding, 'openedAt' | 'unconfirmedSince' | 'resolvedAt' | 'toDo'> & {
  openedAt: Date;
  unconfirmedSince: Date | null;
  resolvedAt: Date | null;
};

const columns = sql`
  f.finding_id as "findingId", f.kind, f.severity, f.status, f.opened_at as "openedAt",
  f.unconfirmed_since as "unconfirmedSince", f.resolved_at as "resolvedAt",
  f.container_id as "containerId", c.name as "containerName", c.group_name as "groupName", f.message_id as "messageId"`;

const under = (
  tx: Tx,
  family: MessageFamily,
  { status, kind, severity, containerId }: Filter,
): Statement => sql`
  message_findings f join message_containers c using (tenant_id, container_id)
   where ${containersOf(tx, family)} and f.tenant_id = ${tx.tenantId}
     and ${equal(sql`f.status`, status === 'all' ? undefined : status)}
     and ${equal(sql`f.kind`, kind)} and ${equal(sql`f.severity`, severity)}
     and ${equal(sql`f.container_id`, containerId)}`;

const mostSevereFirst = sql`array_position(${[...SEVERITIES]}::text[], f.severity) desc, f.opened_at desc, f.finding_id desc`;

/** Findings of a family, the most severe first; at most `limit`. */
export async function listMessageFindings(
  tx: Tx,
  family: MessageFamily,
  filter: Filter,
  limit: number,
): Promise<ShownMessageFinding[]> {
  const rows = await tx.query<Row>(
    sql.unprepared(sql`
      select ${columns} from ${under(tx, family, filter)} order by ${mostSevereFirst} limit ${sql.whole(limit)}`),
  );
  return rows.map((row) => shown(row, family));
}

export async function countMessageFindings(tx: Tx, family: MessageFamily, filter: Filter): Promise<Total> {
  const [row] = await tx.query<{ n: number }>(
    sql.unprepared(sql`
      select count(*)::int as n from (
        select from ${under(tx, family, filter)} limit ${sql.whole(MAX_COUNTED + 1)}) counted`),
  );
  return totalOf(row?.n ?? 0);
}

/** All findings of a message of the family, the newest first. */
export async function findingsOfMessage(
  tx: Tx,
  family: MessageFamily,
  messageId: string,
): Promise<ShownMessageFinding[]> {
  const rows = await tx.query<Row>(sql`
    select ${columns} from message_findings f join message_containers c using (tenant_id, container_id)
     where f.tenant_id = ${tx.tenantId} and f.message_id = ${messageId}
     order by f.opened_at desc, f.finding_id desc`);
  return rows.map((row) => shown(row, family));
}

const shown = (
  { openedAt, unconfirmedSince, resolvedAt, ...row }: Row,
  family: MessageFamily,
): ShownMessageFinding => ({
  ...row,
  openedAt: openedAt.toISOString(),
  unconfirmedSince: unconfirmedSince?.toISOString() ?? null,
  resolvedAt: resolvedAt?.toISOString() ?? null,
  toDo: row.status === 'resolved' ? null : TO_DO[family][row.kind],
});

const TO_DO: Readonly<Record<MessageFamily, Readonly<Record<ShownMessageFinding['kind'], string>>>> = {
  chat: {
    identifiers:
      'Ask the author to delete the message or to take the identifiers out of it, and renew what is a secret.',
    outsiders:
      'Have the owner of the team remove those who need not read the channel, or have its identifiers deleted.',
  },
  mail: {
    identifiers:
      'Ask the owner of the mailbox to file the message where it is governed or to delete it, and renew what is a secret.',
    outsiders:
      'Have the access to the mailbox limited to those who need it, or have its identifiers deleted.',
  },
};
