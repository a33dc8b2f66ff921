import { Damaged, isDamage } from '../damage.ts';
import { extendedGuid, NIL_ID, type NoteFile } from './onenote-store.ts';

/** Reads numbers and ids of [MS-FSSHTTPB]. Throws `Damaged` beyond the end. */
export class StreamReader {
  at = 0;
  readonly #data: Buffer;

  constructor(data: Buffer) {
    this.#data = data;
  }

  bytes(size: number): Buffer {
    if (size > this.#data.length - this.at) throw new Damaged('onenote_stream');
    this.at += size;
    return this.#data.subarray(this.at - size, this.at);
  }

  /** A number of up to seven bytes, whose count is given by the lowest set bit. Or of zero or eight bytes. */
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

  /** The lowest bits of the first byte give the length of the number. Zero means no id. */
  id(): string {
    const first = this.bytes(1).readUInt8(0);
    if (first === 0) return NIL_ID;
    let number: number;
    if ((first & 0x07) === 0x04) number = first >>> 3;
    else if ((first & 0x3f) === 0x20) number = (first | (this.bytes(1).readUInt8(0) << 8)) >>> 6;
    else if ((first & 0x7f) === 0x40) number = (first | (this.bytes(2).readUInt16LE(0) << 8)) >>> 7;
    else if (first === 0x80) number = this.bytes(4).readUInt32LE(0);
    else throw new Damaged('onenote_stream');
    return extendedGuid(this.bytes(16), number);
  }

  ids(): string[] {
    return this.#array(() => this.id());
  }

  /** A cell is an object space in a context: the current version of a page, or an older one. */
  cell(): string {
    return this.id() + this.id();
  }

  cells(): string[] {
    return this.#array(() => this.cell());
  }

  /** A serial number counts the writes of an element. */
  skipSerialNumber(): void {
    if (this.bytes(1).readUInt8(0) !== 0) this.bytes(24);
  }

  #array(read: () => string): string[] {
    const count = this.number();
    if (count > this.#data.length - this.at) throw new Damaged('onenote_stream');
    return Array.from({ length: count }, read);
  }
}

/** A stream object. Its children follow until its end marker, which is not yielded. */
export type StreamObject = { type: number; payload: Buffer };

const LARGE = 0x7fff;
/** The cost of a stream object in bytes. Those with text are longer. */
const PIECE_EFFORT = 64;
/** The end marker of the outermost stream object. */
const END = 0x1eb;

/** The stream objects in order, up to the end marker. */
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
  } catch (error) {
    if (!isDamage(error)) throw error;
    // No object is that long, so the rest counts as missing.
    return Number.MAX_SAFE_INTEGER;
  }
}
