import type { BoundedText } from '../bounded-text.ts';
import { tableStrings } from './doc-strings.ts';

/**
 * [MS-DOC] 2.9.158: the total length, the length of the header, and fields that only pictures use. The form field
 * follows.
 */
const HEAD_BYTES = 68;
const HEAD_LENGTH_AT = 4;
/** [MS-DOC] 2.9.78: begins with this mark, then the kind among other flags, and two sizes. */
const MARK = Buffer.from([0xff, 0xff, 0xff, 0xff]);
const KIND_AT = 4;
const NAME_AT = 10;
const KIND_BITS = 0x3;
const TEXT = 0;
const LIST = 2;

/** Appends the texts of form fields in the stream of pictures: default texts, hints and choices. */
export function writeFormFields(data: Buffer, text: BoundedText): void {
  for (
    let at = data.indexOf(MARK, HEAD_BYTES);
    at >= 0 && !text.full;
    at = data.indexOf(MARK, afterRun(data, at))
  ) {
    const head = at - HEAD_BYTES;
    if (data.readUInt16LE(head + HEAD_LENGTH_AT) !== HEAD_BYTES) continue;
    const end = head + data.readUInt32LE(head);
    if (end > at + NAME_AT && end <= data.length) writeField(data.subarray(at, end), text);
  }
}

/** Skips bytes that look like the mark. A white picture is full of them. */
function afterRun(data: Buffer, start: number): number {
  let at = start + MARK.length;
  while (data[at] === 0xff) at++;
  return at;
}

function writeField(field: Buffer, text: BoundedText): void {
  const kind = field.readUInt16LE(KIND_AT) & KIND_BITS;
  const texts = new Texts(field, NAME_AT);
  texts.next();
  if (kind === TEXT) text.line(texts.next());
  else texts.skip(2);
  // The format of its text.
  texts.next();
  const [help, status] = [texts.next(), texts.next()];
  // Macros on entry and exit.
  texts.next();
  texts.next();
  for (const words of [help, status, ...(kind === LIST ? tableStrings(texts.rest()) : [])]) text.line(words);
}

/** Consecutive texts, each preceded by its length and followed by a zero. */
class Texts {
  readonly #data: Buffer;
  #at: number;

  constructor(data: Buffer, at: number) {
    this.#data = data;
    this.#at = at;
  }

  next(): string {
    if (this.#at + 2 > this.#data.length) return '';
    const start = this.#at + 2;
    const end = start + this.#data.readUInt16LE(this.#at) * 2;
    this.#at = end + 2;
    return this.#data.toString('utf16le', start, Math.min(end, this.#data.length));
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  rest(): Buffer {
    return this.#data.subarray(this.#at);
  }
}
