import { compoundFile } from './compound-file.ts';
import { short, word } from './words.ts';

type Streams = Record<string, Uint8Array | string | null>;

const id = (property: number) => property.toString(16).toUpperCase().padStart(4, '0');

export const unicode = (property: number, value: string): Streams => ({
  [`__substg1.0_${id(property)}001F`]: Buffer.from(value, 'utf16le'),
});
/** A text in a code page, as bytes. */
export const ansi = (property: number, bytes: Uint8Array): Streams => ({
  [`__substg1.0_${id(property)}001E`]: bytes,
});
export const binary = (property: number, bytes: Uint8Array): Streams => ({
  [`__substg1.0_${id(property)}0102`]: bytes,
});

const entry = ([property, value]: [string, number]) =>
  Buffer.concat([short(3), short(Number(property)), word(0), word(value), word(0)]);

/** The streams of a message, or of an embedded message, recipient or attachment at another path. */
export function message(
  parts: readonly Streams[],
  integers: Readonly<Record<number, number>> = {},
  headBytes = 32,
): Streams {
  const properties = Buffer.concat([Buffer.alloc(headBytes), ...Object.entries(integers).map(entry)]);
  return Object.assign({ '__properties_version1.0': properties }, ...parts);
}

const within = (storage: string, streams: Streams): Streams =>
  Object.fromEntries(Object.entries(streams).map(([path, bytes]) => [`${storage}/${path}`, bytes]));

export const recipient = (index: number, streams: Streams) =>
  within(`__recip_version1.0_#0000000${index}`, { '__properties_version1.0': Buffer.alloc(8), ...streams });
export const attachment = (index: number, streams: Streams) =>
  within(`__attach_version1.0_#0000000${index}`, { '__properties_version1.0': Buffer.alloc(8), ...streams });
/** A message as the value of an attachment. */
export const embedded = (streams: Streams) => within('__substg1.0_3701000D', streams);

export const msg = (streams: Streams) => compoundFile(streams);

/** Compressed RTF that consists only of literal bytes and the reference that ends it. */
export function compressedRtf(rtf: string): Buffer {
  const bytes = Buffer.from(rtf, 'latin1');
  const runs: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 8) {
    runs.push(Buffer.from([0]), bytes.subarray(at, at + 8));
  }
  return compressed(Buffer.concat(runs), bytes.length);
}

export const compressed = (data: Uint8Array, size: number) =>
  Buffer.concat([word(data.length + 12), word(size), Buffer.from('LZFu'), word(0), data]);
