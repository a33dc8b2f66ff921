import { z } from 'zod';
import type { MessageFamily } from '../connectors/message-source.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { containersOf } from './container-list.sql.ts';
import type { ShownMessage } from './message-schema.ts';

export const ASKED_IDENTIFIERS = ['proven', 'all'] as const;
export const ASKED_OUTSIDERS = ['with', 'without'] as const;

const Id = z.string().max(64);

export const MessageFilterSchema = z.strictObject({
  containerId: Id.optional().describe('Messages of this channel or mailbox alone'),
  detectorId: Id.optional().describe('Messages in which this detector found something, or in an attachment'),
  identifiers: z
    .enum(ASKED_IDENTIFIERS)
    .default('all')
    .describe('`proven`: messages with an open finding about identifiers alone'),
  outsiders: z
    .enum(ASKED_OUTSIDERS)
    .optional()
    .describe('Whether somebody outside the organization wrote or received it'),
  sentFrom: z.iso.datetime().optional().describe('Sent at this time or later'),
  sentBefore: z.iso.datetime().optional().describe('Sent before this time'),
});
export type MessageFilter = z.infer<typeof MessageFilterSchema>;

/** Condition on `messages m`. */
function meetsFilter({ detectorId, identifiers, outsiders, sentFrom, sentBefore }: MessageFilter): Statement {
  const found = sql.json([{ detectorId }]);
  const all = [
    detectorId === undefined
      ? null
      : sql`(m.signals @> ${found}::jsonb or exists (
          select from message_attachments t
           where t.tenant_id = m.tenant_id and t.message_id = m.message_id and t.signals @> ${found}::jsonb))`,
    identifiers === 'all'
      ? null
      : sql`exists (
          select from message_findings f
           where f.tenant_id = m.tenant_id and f.message_id = m.message_id and f.status = 'open')`,
    outsiders === undefined ? null : sql`m.has_outsiders = ${outsiders === 'with'}`,
    sentFrom === undefined ? null : sql`m.sent_at >= ${new Date(sentFrom)}`,
    sentBefore === undefined ? null : sql`m.sent_at < ${new Date(sentBefore)}`,
  ];
  return all.reduce<Statement>((met, each) => (each === null ? met : sql`${met} and ${each}`), sql`true`);
}

const newestFirst = sql`m.sent_at desc nulls last, m.message_id desc`;

/**
 * The messages `m` of a family under a filter, at most `most` of each container.
 * @param order none if they are counted
 */
const messagesUnder = (
  tx: Tx,
  family: MessageFamily,
  filter: MessageFilter,
  { order, most }: { order: Statement; most: number },
): Statement => sql`
  message_containers c cross join lateral (
    select m.* from messages m
     where m.tenant_id = c.tenant_id and m.container_id = c.container_id and ${meetsFilter(filter)}
     ${order} limit ${sql.whole(most)}) m
   where ${containersOf(tx, family)} and ${equal(sql`c.container_id`, filter.containerId)}`;

/** The columns of a message; without signals by name and attachments. */
export type MessageRow = Omit<ShownMessage, 'sentAt' | 'editedAt' | 'signals' | 'attachments'> & {
  sentAt: Date | null;
  editedAt: Date | null;
  signals: { detectorId: string; count: number; confidence: number }[];
};

/** Of `messages m` and its `message_containers c`. Under a profile that keeps no text, an earlier preview is not shown. */
const messageColumns = sql`
  m.message_id as "messageId", m.container_id as "containerId", c.name as "containerName", c.group_name as "groupName",
  m.root_external_id is not null as "isReply",
  (select r.message_id from messages r
    where r.tenant_id = m.tenant_id and r.container_id = m.container_id and r.external_id = m.root_external_id)
    as "rootMessageId",
  m.sent_at as "sentAt", m.edited_at as "editedAt", m.has_outsiders as "hasOutsiders",
  m.content_state as "contentState", m.content_reason as "contentReason",
  case when (select n.data_handling_profile from tenants n where n.tenant_id = m.tenant_id) <> 'metadata_only'
    then nullif(m.preview, '') end as preview,
  m.signals`;

/** The newest messages under a filter, at most `limit`. */
export const listMessages = (
  tx: Tx,
  family: MessageFamily,
  filter: MessageFilter,
  limit: number,
): Promise<MessageRow[]> =>
  tx.query<MessageRow>(
    sql.unprepared(sql`
      select ${messageColumns}
        from ${messagesUnder(tx, family, filter, { order: sql`order by ${newestFirst}`, most: limit })}
       order by ${newestFirst} limit ${sql.whole(limit)}`),
  );

export async function countMessages(tx: Tx, family: MessageFamily, filter: MessageFilter): Promise<Total> {
  const most = MAX_COUNTED + 1;
  const [row] = await tx.query<{ n: number }>(
    sql.unprepared(sql`
      select count(*)::int as n from (
        select from ${messagesUnder(tx, family, filter, { order: sql``, most })} limit ${sql.whole(most)}) counted`),
  );
  return totalOf(row?.n ?? 0);
}

/** One message of a family. Null if there is none. */
export async function readMessage(
  tx: Tx,
  family: MessageFamily,
  messageId: string,
): Promise<MessageRow | null> {
  const [row] = await tx.query<MessageRow>(sql`
    select ${messageColumns} from messages m join message_containers c using (tenant_id, container_id)
     where ${containersOf(tx, family)} and m.tenant_id = ${tx.tenantId} and m.message_id = ${messageId}`);
  return row ?? null;
}

/** The other messages of the thread of a message, the oldest first; at most `limit`. */
export const readThread = (tx: Tx, messageId: string, limit: number): Promise<MessageRow[]> =>
  tx.query<MessageRow>(sql`
    with one as (
      select container_id, coalesce(root_external_id, external_id) as root from messages
       where tenant_id = ${tx.tenantId} and message_id = ${messageId}
    ), thread as (
      select m.* from one join messages m
        on m.tenant_id = ${tx.tenantId} and m.container_id = one.container_id and m.root_external_id = one.root
      union all
      select m.* from one join messages m
        on m.tenant_id = ${tx.tenantId} and m.container_id = one.container_id and m.external_id = one.root
    )
    select ${messageColumns} from thread m join message_containers c using (tenant_id, container_id)
     where m.message_id <> ${messageId}
     order by m.sent_at nulls first, m.message_id limit ${limit}`);
