import { detectorTitles } from '../assets/detector-titles.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import type { Tx } from '../db/tx.ts';
import type { DetectorTitles } from '../detectors/on-demand.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { type AttachmentRow, MAX_ALIKE, readAttachments } from './attachments.sql.ts';
import { findingsOfMessage } from './finding-list.sql.ts';
import { type MessageRow, readMessage, readThread } from './message-list.sql.ts';
import type { ShownMessage } from './message-schema.ts';

const MAX_THREAD = 100;

/** Who reads messages, and how it is recorded. */
export type MessageReader = { principal: Principal; audit(entry: AuditEntry): void };

/** Messages as the reader is shown them. Reading previews is audited. */
export async function shownMessages(
  tx: Tx,
  { principal, audit }: MessageReader,
  family: MessageFamily,
  rows: readonly MessageRow[],
  target?: AuditEntry['target'],
): Promise<ShownMessage[]> {
  const seen = visibilityOf(principal, 'asset.metadata.read');
  const ids = rows.map(({ messageId }) => messageId);
  const attachments = await readAttachments(tx, ids, seen);
  const found = [...rows, ...attachments].flatMap(({ signals }) =>
    signals.map(({ detectorId }) => detectorId),
  );
  const titles = await detectorTitles(tx, [...new Set(found)]);
  const byMessage = Map.groupBy(attachments, ({ messageId }) => messageId);
  const previews = rows.filter(({ preview }) => preview !== null).length;
  if (previews > 0)
    audit({
      category: 'evidence_access',
      type: 'message_previews_read',
      ...(target !== undefined && { target }),
      details: { family, previews },
    });
  return rows.map(({ signals, sentAt, editedAt, ...row }) => ({
    ...row,
    sentAt: sentAt?.toISOString() ?? null,
    editedAt: editedAt?.toISOString() ?? null,
    signals: byName(signals, titles),
    attachments: (byMessage.get(row.messageId) ?? []).map((each) => shownAttachment(each, titles)),
  }));
}

/** One message, the others of its thread, and its findings. Throws `not_found`. */
export async function messageDetail(tx: Tx, reader: MessageReader, family: MessageFamily, messageId: string) {
  const message = await readMessage(tx, family, messageId);
  if (message === null) throw notFound();
  const { items: others, truncated } = bounded(await readThread(tx, messageId, MAX_THREAD + 1), MAX_THREAD);
  const target = { kind: 'message', id: messageId };
  const [first, ...thread] = await shownMessages(tx, reader, family, [message, ...others], target);
  if (first === undefined) throw notFound();
  return {
    ...first,
    thread: { items: thread, truncated },
    findings: await findingsOfMessage(tx, family, messageId),
  };
}

const byName = (signals: MessageRow['signals'], titles: DetectorTitles): ShownMessage['signals'] =>
  signals
    .map(({ detectorId, count, confidence }) => ({
      detectorId,
      title: titles.get(detectorId) ?? detectorId,
      count,
      confidence,
    }))
    .sort((a, b) => b.confidence - a.confidence || b.count - a.count || (a.title < b.title ? -1 : 1));

function shownAttachment(row: AttachmentRow, titles: DetectorTitles): ShownMessage['attachments'][number] {
  const { messageId: _, signals, isLinked, documentId, documentName, alike, ...attachment } = row;
  const state = documentId === null ? ('not_inventoried' as const) : ('inventoried' as const);
  return {
    ...attachment,
    signals: byName(signals, titles),
    canonicalDocument: isLinked ? { state, assetId: documentId, name: documentName } : null,
    alike: bounded(alike, MAX_ALIKE),
  };
}
