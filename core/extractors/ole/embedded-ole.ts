import { BoundedText } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts';

/** Streams that contain the whole embedded file: Office documents, OpenDocument, and those of other servers such as PDF. */
const WHOLE_FILES = ['Package', 'EmbeddedOdf', 'CONTENTS'];
const NATIVE = '\x01Ole10Native';
/** The most bytes of each of the three paths that precede a packaged file. */
const MAX_PATH_BYTES = 1_024;

/**
 * Appends the file that an OLE object ([MS-OLEDS]) contains: as a package, or as `Ole10Native`, which holds files
 * that were dropped into a document.
 * @param storage path of the object within the compound file, with a trailing `/`. Empty if the object is the
 * compound file itself.
 * @returns false if it contains no whole file
 */
export async function writeOleObject(
  file: CompoundFile,
  storage: string,
  text: BoundedText,
  context: ExtractionContext,
): Promise<boolean> {
  let found = false;
  for (const name of WHOLE_FILES) {
    const bytes = file.stream(storage + name, Number.POSITIVE_INFINITY);
    if (bytes === null) continue;
    found = true;
    await context.embedded({ name: '', mimeType: null, bytes }, text);
  }
  const native = file.stream(storage + NATIVE, Number.POSITIVE_INFINITY);
  if (native === null) return found;
  await context.embedded({ ...nativeFile(native), mimeType: null }, text);
  return true;
}

/**
 * Reads `Ole10Native`: a length, then for a file its label, its paths, its length and its bytes. For other objects,
 * the bytes. After the file, newer applications repeat the names in Unicode.
 */
export function nativeFile(stream: Uint8Array): { name: string; bytes: Uint8Array } {
  const data = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  const isFile = data.length > 6 && data.readUInt16LE(4) === 2;
  const label = isFile ? zeroEnded(data, 6) : null;
  const source = label && zeroEnded(data, label.end);
  // Two words of flags, then the temporary path preceded by its length.
  const lengthAt = source ? source.end + 4 : data.length;
  if (!label || lengthAt + 4 > data.length) return { name: '', bytes: data.subarray(4) };
  const sizeAt = lengthAt + 4 + Math.min(data.readUInt32LE(lengthAt), MAX_PATH_BYTES);
  const name = lastPart(label.text);
  if (sizeAt + 4 > data.length) return { name, bytes: data.subarray(0, 0) };
  const end = sizeAt + 4 + data.readUInt32LE(sizeAt);
  return { name: wideLabel(data, end) ?? name, bytes: data.subarray(sizeAt + 4, end) };
}

/** The last segment of a Windows or Mac path. The label can be a path. */
const lastPart = (path: string): string => /[^\\/:]*$/.exec(path)?.[0] ?? path;

/** The second of three texts, each preceded by its length: the label. Null if they are missing. */
function wideLabel(data: Buffer, start: number): string | null {
  if (start + 4 > data.length) return null;
  const at = start + 4 + data.readUInt32LE(start) * 2;
  if (at + 4 > data.length) return null;
  const end = at + 4 + data.readUInt32LE(at) * 2;
  if (end === at + 4 || end > data.length || end - at > MAX_PATH_BYTES) return null;
  return lastPart(data.toString('utf16le', at + 4, end)) || null;
}

function zeroEnded(data: Buffer, at: number): { text: string; end: number } | null {
  const end = data.indexOf(0, at);
  return end < 0 || end - at > MAX_PATH_BYTES
    ? null
    : { text: data.toString('latin1', at, end), end: end + 1 };
}

/** An object that an Office package stores as a separate compound file, such as `embeddings/oleObject1.bin`. */
export const embeddedOle: Extractor = {
  format: 'ole-object',
  version: 3,
  kind: 'wrapper',
  claims(file) {
    if (!isCompoundFile(file.bytes)) return false;
    const compound = openCompoundFile(file.bytes);
    return [...WHOLE_FILES, NATIVE].some((name) => compound.has(name));
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    await writeOleObject(openCompoundFile(file.bytes), '', text, context);
    return textOutcome('ole-object', text, null);
  },
};
