import { BoundedText } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from '../ole/compound-file.ts';
import { storageAsFile } from '../ole/compound-file-part.ts';
import { textOutcome } from '../text-outcome.ts';
import { ID, writeAttachments, writeMessage } from './mapi-message.ts';
import { MsgProperties, PROPERTIES } from './msg-properties.ts';

const RECIPIENT = /^__recip_version1\.0_#[0-9a-f]{8}$/i;
const ATTACHMENT = /^__attach_version1\.0_#[0-9a-f]{8}$/i;

/** Outlook messages ([MS-OXMSG]): people, subject, body, attachments, embedded messages. */
export const msg: Extractor = {
  format: 'msg',
  version: 4,
  claims: ({ bytes }) => isCompoundFile(bytes) && openCompoundFile(bytes).has(PROPERTIES),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const compound = openCompoundFile(file.bytes);
    const message = new MsgProperties(compound, '', null);
    const recipients = storages(compound, RECIPIENT);
    const shortfall = await writeMessage(
      message,
      recipients.map((path) => new MsgProperties(compound, `${path}/`, message)),
      text,
      context,
    );
    const sealed = await writeAttachments(attachmentsOf(compound, message, context), text, context);
    return textOutcome('msg', text, shortfall ?? sealed);
  },
};

const storages = (file: CompoundFile, pattern: RegExp): string[] =>
  file.entries().flatMap(({ path, kind }) => (kind === 'storage' && pattern.test(path) ? [path] : []));

function* attachmentsOf(file: CompoundFile, message: MsgProperties, context: ExtractionContext) {
  const { budget } = context;
  for (const path of storages(file, ATTACHMENT)) {
    if (budget.members <= 0 || budget.inflatedBytes <= 0) return context.unread('member_bound');
    budget.members--;
    const properties = new MsgProperties(file, `${path}/`, message);
    const object = properties.object(ID.data);
    const content =
      object === null ? properties.binary(ID.data) : storageAsFile(file, object, budget.inflatedBytes);
    if (object !== null && content === null) context.unread('member_bound');
    budget.inflatedBytes -= content?.length ?? 0;
    yield { properties, content };
  }
}
