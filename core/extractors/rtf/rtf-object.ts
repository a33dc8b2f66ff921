import type { FileHead } from '../extractor.ts';
import { isCompoundFile } from '../ole/compound-file.ts';
import { nativeFile } from '../ole/embedded-ole.ts';

const EMBEDDED = 2;

/**
 * Returns the file in an OLE 1 object ([MS-OLEDS] 2.2.5), which RTF uses, or the object itself, as some writers store
 * it. Null if there is neither.
 */
export function objectFile(data: Buffer): FileHead | null {
  if (isCompoundFile(data)) return { name: '', mimeType: null, bytes: data };
  if (data.length < 8 || data.readUInt32LE(4) !== EMBEDDED) return null;
  const className = lengthAndBytes(data, 8);
  const topic = className && lengthAndBytes(data, className.end);
  const item = topic && lengthAndBytes(data, topic.end);
  const native = item && lengthAndBytes(data, item.end);
  if (!className || !item || !native) return null;
  // A package begins with its length, like the `Ole10Native` stream.
  const file = className.bytes.toString('latin1').startsWith('Package')
    ? nativeFile(data.subarray(item.end, native.end))
    : { name: '', bytes: native.bytes };
  return { ...file, mimeType: null };
}

function lengthAndBytes(data: Buffer, at: number): { bytes: Buffer; end: number } | null {
  if (at + 4 > data.length) return null;
  const end = Math.min(data.length, at + 4 + data.readUInt32LE(at));
  return { bytes: data.subarray(at + 4, end), end };
}
