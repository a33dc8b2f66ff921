import { BoundedText, textOutcome } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts';

/** Streams that are the embedded file itself: Office documents, OpenDocument, what other servers such as PDF store. */
const WHOLE_FILES = ['Package', 'EmbeddedOdf', 'CONTENTS'];
const NATIVE = '\x01Ole10Native';
/** What a packaged file says of itself before its bytes: three paths. */
const MAX_PATH_BYTES = 1_024;

/**
 * Appends the file that an OLE object ([MS-OLEDS]) stands for, where its storage holds one whole: as a package, or as
 * `Ole10Native`, which is how any file is dropped into a document. `storage` is the path of the object within the
 * compound file, with a `/` at its end, or empty when the object is the compound file itself. False when it holds none.
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
 * `Ole10Native`: a length, then for a file its label, its paths and its own length; for other objects the bytes. Behind
 * the file newer applications write the names once more, in Unicode.
 */
export function nativeFile(stream: Uint8Array): { name: string; bytes: Uint8Array } {
  const data = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  const isFile = data.length > 6 && data.readUInt16LE(4) === 2;
  const label = isFile ? zeroEnded(data, 6) : null;
  const source = label && zeroEnded(data, label.end);
  // Two words that say how it is shown, then the temporary path with its length before it.
  const lengthAt = source ? source.end + 4 : data.length;
  if (!label || lengthAt + 4 > data.length) return { name: '', bytes: data.subarray(4) };
  const sizeAt = lengthAt + 4 + Math.min(data.readUInt32LE(lengthAt), MAX_PATH_BYTES);
  const name = lastPart(label.text);
  if (sizeAt + 4 > data.length) return { name, bytes: data.subarray(0, 0) };
  const end = sizeAt + 4 + data.readUInt32LE(sizeAt);
  return { name: wideLabel(data, end) ?? name, bytes: data.subarray(sizeAt + 4, end) };
}

/** Of a path of Windows or of a Mac, which may be the label. */
const lastPart = (path: string): string => /[^\\/:]*$/.exec(path)?.[0] ?? path;

/** The second of three texts, each with its length before it: the label; null when they are not there. */
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

/** An object that an Office package keeps as a compound file of its own, `embeddings/oleObject1.bin`. */
export const embeddedOle: Extractor = {
  format: 'ole-object',
  version: 2,
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
