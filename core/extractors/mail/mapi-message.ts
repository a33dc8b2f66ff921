import type { BoundedText, Shortfall } from '../bounded-text.ts';
import type { ExtractionContext } from '../extractor.ts';
import { writeHtml } from '../markup/html.ts';
import { writeRtf } from '../rtf/rtf.ts';
import { decompressRtf } from './msg-rtf.ts';
import { isSealedMessage, isSignature } from './sealed-mail.ts';

/** The properties of a message, wherever they are stored. A missing text is empty. */
export type MessageProperties = {
  text(id: number): string;
  /** A body, which can also be stored as bytes. */
  body(id: number): string;
  binary(id: number): Uint8Array | null;
  /** Texts of named properties, with one or several values. */
  namedTexts(): string[];
};

type Recipients = Iterable<Pick<MessageProperties, 'text'>>;

/** The content is null if it has none that can be read. */
type Attachment = { properties: Pick<MessageProperties, 'text'>; content: Uint8Array | null };

/** [MS-OXPROPS]: properties with text that people wrote or read. */
export const ID = {
  messageClass: 0x001a,
  subject: 0x0037,
  headers: 0x007d,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  displayBcc: 0x0e02,
  displayCc: 0x0e03,
  displayTo: 0x0e04,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  name: 0x3001,
  address: 0x3003,
  internetAddress: 0x39fe,
  data: 0x3701,
  fileName: 0x3704,
  longFileName: 0x3707,
  path: 0x370d,
  mimeType: 0x370e,
};

/** Name, address and internet address of the sender, and of the person on whose behalf they sent. */
const WRITERS = [
  [ID.senderName, ID.senderAddress, 0x5d01],
  [0x0042, 0x0065, 0x5d02],
] as const;

/** In contacts, appointments and tasks, unlike in mail, named properties also contain user text. */
const MAIL = /^(?:ipm\.note|ipm\.microsoft mail\.|report\.|$)/i;
/** Telephone numbers, addresses and titles ([MS-OXPROPS], "mail user"). */
const CARD = { first: 0x3a00, last: 0x3a70 };

/** Headers that name people. The others are technical. */
const PEOPLE = /^(?:from|to|cc|bcc|reply-to|sender|return-path|date):/i;
const ADDRESS = /[^\s<>,;:"]{1,64}@[^\s<>,;:"]{1,255}/g;

/** People, subject and body of a message, and what a contact, an appointment or a task holds besides. */
export async function writeMessage(
  message: MessageProperties,
  recipients: Recipients,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  writePeople(message, recipients, text);
  const shortfall = await writeBody(message, text, context);
  if (!MAIL.test(message.text(ID.messageClass))) writeCard(message, text);
  return shortfall;
}

/** Subject, writers and recipients, each person once. Names on the message are read if it has no list of recipients. */
function writePeople(message: MessageProperties, recipients: Recipients, text: BoundedText): void {
  text.line(message.text(ID.subject));
  const lines = new Set<string>();
  let room = text.room;
  const add = (source: Pick<MessageProperties, 'text'>, ids: readonly number[]) => {
    const [name = '', ...addresses] = ids.map((id) => source.text(id));
    const known = addresses.filter((address) => address !== '' && address !== name);
    const line = [name, ...new Set(known)].join(' ').trim();
    if (line !== '' && room > 0) lines.add(line);
    room -= line.length;
  };
  for (const ids of WRITERS) add(message, ids);
  let hasRecipients = false;
  for (const recipient of recipients) {
    hasRecipients = true;
    if (room <= 0) break;
    add(recipient, [ID.name, ID.address, ID.internetAddress]);
  }
  const displayed = [ID.displayTo, ID.displayCc, ID.displayBcc];
  if (!hasRecipients) for (const id of displayed) add(message, [id]);
  const known = [...lines].join('\n').toLowerCase();
  for (const line of lines) text.line(line);
  for (const header of unfolded(message.text(ID.headers))) {
    const addresses = header.match(ADDRESS) ?? [];
    const isNew = addresses.length === 0 || addresses.some((one) => !known.includes(one.toLowerCase()));
    if (PEOPLE.test(header) && isNew) text.line(header);
  }
}

function writeCard(message: MessageProperties, text: BoundedText): void {
  for (let id = CARD.first; id <= CARD.last; id++) text.line(message.text(id));
  for (const named of message.namedTexts()) text.line(named);
}

const unfolded = (headers: string) => headers.replace(/\r?\n[ \t]/g, ' ').split(/\r?\n/);

/** Prefers HTML, then rich text, which can wrap HTML, then plain text. All contain the same text. */
async function writeBody(
  message: MessageProperties,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const before = text.length;
  const page = message.body(ID.html);
  let shortfall: Shortfall | null = page === '' ? null : writeHtml([page], text);
  if (text.length > before) return shortfall;
  const packed = message.binary(ID.rtf);
  const rich = packed === null ? null : decompressRtf(packed);
  if (rich !== null) shortfall = await writeRtf(rich, text, context);
  if (text.length > before) return shortfall;
  text.line(message.body(ID.body));
  return shortfall;
}

/** A signed message is one attachment that contains the whole message as it was sent. */
function mimeTypeOf({ properties }: Attachment): string | null {
  const given = properties.text(ID.mimeType).toLowerCase();
  return given === 'multipart/signed' ? 'message/rfc822' : given || null;
}

/** Links and files. Returns that one is a message that cannot be read. */
export async function writeAttachments(
  attachments: Iterable<Attachment>,
  text: BoundedText,
  context: ExtractionContext,
): Promise<'encrypted' | null> {
  let isSealed = false;
  for (const attachment of attachments) {
    if (text.full) break;
    const { properties, content } = attachment;
    const name = properties.text(ID.longFileName) || properties.text(ID.fileName) || properties.text(ID.name);
    text.line(properties.text(ID.path));
    if (content === null || isSignature(content)) {
      text.besides(name);
      continue;
    }
    const mimeType = mimeTypeOf(attachment);
    isSealed ||= isSealedMessage(mimeType, content);
    await context.embedded({ name, mimeType, bytes: content }, text);
  }
  return isSealed ? 'encrypted' : null;
}
