import { word } from './words.ts';

const FONTS =
  '{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset128 B;}{\\f2\\fcharset204 C;}{\\f3\\fcharset161 D;}{\\f4\\fcharset134 E;}}';

/** A document with fonts: `\f0` is Western, the next ones Japanese, Cyrillic, Greek and Chinese. */
export const rtfOf = (body: string) =>
  Buffer.from(`{\\rtf1\\ansi\\ansicpg1252\\deff0${FONTS}${body}}`, 'latin1');

/** The `\objdata` of an OLE 1 object with this class name and native data. */
export function objectData(className: string, native: Uint8Array): string {
  const name = Buffer.from(`${className}\0`);
  const parts = [
    word(0x501),
    word(2),
    word(name.length),
    name,
    word(0),
    word(0),
    word(native.length),
    native,
  ];
  return Buffer.concat(parts).toString('hex');
}

/** A file as the Windows shell packages it: label, paths and bytes. */
export function packedFile(label: string, bytes: Uint8Array): Buffer {
  const path = Buffer.from(`C:\\${label}\0`);
  const kind = Buffer.from([0, 0, 3, 0]);
  return Buffer.concat([
    Buffer.from([2, 0]),
    Buffer.from(`${label}\0`),
    path,
    kind,
    word(path.length),
    path,
    word(bytes.length),
    bytes,
  ]);
}
