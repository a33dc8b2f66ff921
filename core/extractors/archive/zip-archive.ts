import { isUtf8 } from 'node:buffer';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { Extraction, ExtractionContext, Extractor, FileHead } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { decodedName, readMember } from './member.ts';
import { openZip, type ZipMember } from './zip.ts';
import { type ZipKind, zipKind } from './zip-kind.ts';

/** Plain archives. The other kinds are documents of applications, for which no reader exists if they reach this one. */
const BOXES: readonly (ZipKind | null)[] = ['zip', 'jar'];

/** Zip archives: the name of every member, and its text if its format is read. */
export const zipArchive: Extractor = {
  format: 'zip',
  version: 4,
  kind: 'archive',
  claims: (file) => BOXES.includes(zipKind(file.bytes)),
  extract: readArchive,
};

/** Documents in a zip archive without a reader. They are reported with their kind. */
export const unreadZip: Extractor = {
  format: 'zip',
  version: 3,
  kind: 'unread',
  claims: (file) => zipKind(file.bytes) !== null,
  async extract(file, context) {
    const format = zipKind(file.bytes) ?? 'zip';
    const { members, damaged } = await openZip(file.bytes, context.budget);
    if (damaged) return { state: 'failed', format, reason: 'corrupt' };
    const sealed = members.some((member) => member.encrypted);
    return { state: 'unsupported', format, reason: sealed ? 'encrypted' : 'unknown_format' };
  },
};

/** If all members are encrypted, the archive is `encrypted`. If some are, it is `partial`. */
async function readArchive(file: FileHead, context: ExtractionContext): Promise<Extraction> {
  const zip = await openZip(file.bytes, context.budget);
  const files = zip.members.filter((member) => !member.name.endsWith('/'));
  if (files.length > 0 && files.every((member) => member.encrypted)) {
    return { state: 'unsupported', format: 'zip', reason: 'encrypted' };
  }
  const text = new BoundedText(context.maxCharacters);
  const nameOf = memberNames(files);
  let shortfall: Shortfall | null = zip.damaged ? 'damaged' : zip.cut ? 'member_bound' : null;
  for (const member of files) {
    if (text.full) break;
    const name = nameOf(member);
    if (member.encrypted) {
      text.line(name);
      context.unread('encrypted');
      continue;
    }
    const { packedBytes } = member;
    const read = await readMember({ name, packedBytes, chunks: member.read() }, text, context);
    if (read === 'inflated_bound') return textOutcome('zip', text, read);
    shortfall ??= read;
  }
  return textOutcome('zip', text, shortfall);
}

/** Names that are not UTF-8 are decoded alike: their code page is guessed from all of them together. */
function memberNames(members: readonly ZipMember[]): (member: ZipMember) => string {
  const others = Buffer.concat(members.map(({ rawName }) => rawName).filter((name) => !isUtf8(name)));
  return ({ rawName }) => decodedName(rawName, others);
}
