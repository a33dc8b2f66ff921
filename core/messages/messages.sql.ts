import type { AttachmentKind, SourceMessage } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { newId } from '../kernel/ids.ts';
import type { ContentReason } from '../kernel/vocabulary.ts';
import { atMoment, type Moment } from '../work/moment.sql.ts';
import type { Leased } from './containers.sql.ts';

export type KeptSignal = Pick<Signal, 'detectorId' | 'count' | 'confidence'>;

type ContentOutcome = {
  state: 'not_fetched' | 'available' | 'partial' | 'unsupported' | 'failed' | 'inaccessible';
  reason: ContentReason | null;
};

/** What is kept of an attachment. */
export type ReadAttachment = ContentOutcome & {
  kind: AttachmentKind;
  name: string | null;
  mimeType: string | null;
  sizeBytes: number | null;
  /** SHA-256 in hex, of the bytes of a copy. */
  hash: string | null;
  signals: KeptSignal[];
  backingScopeExternalId: string | null;
  backingExternalId: string | null;
};

/** What is kept of a message. */
export type ReadMessage = ContentOutcome & {
  message: SourceMessage;
  preview: string | null;
  signals: KeptSignal[];
  attachments: ReadAttachment[];
};

/** What is known of messages of a container, by the id at the source. */
export async function knownMessages(
  tx: Tx,
  { containerId }: Leased,
  externalIds: readonly string[],
): Promise<Map<string, { contentVersion: string; hasOutsiders: boolean | null }>> {
  const rows = await tx.query<{
    externalId: string;
    contentVersion: string;
    hasOutsiders: boolean | null;
  }>(sql`
    select external_id as "externalId", content_version as "contentVersion", has_outsiders as "hasOutsiders"
      from messages
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}
       and external_id = any(${externalIds}::text[])`);
  return new Map(rows.map(({ externalId, ...known }) => [externalId, known]));
}

/** The preview of a message without text whose attachments have names. They go when it goes. */
const NO_TEXT = '';

/** What is stored of a message besides its content. */
const placed = ({ body: _, attachments: __, subject: ___, ...message }: SourceMessage) => message;

/** Stores messages that were read, each with its attachments. Returns the id of each by its id at the source. */
export async function storeMessages(
  tx: Tx,
  { containerId }: Leased,
  read: readonly ReadMessage[],
  now: Moment,
): Promise<Map<string, { messageId: string; isNew: boolean }>> {
  if (read.length === 0) return new Map();
  const rows = read.map(({ message, state, reason, preview, signals, attachments }) => ({
    ...placed(message),
    messageId: newId('msg'),
    state,
    reason,
    signals,
    preview: preview ?? (attachments.some(({ name }) => name !== null) ? NO_TEXT : null),
  }));
  const stored = await tx.query<{ externalId: string; messageId: string; isNew: boolean }>(sql`
    insert into messages (tenant_id, message_id, container_id, external_id, root_external_id, feed, walk, source_version,
                          content_version, sent_at, edited_at, has_outsiders, content_state, content_reason, preview,
                          signals, stored_at)
    select ${tx.tenantId}, r."messageId", ${containerId}, r."externalId", r."rootExternalId", r.feed, f.walk,
           r."sourceVersion", r."contentVersion", r."sentAt", r."editedAt", r."hasOutsiders", r.state, r.reason,
           r.preview, r.signals, ${atMoment(now)}
      from jsonb_to_recordset(${sql.json(rows)}::jsonb) as r (
        "messageId" text, "externalId" text, "rootExternalId" text, feed text, "sourceVersion" text,
        "contentVersion" text, "sentAt" timestamptz, "editedAt" timestamptz, "hasOutsiders" boolean, state text,
        reason text, preview text, signals jsonb)
      join message_feeds f on f.tenant_id = ${tx.tenantId} and f.container_id = ${containerId} and f.feed = r.feed
    on conflict on constraint messages_external do update set
      root_external_id = excluded.root_external_id, feed = excluded.feed, walk = excluded.walk,
      source_version = excluded.source_version, sent_at = excluded.sent_at, edited_at = excluded.edited_at,
      has_outsiders = excluded.has_outsiders, content_version = excluded.content_version, content_state = excluded.content_state,
      content_reason = excluded.content_reason, preview = excluded.preview, signals = excluded.signals,
      stored_at = excluded.stored_at
    returning external_id as "externalId", message_id as "messageId", xmax = 0 as "isNew"`);
  const ids = new Map(stored.map(({ externalId, ...row }) => [externalId, row]));
  await storeAttachments(tx, read, ids);
  return ids;
}

async function storeAttachments(
  tx: Tx,
  read: readonly ReadMessage[],
  ids: ReadonlyMap<string, { messageId: string }>,
): Promise<void> {
  const messageIds = [...ids.values()].map(({ messageId }) => messageId);
  await tx.execute(sql`
    delete from message_attachments
     where tenant_id = ${tx.tenantId} and message_id = any(${messageIds}::text[])`);
  const rows = read.flatMap(({ message, attachments }) =>
    attachments.map((attachment, position) => ({
      ...attachment,
      position,
      messageId: ids.get(message.externalId)?.messageId,
    })),
  );
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into message_attachments (tenant_id, message_id, position, kind, name, mime_type, size_bytes, content_state,
                                     content_reason, content_hash, signals, backing_scope_external_id,
                                     backing_external_id)
    select ${tx.tenantId}, "messageId", position, kind, name, "mimeType", "sizeBytes", state, reason,
           decode(hash, 'hex'), signals, "backingScopeExternalId", "backingExternalId"
      from jsonb_to_recordset(${sql.json(rows)}::jsonb) as r (
        "messageId" text, position integer, kind text, name text, "mimeType" text, "sizeBytes" bigint, state text,
        reason text, hash text, signals jsonb, "backingScopeExternalId" text, "backingExternalId" text)`);
}

/** Notes messages whose content is known: where they are now, and that the present walk has shown them. */
export async function placeMessages(
  tx: Tx,
  { containerId }: Leased,
  messages: readonly SourceMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx.execute(sql`
    update messages m set
      root_external_id = r."rootExternalId", feed = r.feed, walk = f.walk, source_version = r."sourceVersion",
      sent_at = r."sentAt", edited_at = r."editedAt"
      from jsonb_to_recordset(${sql.json(messages.map(placed))}::jsonb) as r (
        "externalId" text, "rootExternalId" text, feed text, "sourceVersion" text, "sentAt" timestamptz,
        "editedAt" timestamptz)
      join message_feeds f on f.tenant_id = ${tx.tenantId} and f.container_id = ${containerId} and f.feed = r.feed
     where m.tenant_id = ${tx.tenantId} and m.container_id = ${containerId} and m.external_id = r."externalId"`);
}

/** Deletes messages that no longer exist, whichever feed says so: the one that they were moved to may not have said more. */
export const deleteGone = (
  tx: Tx,
  { containerId }: Leased,
  externalIds: readonly string[],
): Promise<number> =>
  externalIds.length === 0
    ? Promise.resolve(0)
    : tx.execute(sql`
        delete from messages
         where tenant_id = ${tx.tenantId} and container_id = ${containerId}
           and external_id = any(${externalIds}::text[])`);
