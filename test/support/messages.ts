import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';

type StoredContainer = {
  family: 'chat' | 'mail';
  name?: string;
  groupName?: string;
  kind?: 'standard' | 'private' | 'shared' | 'mailbox';
  coverage?: 'partial' | 'covered' | 'refused';
  audience?: { members: number; guests: number; outsiders: number; isOpen: boolean; complete: boolean };
  filesFolder?: boolean;
  selection?: 'selected' | 'kept' | 'ended' | 'going';
};

/** Stores a channel or a mailbox as a sync does. */
export async function storeContainer(
  database: TestDatabase,
  tenantId: string,
  containerId: string,
  container: StoredContainer,
): Promise<void> {
  const { family, name = containerId, groupName = family === 'chat' ? 'Team' : null, audience } = container;
  const {
    selection = 'selected',
    coverage = 'covered',
    kind = family === 'chat' ? 'standard' : 'mailbox',
  } = container;
  const at = new Date('2026-10-01T08:00:00Z');
  const folder = container.filesFolder === true ? 'folder' : null;
  await database.inspect(sql`
    insert into message_containers (tenant_id, container_id, family, mode, external_id, entry, name, kind, group_name,
      selection, members, guests, outsiders, is_open, audience_complete, files_scope_external_id, files_external_id, coverage,
      covered_at, refused_reason, due_at, created_at)
    values (${tenantId}, ${containerId}, ${family}, 'mock', ${`ext-${containerId}`}, ${name}, ${name}, ${kind},
      ${groupName}, ${selection}, ${audience?.members ?? null}, ${audience?.guests ?? null}, ${audience?.outsiders ?? null},
      ${audience?.isOpen ?? null}, ${audience?.complete ?? null}, ${folder}, ${folder}, ${coverage},
      ${coverage === 'covered' ? at : null}, ${coverage === 'refused' ? 'denied' : null},
      ${selection === 'selected' ? new Date('2026-10-02T08:00:00Z') : null}, ${at})`);
}

type StoredAttachment = {
  kind: 'reference' | 'file' | 'item' | 'card';
  name?: string;
  /** In hex. */
  hash?: string;
  signals?: Signal[];
  backing?: { scope: string; item: string };
};
type Signal = { detectorId: string; count: number; confidence: number };
type StoredMessage = {
  containerId: string;
  rootId?: string;
  sentAt?: string | null;
  hasOutsiders?: boolean | null;
  preview?: string | null;
  signals?: Signal[];
  attachments?: StoredAttachment[];
  storedAt?: Date;
};

/** Stores a message as a sync does. */
export async function storeMessage(
  database: TestDatabase,
  tenantId: string,
  messageId: string,
  message: StoredMessage,
): Promise<void> {
  const { containerId, rootId, sentAt = '2026-09-01T10:00:00Z', hasOutsiders = null } = message;
  const {
    preview = `Preview of ${messageId}`,
    signals = [],
    attachments = [],
    storedAt = new Date(),
  } = message;
  await database.inspect(sql`
    insert into messages (tenant_id, message_id, container_id, external_id, root_external_id, feed, walk, source_version,
      content_version, sent_at, has_outsiders, content_state, preview, signals, stored_at)
    values (${tenantId}, ${messageId}, ${containerId}, ${`ext-${messageId}`}, ${rootId ? `ext-${rootId}` : null}, '', 1,
      'v', 'v', ${sentAt}, ${hasOutsiders}, 'available', ${preview}, ${sql.json(signals)}::jsonb, ${storedAt})`);
  for (const [position, { kind, name, hash, signals: found = [], backing }] of attachments.entries())
    await database.inspect(sql`
      insert into message_attachments (tenant_id, message_id, position, kind, name, mime_type, size_bytes, content_state,
        content_hash, signals, backing_scope_external_id, backing_external_id)
      values (${tenantId}, ${messageId}, ${position}, ${kind}, ${name ?? null}, null, 10, 'available',
        decode(${hash ?? null}, 'hex'), ${sql.json(found)}::jsonb, ${backing?.scope ?? null}, ${backing?.item ?? null})`);
}

/** Stores a finding of a message, or of the container. */
export async function storeMessageFinding(
  database: TestDatabase,
  tenantId: string,
  findingId: string,
  finding: {
    containerId: string;
    messageId?: string;
    severity?: 'medium' | 'high' | 'critical';
    isResolved?: true;
  },
): Promise<void> {
  const { containerId, messageId, severity = 'medium', isResolved = false } = finding;
  const at = new Date('2026-09-02T10:00:00Z');
  await database.inspect(sql`
    insert into message_findings (tenant_id, finding_id, container_id, message_id, kind, level, severity, status,
      opened_at, resolved_at)
    values (${tenantId}, ${findingId}, ${containerId}, ${messageId ?? null},
      ${messageId === undefined ? 'outsiders' : 'identifiers'}, 2, ${severity}, ${isResolved ? 'resolved' : 'open'},
      ${at}, ${isResolved ? at : null})`);
}
