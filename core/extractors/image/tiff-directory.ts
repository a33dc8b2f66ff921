/** TIFF 6.0, section 2. A directory is a page; EXIF has the same form. */
export type TiffDirectory = {
  /** The first value of a tag; null when there is none. */
  number(tag: number): number | null;
  /** All values of a tag whose type is short or long. Throws when they lie outside the file. */
  numbers(tag: number): number[];
  /** The bytes of a tag of any type, as they lie in the file. */
  bytes(tag: number): Buffer;
};

export const TIFF_MAGIC: readonly Buffer[] = ['II*\0', 'MM\0*'].map((text) => Buffer.from(text, 'latin1'));
/** Where a file says where its first directory is. */
const FIRST_DIRECTORY = 4;
const ENTRY_BYTES = 12;
const SHORT = 3;
/** Bytes of a value of each type, by its number; the first of them is none. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Parts of a picture that are read: a part may be as small as a row. */
const MAX_NUMBERS = 100_000;

export const isTiff = (data: Buffer): boolean =>
  TIFF_MAGIC.some((magic) => magic.equals(data.subarray(0, magic.length)));

/** The first directory. Throws when it lies outside the file. */
export function tiffDirectory(data: Buffer): TiffDirectory {
  const { short, long } = numbersOf(data);
  const directory = long(FIRST_DIRECTORY);
  const entries = new Map<number, number>();
  for (let index = 0; index < short(directory); index++) {
    const at = directory + 2 + index * ENTRY_BYTES;
    entries.set(short(at), at);
  }
  const entryOf = (tag: number) => {
    const at = entries.get(tag);
    if (at === undefined) return { type: SHORT, count: 0, from: 0, end: 0 };
    const [type, count] = [short(at + 2), long(at + 4)];
    const length = (TYPE_BYTES[type] ?? 1) * count;
    const from = length > 4 ? long(at + 8) : at + 8;
    return { type, count, from, end: from + length };
  };
  const numbers = (tag: number, most: number): number[] => {
    const { type, count, from } = entryOf(tag);
    const length = Math.min(count, most);
    return Array.from({ length }, (_, index) =>
      type === SHORT ? short(from + index * 2) : long(from + index * 4),
    );
  };
  return {
    number: (tag) => numbers(tag, 1)[0] ?? null,
    numbers: (tag) => numbers(tag, MAX_NUMBERS),
    bytes(tag) {
      const { from, end } = entryOf(tag);
      return data.subarray(from, end);
    },
  };
}

/** The order of bytes is the file's choice. */
function numbersOf(data: Buffer) {
  const isLittle = data.readUInt8(0) === 'I'.charCodeAt(0);
  return {
    short: (at: number) => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at)),
    long: (at: number) => (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at)),
  };
}

/**
 * A picture of several pages, as a fax is, as a file for each of them: the next one overwrites the one before.
 * Other pictures are one page.
 */
export function* picturePages(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const data = Buffer.from(bytes);
  if (!isTiff(data)) return;
  const { short, long } = numbersOf(data);
  const seen = new Set<number>();
  const nextOf = (directory: number) => directory + 2 + short(directory) * ENTRY_BYTES;
  const isWithin = (at: number) => at > 0 && at + 4 <= data.length;
  for (let directory = long(FIRST_DIRECTORY); isWithin(directory) && isWithin(nextOf(directory)); ) {
    seen.add(directory);
    const next = nextOf(directory);
    directory = long(next);
    if (directory === 0 || seen.has(directory)) return;
    data.copy(data, FIRST_DIRECTORY, next, next + 4);
    yield data;
  }
}
