import { deflateSync } from 'node:zlib';
import { artRecord } from './office-art.ts';
import { word } from './words.ts';

const record = (type: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
  return Buffer.concat([word(type), word(8 + padded.length), padded]);
};

const HEADER = record(1, Buffer.alloc(32), Buffer.from(' EMF'), Buffer.alloc(44));
const END = record(14, Buffer.alloc(12));

/** A metafile with these records. */
export const emf = (...records: Uint8Array[]): Buffer => Buffer.concat([HEADER, ...records, END]);

type Placed = { x?: number; y?: number; options?: number; advance?: number };

const TEXT_AT = 76;

/** A UTF-16 text. Each character has the width `advance`. */
export function wideText(text: string, { x = 0, y = 0, options = 0, advance = 10 }: Placed = {}): Buffer {
  const characters = Buffer.from(text, 'utf16le');
  const padding = Buffer.alloc(characters.length % 4);
  const distances = Buffer.concat([...text].map(() => word(advance)));
  const head = [word(x), word(y), word(text.length), word(TEXT_AT), word(options), Buffer.alloc(16)];
  const distancesAt = word(TEXT_AT + characters.length + padding.length);
  return record(84, Buffer.alloc(28), ...head, distancesAt, characters, padding, distances);
}

export const smallText = (text: string, y: number) =>
  record(
    108,
    word(0),
    word(y),
    word(text.length),
    word(0x300),
    Buffer.alloc(12),
    Buffer.from(text, 'latin1'),
  );

/** Changes the coordinate system of the following records. */
export const transform = record(35, Buffer.alloc(24));

/** The same picture in other formats, as Office for Mac stores it. */
export function otherFormats(...files: Uint8Array[]): Buffer {
  const headBytes = 28 + files.length * 16;
  let at = headBytes;
  const entries = files.map(({ length }) => {
    const entry = [Buffer.from('PDF '), word(1), word(length), word(at)];
    at += length;
    return Buffer.concat(entry);
  });
  const head = [Buffer.from('GDIC'), word(0x40000004), Buffer.alloc(16), word(files.length)];
  return record(70, word(at), ...head, ...entries, ...files);
}

/** A metafile in an Office drawing, compressed or not. */
export function metafileBlip(metafile: Uint8Array, name = 'a', isPacked = true): Buffer {
  const bytes = isPacked ? deflateSync(metafile) : metafile;
  const head = Buffer.concat([
    word(metafile.length),
    Buffer.alloc(24),
    word(bytes.length),
    Buffer.from([isPacked ? 0 : 0xfe, 0xfe]),
  ]);
  return artRecord(0xf01a, Buffer.concat([Buffer.alloc(16, name), head, bytes]), 0x3d4);
}
