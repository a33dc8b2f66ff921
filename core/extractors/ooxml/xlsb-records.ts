/** Longer records are skipped. No writer produces them. */
const MAX_RECORD_BYTES = 1_000_000;

/**
 * Calls `onRecord` with each record of a binary part ([MS-XLSB] 2.1.4). The bytes are valid only until it returns.
 * Returns `damaged` if the part ends within a record. Stops when `enough` returns true.
 */
export async function readRecords(
  chunks: AsyncIterable<Uint8Array>,
  onRecord: (type: number, fields: RecordFields) => void,
  enough: () => boolean,
): Promise<'whole' | 'damaged'> {
  let held: Buffer = Buffer.alloc(0);
  let skipped = 0;
  for await (const chunk of chunks) {
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = held.length === 0 ? piece : Buffer.concat([held, piece]);
    let at = Math.min(skipped, data.length);
    skipped -= at;
    for (let head = recordHead(data, at); head !== null; head = recordHead(data, at)) {
      if (head.size > MAX_RECORD_BYTES) {
        skipped = Math.max(0, head.start + head.size - data.length);
        at = Math.min(head.start + head.size, data.length);
        continue;
      }
      if (head.start + head.size > data.length) break;
      at = head.start + head.size;
      onRecord(head.type, new RecordFields(data.subarray(head.start, at)));
      if (enough()) return 'whole';
    }
    held = data.subarray(at);
  }
  return held.length > 0 || skipped > 0 ? 'damaged' : 'whole';
}

/** The type has at most two bytes and the size at most four, with seven bits each. Null if the bytes end before. */
function recordHead(data: Buffer, at: number): { type: number; size: number; start: number } | null {
  const low = data[at];
  const high = low !== undefined && low >= 0x80 ? data[at + 1] : 0;
  if (low === undefined || high === undefined) return null;
  const type = (low & 0x7f) | ((high & 0x7f) << 7);
  let start = at + (low >= 0x80 ? 2 : 1);
  let size = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = data[start++];
    if (byte === undefined) return null;
    size |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return { type, size, start };
}

/** Reads the fields of a record in order. Beyond its end, numbers are 0 and texts are empty. */
export class RecordFields {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  byte(): number {
    return this.#take(1) ? this.#data.readUInt8(this.#at - 1) : 0;
  }

  short(): number {
    return this.#take(2) ? this.#data.readUInt16LE(this.#at - 2) : 0;
  }

  word(): number {
    return this.#take(4) ? this.#data.readUInt32LE(this.#at - 4) : 0;
  }

  double(): number {
    return this.#take(8) ? this.#data.readDoubleLE(this.#at - 8) : 0;
  }

  /** A length in characters, then UTF-16. A length of all ones means that there is no text. */
  text(): string {
    const length = this.word();
    if (length === 0xffff_ffff || !this.#take(length * 2)) return '';
    return this.#data.toString('utf16le', this.#at - length * 2, this.#at);
  }

  /** A text with formatting and phonetic text, which is a separate text after it. */
  richText(): string {
    const flags = this.byte();
    const text = this.text();
    if ((flags & 1) !== 0) this.skip(this.word() * 4);
    const phonetic = (flags & 2) !== 0 ? this.text() : '';
    return phonetic === '' ? text : `${text} ${phonetic}`;
  }

  /** The rest of the record. */
  rest(): Buffer {
    return this.#data.subarray(this.#at);
  }

  #take(bytes: number): boolean {
    this.#at += bytes;
    return this.#at <= this.#data.length;
  }
}
