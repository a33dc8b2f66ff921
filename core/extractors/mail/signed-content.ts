import { BoundedText } from '../bounded-text.ts';
import { Damaged } from '../damage.ts';
import { hold } from '../embedded.ts';
import type { Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { isSigned } from './sealed-mail.ts';

/** Tags of ASN.1 (X.690). A constructed string consists of strings. */
const OCTETS = 0x04;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
/** No writer nests deeper, and strings within strings end somewhere. */
const MAX_NESTING = 32;

/** `end`: null if it is not stated. Then the content ends with two zeros (X.690, 8.1.3.6). */
type Element = { tag: number; content: number; end: number | null };

function elementAt(data: Buffer, at: number): Element {
  const tag = data.readUInt8(at);
  if ((tag & LONG_TAG) === LONG_TAG) throw new Damaged('tag_unknown');
  const first = data.readUInt8(at + 1);
  if (first === 0x80) return { tag, content: at + 2, end: null };
  const bytes = first & 0x7f;
  const content = first < 0x80 ? at + 2 : at + 2 + bytes;
  return { tag, content, end: content + (first < 0x80 ? first : data.readUIntBE(at + 2, bytes)) };
}

const isEnd = (data: Buffer, { end }: Element, at: number) =>
  end === null ? data.readUInt16BE(at) === 0 : at >= end;

/** Where the element ends that begins at `at`. */
function after(data: Buffer, at: number, nesting = 0): number {
  const element = elementAt(data, at);
  if (element.end !== null) return element.end;
  if (nesting > MAX_NESTING) throw new Damaged('nested_too_deep');
  let next = element.content;
  while (!isEnd(data, element, next)) next = after(data, next, nesting + 1);
  return next + 2;
}

/** Yields the pieces of an octet string. Throws what `isDamage` knows where it breaks off. */
async function* octetsAt(data: Buffer, at: number, nesting = 0): AsyncGenerator<Buffer> {
  const element = elementAt(data, at);
  if ((element.tag & ~CONSTRUCTED) !== OCTETS || nesting > MAX_NESTING) throw new Damaged('no_octets');
  if ((element.tag & CONSTRUCTED) === 0) {
    const end = element.end ?? data.length;
    yield data.subarray(element.content, end);
    if (end > data.length) throw new Damaged('octets_break_off');
    return;
  }
  for (let next = element.content; !isEnd(data, element, next); next = after(data, next)) {
    yield* octetsAt(data, next, nesting + 1);
  }
}

/** The signed content (RFC 5652, 5.1 and 5.2). */
function signedContent(data: Buffer): AsyncGenerator<Buffer> {
  const inside = (at: number) => elementAt(data, at).content;
  // The type, then the signed data: version, algorithms, and the content with its type.
  const signed = inside(inside(after(data, inside(0))));
  const content = after(data, after(data, signed));
  return octetsAt(data, inside(after(data, inside(content))));
}

/** A file with its signature around it: an opaque signed message (RFC 8551), or a signed document (CAdES). */
export const signedFile: Extractor = {
  format: 'pkcs7',
  version: 1,
  kind: 'wrapper',
  claims: ({ bytes }) => isSigned(bytes),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const data = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
    const name = file.name.replace(/\.p7m$/i, '');
    const { bytes, shortfall } = await hold(signedContent(data), data.length);
    // A signed message may have no header but that of its content.
    await context.embedded({ name, mimeType: 'message/rfc822', bytes, shortfall }, text);
    return textOutcome('pkcs7', text, shortfall);
  },
};
