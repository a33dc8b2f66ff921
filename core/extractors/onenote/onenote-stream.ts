import { extendedGuid, NIL_ID, type NoteFile } from './onenote-store.ts';

/** Reads the numbers and ids of [MS-FSSHTTPB]; throws a `RangeError` past the end. */
export class StreamReader {
  at = 0;
  readonly #data: Buffer;

  constructor(data: Buffer) {
    this.#data = data;
  }

  bytes(size: number): Buffer {
    if (size > this.#data.length - this.at) throw new RangeError();
    this.at += size;
    return this.#data.subarray(this.at - size, this.at);
  }

  /** Up to seven bytes, of which the lowest bit that is set says how many; or none, or eight. */
  number(): number {
    const first = this.bytes(1).readUInt8(0);
    if (first === 0) return 0;
    const extra = Math.clz32(first & -first) ^ 31;
    if (extra === 7) return Number(this.bytes(8).readBigUInt64LE(0));
    let value = first >>> (extra + 1);
    for (let shift = 7 - extra; shift < 7 * (extra + 1); shift += 8) {
      value += this.bytes(1).readUInt8(0) * 2 ** shift;
    }
    return value;
  }

  /** The length of a GUID's number is told by the lowest bits of its first byte; a zero stands for no id. */
  id(): string {
    const first = this.bytes(1).readUInt8(0);
    if (first === 0) return NIL_ID;
    let number: number;
    if ((first & 0x07) === 0x04) number = first >>> 3;
    else if ((first & 0x3f) === 0x20) number = (first | (this.bytes(1).readUInt8(0) << 8)) >>> 6;
    else if ((first & 0x7f) === 0x40) number = (first | (this.bytes(2).readUInt16LE(0) << 8)) >>> 7;
    else if (first === 0x80) number = this.bytes(4).readUInt32LE(0);
    else throw new RangeError();
    return extendedGuid(this.bytes(16), number);
  }

  ids(): string[] {
    return this.#array(() => this.id());
  }

  /** A cell is a space of objects in a context: the shown state of a page, or an older version of it. */
  cell(): string {
    return this.id() + this.id();
  }

  cells(): string[] {
    return this.#array(() => this.cell());
  }

  /** Counts the writes of an element. */
  skipSerialNumber(): void {
    if (this.bytes(1).readUInt8(0) !== 0) this.bytes(24);
  }

  #array(read: () => string): string[] {
    const count = this.number();
    if (count > this.#data.length - this.at) throw new RangeError();
    return Array.from({ length: count }, read);
  }
}

/** A piece of a stream: others may follow that belong to it, up to its end, which is no piece of its own here. */
export type StreamObject = { type: number; payload: Buffer };

const LARGE = 0x7fff;
/** The work of a piece, in bytes: those with words are longer. */
const PIECE_EFFORT = 64;
/** The end of the last piece, which holds all others. */
const END = 0x1eb;

/** The pieces of a stream in their order, up to its end. */
export function* streamObjects(file: NoteFile, start: number): Generator<StreamObject> {
  const { data } = file;
  for (let at = start; at < data.length; ) {
    const first = data.readUInt8(at);
    const isLong = (first & 3) === 2;
    if ((first & 3) === 1) {
      at++;
      continue;
    }
    if (at + (isLong ? 4 : 2) > data.length) break;
    if ((first & 3) === 3) {
      if (data.readUInt16LE(at) === END) return;
      at += 2;
      continue;
    }
    const head = isLong ? data.readUInt32LE(at) : data.readUInt16LE(at);
    at += isLong ? 4 : 2;
    let size = isLong ? head >>> 17 : head >>> 9;
    if (isLong && size === LARGE) {
      const reader = new StreamReader(data.subarray(at, at + 9));
      size = largeSize(reader);
      at += reader.at;
    }
    if (!file.spend(PIECE_EFFORT)) return;
    yield { type: (head >>> 3) & (isLong ? 0x3fff : 0x3f), payload: file.slice({ at, size }) };
    at += size;
  }
  file.damaged = true;
}

function largeSize(reader: StreamReader): number {
  try {
    return reader.number();
  } catch {
    // Nothing is that long: what follows is missing.
    return Number.MAX_SAFE_INTEGER;
  }
}
