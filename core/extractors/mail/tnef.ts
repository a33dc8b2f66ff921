import { shortfallOf } from '../archive/zip.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { Damaged } from '../damage.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { ID, WRITERS, writeBody } from './msg.ts';
import { decodedText, plain } from './msg-properties.ts';
import { TnefProperties } from './tnef-properties.ts';

const MAGIC = Buffer.from([0x78, 0x9f, 0x3e, 0x22]);
const HEAD_BYTES = 6;
/** Level, id, type and length of an attribute; a checksum follows its data ([MS-OXTNEF] 2.1.3.1). */
const ATTRIBUTE_BYTES = 9;
const CHECKSUM_BYTES = 2;
/** Ids of attributes. Each attachment begins with `attachmentBegins`. */
const ATTRIBUTE = {
  subject: 0x8004,
  body: 0x800c,
  attachmentData: 0x800f,
  attachmentName: 0x8010,
  attachmentBegins: 0x9002,
  properties: 0x9003,
  recipients: 0x9004,
  attachmentProperties: 0x9005,
  codePage: 0x9007,
};

type Attachment = { name: string; data: Buffer | null; properties: TnefProperties };

/** What a stream holds, as far as it could be read. */
type Tnef = {
  codePages: number[];
  subject: string;
  body: string;
  properties: TnefProperties;
  recipients: TnefProperties[];
  attachments: Attachment[];
  shortfall: Shortfall | null;
};

/** Of one that breaks off, its beginning is given first. */
function* attributes(data: Buffer): Generator<{ id: number; data: Buffer }> {
  for (let at = HEAD_BYTES; at + ATTRIBUTE_BYTES <= data.length; ) {
    const start = at + ATTRIBUTE_BYTES;
    const end = start + data.readUInt32LE(at + 5);
    yield { id: data.readUInt16LE(at + 1), data: data.subarray(start, end) };
    if (end > data.length) throw new Damaged('attribute_breaks_off');
    at = end + CHECKSUM_BYTES;
  }
}

function readTnef(data: Buffer, context: ExtractionContext): Tnef {
  const codePages: number[] = [];
  const tnef: Tnef = {
    ...{ codePages, subject: '', body: '', recipients: [], attachments: [], shortfall: null },
    properties: new TnefProperties(codePages),
  };
  try {
    for (const attribute of attributes(data)) {
      if (attribute.id === ATTRIBUTE.attachmentBegins && context.budget.members-- <= 0) {
        tnef.shortfall = 'member_bound';
        break;
      }
      add(tnef, attribute);
    }
  } catch (error) {
    tnef.shortfall = shortfallOf(error);
  }
  return tnef;
}

function add(tnef: Tnef, { id, data }: { id: number; data: Buffer }): void {
  const { codePages, attachments } = tnef;
  const attachment = attachments.at(-1);
  if (id === ATTRIBUTE.codePage) codePages.push(data.readUInt32LE(0));
  else if (id === ATTRIBUTE.subject) tnef.subject = plain(decodedText(data, codePages));
  else if (id === ATTRIBUTE.body) tnef.body = plain(decodedText(data, codePages));
  else if (id === ATTRIBUTE.properties) tnef.properties.read(data, 0);
  else if (id === ATTRIBUTE.recipients) {
    for (let at = 4; at < data.length; ) {
      const recipient = new TnefProperties(codePages);
      at = recipient.read(data, at);
      tnef.recipients.push(recipient);
    }
  } else if (id === ATTRIBUTE.attachmentBegins)
    attachments.push({ name: '', data: null, properties: new TnefProperties(codePages) });
  else if (attachment === undefined) return;
  else if (id === ATTRIBUTE.attachmentName) attachment.name = plain(decodedText(data, codePages));
  else if (id === ATTRIBUTE.attachmentData) attachment.data = data;
  else if (id === ATTRIBUTE.attachmentProperties) attachment.properties.read(data, 0);
}

/** A person with their addresses, each once. */
const person = (properties: TnefProperties, ids: readonly number[]): string =>
  [...new Set(ids.map((id) => properties.text(id)))].filter((text) => text !== '').join(' ');

/** Messages that Outlook packs into `winmail.dat` ([MS-OXTNEF]): people, subject, body, attachments. */
export const tnef: Extractor = {
  format: 'tnef',
  version: 1,
  claims: ({ bytes }) => MAGIC.equals(bytes.subarray(0, MAGIC.length)),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const { subject, body, properties, recipients, attachments, shortfall } = readTnef(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      context,
    );
    text.line(properties.text(ID.subject) || subject);
    for (const ids of WRITERS) text.line(person(properties, ids));
    for (const recipient of recipients) {
      text.line(person(recipient, [ID.name, ID.address, ID.internetAddress]));
    }
    const before = text.length;
    const broken = await writeBody(properties, text, context);
    if (text.length === before) text.line(body);
    for (const { name, data, properties: own } of attachments) {
      const file = own.text(ID.longFileName) || name || own.text(ID.name);
      const content = data ?? own.binary(ID.data);
      if (content === null) text.besides(file);
      else
        await context.embedded({ name: file, mimeType: own.text(ID.mimeType) || null, bytes: content }, text);
    }
    return textOutcome('tnef', text, shortfall ?? broken);
  },
};
