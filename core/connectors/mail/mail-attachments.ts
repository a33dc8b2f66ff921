import { ConnectorError, type ContentRead } from '../connector.ts';
import type { AttachmentKind, SourceAttachment } from '../message-source.ts';
import type { Attachment } from './mail-answers.ts';
import type { MailboxCalls } from './mailbox-calls.ts';

/** Of the copies of one message together: they are in memory at the same time. */
const MOST_BYTES = 128 * 1024 * 1024;
/** More of one message are not looked at. */
const MOST_READ = 50;

const KINDS: Readonly<Record<string, AttachmentKind>> = {
  '#microsoft.graph.fileattachment': 'file',
  '#microsoft.graph.itemattachment': 'item',
  '#microsoft.graph.referenceattachment': 'reference',
};
/** The body of a message under rights management. Nobody but its readers can open it. */
const PROTECTED = 'application/x-microsoft-rpmsg-message';

/** The attachments of a message with their bytes, one after the other. Empty if they cannot be read. */
export async function readMailAttachments(
  calls: MailboxCalls,
  messageId: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<SourceAttachment[]> {
  const listed = await orNullIfBroken(() => calls.attachments(messageId, signal));
  if (!listed?.ok) return [];
  const read: SourceAttachment[] = [];
  let left = MOST_BYTES;
  for (const [at, attachment] of listed.body.entries()) {
    const room = at < MOST_READ ? Math.min(maxBytes, left) : 0;
    const one = await readOne(calls, messageId, attachment, room, signal);
    if (one.content.state === 'available') left -= one.content.bytes.byteLength;
    read.push(one);
  }
  return read;
}

async function readOne(
  calls: MailboxCalls,
  messageId: string,
  { id, '@odata.type': type, name, contentType, size }: Attachment,
  maxBytes: number,
  signal: AbortSignal,
): Promise<SourceAttachment> {
  const kind = KINDS[type?.toLowerCase() ?? ''] ?? 'file';
  const shown = {
    kind,
    name: name ?? null,
    mimeType: contentType ?? null,
    sizeBytes: size ?? null,
    url: null,
  };
  if (kind === 'reference') return { ...shown, content: { state: 'link' } };
  if (contentType?.toLowerCase() === PROTECTED) return { ...shown, content: { state: 'inaccessible' } };
  if (maxBytes === 0) return { ...shown, content: { state: 'too_large' } };
  const answer = await orNullIfBroken(() => calls.content(messageId, id, maxBytes, signal));
  const content: ContentRead = answer?.ok ? answer.body : { state: 'inaccessible' };
  if (content.state !== 'available') return { ...shown, content: { state: content.state } };
  const { bytes } = content;
  return {
    ...shown,
    ...(kind === 'item' && { mimeType: mimeTypeOfItem(bytes) }),
    sizeBytes: bytes.byteLength,
    content: { state: 'available', bytes },
  };
}

/** Exchange gives an attached message, event or contact as a text in the format of each. */
function mimeTypeOfItem(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 32)).toString('latin1').toUpperCase();
  if (head.includes('BEGIN:VCALENDAR')) return 'text/calendar';
  return head.includes('BEGIN:VCARD') ? 'text/vcard' : 'message/rfc822';
}

/** Exchange answers 500 for an item that it cannot convert, also at the next try. */
async function orNullIfBroken<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ConnectorError && /_(?:500|501|malformed)$/.test(error.safeDiagnostic)) return null;
    throw error;
  }
}
