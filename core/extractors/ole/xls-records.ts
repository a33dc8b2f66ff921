import { decodeCodePage } from '../text/code-page.ts';

const HEAD_BYTES = 4;
const CONTINUE = 0x3c;
/** Each part has at most eight kilobytes, so the largest file that is read has fewer. */
const MAX_PARTS = 16_384;

/** A record with its continuation records, as their contents. */
export type XlsRecord = { type: number; parts: readonly Buffer[] };

/** The records of a stream in order. A truncated record is the last one. */
export function* xlsRecords(stream: Buffer): Generator<XlsRecord> {
  let type = -1;
  let parts: Buffer[] = [];
  for (const { type: next, start, end } of recordExtents(stream)) {
    const bytes = stream.subarray(start, end);
    if (next === CONTINUE && type >= 0) {
      if (parts.length < MAX_PARTS) parts.push(bytes);
      continue;
    }
    if (type >= 0) yield { type, parts };
    type = next;
    parts = [bytes];
  }
  if (type >= 0) yield { type, parts };
}

/** Where the content of each record lies in a stream. Its type and size precede it. */
export function* recordExtents(stream: Buffer): Generator<{ type: number; start: number; end: number }> {
  let at = 0;
  while (at + HEAD_BYTES <= stream.length) {
    const start = at + HEAD_BYTES;
    const end = Math.min(stream.length, start + stream.readUInt16LE(at + 2));
    yield { type: stream.readUInt16LE(at), start, end };
    at = end;
  }
}

const NOTHING = Buffer.alloc(8);
const WIDE = 1;
const PHONETIC = 4;
const RICH = 8;
/** The header before phonetic text ([MS-XLS] 2.5.86, 2.5.218). */
const PHONETIC_HEAD_BYTES = 12;

/** Texts are Unicode since version 8, and in a code page before. */
export type XlsDialect = { version: number; codePage: number };

/** Reads the fields of a record in order. Beyond its end, numbers are 0 and texts are empty. */
export class XlsFields {
  readonly #parts: readonly Buffer[];
  readonly #dialect: XlsDialect;
  #part: Buffer;
  #index = 0;
  #at = 0;

  constructor(record: XlsRecord, dialect: XlsDialect) {
    this.#parts = record.parts;
    this.#part = record.parts[0] ?? NOTHING;
    this.#dialect = dialect;
  }

  get ended(): boolean {
    return this.#at >= this.#part.length && this.#index + 1 >= this.#parts.length;
  }

  byte(): number {
    return this.#take(1).readUInt8(0);
  }

  short(): number {
    return this.#take(2).readUInt16LE(0);
  }

  word(): number {
    return this.#take(4).readUInt32LE(0);
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  /** Continues with the next part of the record. */
  nextPart(): void {
    this.#index++;
    this.#part = this.#parts[this.#index] ?? NOTHING.subarray(0, 0);
    this.#at = 0;
  }

  skip(bytes: number): void {
    let left = bytes;
    while (left > this.#part.length - this.#at && this.#index < this.#parts.length) {
      left -= this.#part.length - this.#at;
      this.nextPart();
    }
    this.#at += left;
  }

  /** A text with a length of two bytes. */
  text(): string {
    return this.textOf(this.short());
  }

  /** A text with a length of one byte. */
  shortText(): string {
    return this.textOf(this.byte());
  }

  /** A text of `length` characters. Skips the phonetic text after it. */
  textOf(length: number): string {
    if (this.#dialect.version < 8) return decodeCodePage(this.bytes(length), this.#dialect.codePage);
    // The flags can be missing after an empty text.
    if (length === 0 && this.ended) return '';
    const flags = this.byte();
    const runs = (flags & RICH) !== 0 ? this.short() : 0;
    const extensionBytes = (flags & PHONETIC) !== 0 ? this.word() : 0;
    const text = this.#characters(length, flags);
    this.skip(runs * 4);
    const phonetic = extensionBytes === 0 ? '' : this.#phonetic(extensionBytes);
    return phonetic === '' ? text : `${text} ${phonetic}`;
  }

  /** At most `length` bytes of this part. */
  bytes(length: number): Buffer {
    const taken = this.#part.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  /** The rest of this part. */
  rest(): Buffer {
    return this.#part.subarray(this.#at);
  }

  #characters(length: number, flags: number): string {
    let text = '';
    let wide = (flags & WIDE) !== 0;
    while (text.length < length) {
      if (this.#part.length - this.#at < (wide ? 2 : 1)) {
        this.nextPart();
        if (this.#index >= this.#parts.length) break;
        // The rest of a continued text states its encoding again.
        wide = (this.byte() & WIDE) !== 0;
        continue;
      }
      const left = Math.min(length - text.length, (this.#part.length - this.#at) >> (wide ? 1 : 0));
      text += this.bytes(wide ? left * 2 : left).toString(wide ? 'utf16le' : 'latin1');
    }
    return text;
  }

  #phonetic(size: number): string {
    if (size < PHONETIC_HEAD_BYTES + 2 || size > this.#part.length - this.#at) {
      this.skip(size);
      return '';
    }
    const extension = this.bytes(size);
    const length = extension.readUInt16LE(PHONETIC_HEAD_BYTES);
    const start = PHONETIC_HEAD_BYTES + 2;
    return extension.toString('utf16le', start, Math.min(size, start + length * 2));
  }

  /** A number that can continue in the next part. */
  #take(bytes: number): Buffer {
    if (this.#at + bytes <= this.#part.length) return this.bytes(bytes);
    if (this.ended) return NOTHING;
    const taken = Buffer.alloc(bytes);
    for (let index = 0; index < bytes && !this.ended; index++) {
      if (this.#at >= this.#part.length) this.nextPart();
      taken[index] = this.#part[this.#at++] ?? 0;
    }
    return taken;
  }
}
