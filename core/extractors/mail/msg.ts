import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { writeHtml } from '../markup/html.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from '../ole/compound-file.ts';
import { storageAsFile } from '../ole/compound-file-part.ts';
import { writeRtf } from '../rtf/rtf.ts';
import { textOutcome } from '../text-outcome.ts';
import { MsgProperties, PROPERTIES } from './msg-properties.ts';
import { decompressRtf } from './msg-rtf.ts';
import { isSealedMessage, isSignature } from './sealed-mail.ts';

/** [MS-OXPROPS]: properties with text that people wrote or read. */
export const ID = {
  messageClass: 0x001a,
  subject: 0x0037,
  headers: 0x007d,
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
export const WRITERS = [
  [0x0c1a, 0x0c1f, 0x5d01],
  [0x0042, 0x0065, 0x5d02],
] as const;

/** In contacts, appointments and tasks, unlike in mail, named properties also contain user text. */
const MAIL = /^(?:ipm\.note|report\.|$)/i;
/** Telephone numbers, addresses and titles ([MS-OXPROPS], "mail user"). */
const CARD = { first: 0x3a00, last: 0x3a70 };

const RECIPIENT = /^__recip_version1\.0_#[0-9a-f]{8}$/i;
const ATTACHMENT = /^__attach_version1\.0_#[0-9a-f]{8}$/i;

/** Headers that name people. The others are technical. */
const PEOPLE = /^(?:from|to|cc|bcc|reply-to|sender|return-path|date):/i;
const ADDRESS = /[^\s<>,;:"]{1,64}@[^\s<>,;:"]{1,255}/g;

/** Outlook messages ([MS-OXMSG]): people, subject, body, attachments, embedded messages. */
export const msg: Extractor = {
  format: 'msg',
  version: 3,
  claims: ({ bytes }) => isCompoundFile(bytes) && openCompoundFile(bytes).has(PROPERTIES),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const compound = openCompoundFile(file.bytes);
    const message = new MsgProperties(compound, '', null);
    writePeople(compound, message, text);
    let shortfall = await writeBody(message, text, context);
    if (!MAIL.test(message.text(ID.messageClass))) writeCard(message, text);
    const leftOut = await writeAttachments(compound, message, text, context);
    shortfall ??= leftOut;
    return textOutcome('msg', text, shortfall);
  },
};

const storages = (file: CompoundFile, pattern: RegExp): string[] =>
  file.entries().flatMap(({ path, kind }) => (kind === 'storage' && pattern.test(path) ? [path] : []));

function writePeople(file: CompoundFile, message: MsgProperties, text: BoundedText): void {
  text.line(message.text(ID.subject));
  const lines = new Set<string>();
  let room = text.room;
  const add = (source: MsgProperties, ids: readonly number[]) => {
    const [name = '', ...addresses] = ids.map((id) => source.text(id));
    const known = addresses.filter((address) => address !== '' && address !== name);
    const line = [name, ...new Set(known)].join(' ').trim();
    if (line !== '' && room > 0) lines.add(line);
    room -= line.length;
  };
  for (const ids of WRITERS) add(message, ids);
  const recipients = storages(file, RECIPIENT);
  for (const path of recipients) {
    if (room <= 0) break;
    add(new MsgProperties(file, `${path}/`, message), [ID.name, ID.address, ID.internetAddress]);
  }
  const displayed = [ID.displayTo, ID.displayCc, ID.displayBcc];
  if (recipients.length === 0) for (const id of displayed) add(message, [id]);
  const known = [...lines].join('\n').toLowerCase();
  for (const line of lines) text.line(line);
  for (const header of unfolded(message.text(ID.headers))) {
    const addresses = header.match(ADDRESS) ?? [];
    const isNew = addresses.length === 0 || addresses.some((one) => !known.includes(one.toLowerCase()));
    if (PEOPLE.test(header) && isNew) text.line(header);
  }
}

function writeCard(message: MsgProperties, text: BoundedText): void {
  for (let id = CARD.first; id <= CARD.last; id++) text.line(message.text(id));
  for (const named of message.namedTexts()) text.line(named);
}

const unfolded = (headers: string) => headers.replace(/\r?\n[ \t]/g, ' ').split(/\r?\n/);

/** Prefers HTML, then rich text, which can wrap HTML, then plain text. All contain the same text. */
export async function writeBody(
  message: Pick<MsgProperties, 'body' | 'binary'>,
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
function mimeTypeOf(attachment: MsgProperties): string | null {
  const given = attachment.text(ID.mimeType).toLowerCase();
  return given === 'multipart/signed' ? 'message/rfc822' : given || null;
}

/** Returns why an attachment was left out, or that one is a message that cannot be read. */
async function writeAttachments(
  file: CompoundFile,
  message: MsgProperties,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  let shortfall: Shortfall | null = null;
  for (const path of storages(file, ATTACHMENT)) {
    if (text.full || context.budget.members <= 0 || context.budget.inflatedBytes <= 0) return 'member_bound';
    context.budget.members--;
    const attachment = new MsgProperties(file, `${path}/`, message);
    const name = attachment.text(ID.longFileName) || attachment.text(ID.fileName) || attachment.text(ID.name);
    const object = attachment.object(ID.data);
    const bytes =
      object === null
        ? attachment.binary(ID.data)
        : storageAsFile(file, object, context.budget.inflatedBytes);
    text.line(attachment.text(ID.path));
    if (bytes === null) {
      text.besides(name);
      if (object === null) continue;
      context.unread('member_bound');
      return 'member_bound';
    }
    context.budget.inflatedBytes -= bytes.length;
    const mimeType = mimeTypeOf(attachment);
    if (isSignature(bytes)) {
      text.besides(name);
      continue;
    }
    if (isSealedMessage(mimeType, bytes)) shortfall = 'encrypted';
    await context.embedded({ name, mimeType, bytes }, text);
  }
  return shortfall;
}
