import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from '../ole/compound-file.ts';
import { storageAsFile } from '../ole/compound-file-part.ts';
import { textOutcome } from '../text-outcome.ts';
import { ID, writeMessage } from './mapi-message.ts';
import { MsgProperties, PROPERTIES } from './msg-properties.ts';
import { isSealedMessage, isSignature } from './sealed-mail.ts';

const RECIPIENT = /^__recip_version1\.0_#[0-9a-f]{8}$/i;
const ATTACHMENT = /^__attach_version1\.0_#[0-9a-f]{8}$/i;

/** Outlook messages ([MS-OXMSG]): people, subject, body, attachments, embedded messages. */
export const msg: Extractor = {
  format: 'msg',
  version: 3,
  claims: ({ bytes }) => isCompoundFile(bytes) && openCompoundFile(bytes).has(PROPERTIES),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const compound = openCompoundFile(file.bytes);
    const message = new MsgProperties(compound, '', null);
    const recipients = storages(compound, RECIPIENT);
    let shortfall = await writeMessage(
      message,
      recipients.map((path) => new MsgProperties(compound, `${path}/`, message)),
      text,
      context,
    );
    const leftOut = await writeAttachments(compound, message, text, context);
    shortfall ??= leftOut;
    return textOutcome('msg', text, shortfall);
  },
};

const storages = (file: CompoundFile, pattern: RegExp): string[] =>
  file.entries().flatMap(({ path, kind }) => (kind === 'storage' && pattern.test(path) ? [path] : []));

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
