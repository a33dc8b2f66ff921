/** TIFF 6.0, section 2. A directory describes a page. EXIF uses the same format. */
export type TiffDirectory = {
  /** The first value of a tag, or null if there is none. */
  number(tag: number): number | null;
  /** All values of a tag of type short or long. Throws if they lie outside the file. */
  numbers(tag: number): number[];
  /** The raw bytes of a tag of any type. */
  bytes(tag: number): Buffer;
};

export const TIFF_MAGIC: readonly Buffer[] = ['II*\0', 'MM\0*'].map((text) => Buffer.from(text, 'latin1'));
/** The offset of the pointer to the first directory. */
const FIRST_DIRECTORY = 4;
const ENTRY_BYTES = 12;
const SHORT = 3;
/** The size of a value by type number. Type 0 does not exist. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** The most values read from a tag. A part of a picture can be as small as a row. */
const MAX_NUMBERS = 100_000;

export const isTiff = (data: Buffer): boolean =>
  TIFF_MAGIC.some((magic) => magic.equals(data.subarray(0, magic.length)));

/** The first directory. Throws if it lies outside the file. */
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

/** The file declares its byte order. */
function numbersOf(data: Buffer) {
  const isLittle = data.readUInt8(0) === 'I'.charCodeAt(0);
  return {
    short: (at: number) => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at)),
    long: (at: number) => (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at)),
  };
}

/**
 * Yields a file for each page of a multi-page picture, such as a fax. The next file overwrites the previous one.
 * Other pictures have one page.
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
