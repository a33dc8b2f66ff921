import { isUtf8 } from 'node:buffer';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { Extraction, ExtractionContext, Extractor, FileHead } from '../extractor.ts';
import { guessEncoding } from '../text/guess-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { isUnreadBinary } from '../unread.ts';
import { openZip, shortfallOf, type ZipMember } from './zip.ts';
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
    const read = await readMember(member, name, text, context);
    if (read === 'inflated_bound') return textOutcome('zip', text, read);
    shortfall ??= read;
  }
  return textOutcome('zip', text, shortfall);
}

async function readMember(
  member: ZipMember,
  name: string,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const chunks = member.read();
  const first = await chunks.next().catch(shortfallOf);
  if (typeof first === 'string' || first.done === true) {
    text.besides(name);
    if (typeof first !== 'string') return null;
    context.unread(first === 'damaged' ? first : 'member_bound');
    return first;
  }
  // A film, for example, is not inflated if nothing reads its format.
  if (isUnreadBinary(first.value, context.ocr !== null)) {
    await chunks.return(undefined);
    await context.unreadFile({ name, mimeType: null, bytes: first.value }, text);
    return null;
  }
  const { bytes, shortfall } = await hold(resumed(first.value, chunks), member.packedBytes);
  await context.embedded({ name, mimeType: null, bytes, shortfall }, text);
  return shortfall;
}

async function* resumed(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/**
 * Decodes member names. Names that are not UTF-8 have an unknown code page, which is guessed from all names together.
 */
function memberNames(members: readonly ZipMember[]): (member: ZipMember) => string {
  const others = members.map(({ rawName }) => rawName).filter((name) => !isUtf8(name));
  const decoder = new TextDecoder(others.length === 0 ? 'utf-8' : guessEncoding(Buffer.concat(others)));
  return ({ rawName }) => (isUtf8(rawName) ? Buffer.from(rawName).toString() : decoder.decode(rawName));
}
