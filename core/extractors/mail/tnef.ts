import { shortfallOf } from '../archive/zip.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { Damaged } from '../damage.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { ID, writeAttachments, writeMessage } from './mapi-message.ts';
import { TnefProperties } from './tnef-properties.ts';

const MAGIC = Buffer.from([0x78, 0x9f, 0x3e, 0x22]);
const HEAD_BYTES = 6;
/** Level, id, type and length of an attribute; a checksum follows its data ([MS-OXTNEF] 2.1.3.1). */
const ATTRIBUTE_BYTES = 9;
const CHECKSUM_BYTES = 2;
/** A kind, a length of all, and lengths of name and address ([MS-OXTNEF], attFrom). */
const SENDER_HEAD_BYTES = 8;
/** Ids of attributes. Each attachment begins with `attachmentBegins`. */
const ATTRIBUTE = {
  sender: 0x8000,
  subject: 0x8004,
  messageClass: 0x8008,
  body: 0x800c,
  attachmentData: 0x800f,
  attachmentName: 0x8010,
  attachmentBegins: 0x9002,
  properties: 0x9003,
  recipients: 0x9004,
  attachmentProperties: 0x9005,
  codePage: 0x9007,
};

/** Attributes of the message that stand for a property, and those of an attachment. */
const OF_MESSAGE: ReadonlyMap<number, number> = new Map([
  [ATTRIBUTE.subject, ID.subject],
  [ATTRIBUTE.messageClass, ID.messageClass],
  [ATTRIBUTE.body, ID.body],
]);
const OF_ATTACHMENT: ReadonlyMap<number, number> = new Map([
  [ATTRIBUTE.attachmentData, ID.data],
  [ATTRIBUTE.attachmentName, ID.fileName],
]);

type Attribute = { id: number; data: Buffer };

/** What a stream holds, as far as it could be read. */
type Tnef = {
  codePages: number[];
  message: TnefProperties;
  recipients: TnefProperties[];
  attachments: TnefProperties[];
  shortfall: Shortfall | null;
};

/** Of one that breaks off, its beginning is given first. */
function* attributes(data: Buffer): Generator<Attribute> {
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
  const message = new TnefProperties(codePages);
  const tnef: Tnef = { codePages, message, recipients: [], attachments: [], shortfall: null };
  const upToFault = (read: () => void) => {
    try {
      read();
    } catch (error) {
      tnef.shortfall ??= shortfallOf(error);
    }
  };
  upToFault(() => {
    for (const attribute of attributes(data)) {
      if (attribute.id === ATTRIBUTE.attachmentBegins && context.budget.members-- <= 0) {
        tnef.shortfall = 'member_bound';
        break;
      }
      // Each attribute has a length of its own, so a broken one ends none of the others.
      upToFault(() => add(tnef, attribute));
    }
  });
  return tnef;
}

function add({ codePages, message, recipients, attachments }: Tnef, { id, data }: Attribute): void {
  const attachment = attachments.at(-1);
  const ofMessage = OF_MESSAGE.get(id);
  const ofAttachment = OF_ATTACHMENT.get(id);
  if (ofMessage !== undefined) message.addAttribute(ofMessage, data);
  else if (ofAttachment !== undefined) attachment?.addAttribute(ofAttachment, data);
  else if (id === ATTRIBUTE.codePage) codePages.push(data.readUInt32LE(0));
  else if (id === ATTRIBUTE.sender) addSender(message, data);
  else if (id === ATTRIBUTE.properties) message.read(data, 0);
  else if (id === ATTRIBUTE.recipients) {
    for (let at = 4; at < data.length; ) {
      const recipient = new TnefProperties(codePages);
      recipients.push(recipient);
      at = recipient.read(data, at);
    }
  } else if (id === ATTRIBUTE.attachmentBegins) attachments.push(new TnefProperties(codePages));
  else if (id === ATTRIBUTE.attachmentProperties) attachment?.read(data, 0);
}

/** A name and an address with its kind, as in `SMTP:anna@mail.example.org`, behind their lengths. */
function addSender(message: TnefProperties, data: Buffer): void {
  const nameEnd = SENDER_HEAD_BYTES + data.readUInt16LE(4);
  const address = data.subarray(nameEnd, nameEnd + data.readUInt16LE(6));
  message.addAttribute(ID.senderName, data.subarray(SENDER_HEAD_BYTES, nameEnd));
  message.addAttribute(ID.senderAddress, address.subarray(address.indexOf(':') + 1));
}

/** Messages that Outlook packs into `winmail.dat` ([MS-OXTNEF]), with all that a message of Outlook gives. */
export const tnef: Extractor = {
  format: 'tnef',
  version: 3,
  claims: ({ bytes }) => MAGIC.equals(bytes.subarray(0, MAGIC.length)),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const { message, recipients, attachments, shortfall } = readTnef(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      context,
    );
    const broken = await writeMessage(message, recipients, text, context);
    const sealed = await writeAttachments(
      attachments.map((properties) => ({ properties, content: properties.binary(ID.data) })),
      text,
      context,
    );
    return textOutcome('tnef', text, shortfall ?? broken ?? sealed);
  },
};
