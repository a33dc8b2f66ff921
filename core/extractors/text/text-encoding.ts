import { isUtf8 } from 'node:buffer';
import { type Guess, guessEncoding } from './guess-encoding.ts';

/** The sample that distinguishes text from binary and determines the encoding. */
const SAMPLE_BYTES = 65_536;

/** C0 controls that occur in texts: BEL to CR (tabs, line and page ends, backspaces), SUB as end of file, ESC. */
const isTextControl = (byte: number) => (byte >= 0x07 && byte <= 0x0d) || byte === 0x1a || byte === 0x1b;

/** With a larger share of other controls, it is not text. In random or compressed bytes they are about a tenth. */
const MAX_CONTROL_SHARE = 0.005;

/** Up to this share of invalid sequences among the non-ASCII ones, damaged UTF-8 is more likely than another encoding. */
const MAX_BROKEN_UTF8_SHARE = 0.1;

type WideEncoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

const startsWith = (bytes: Uint8Array, ...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);

export function byteOrderMark(bytes: Uint8Array): 'utf-8' | WideEncoding | null {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (startsWith(bytes, 0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (startsWith(bytes, 0, 0, 0xfe, 0xff)) return 'utf-32be';
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  return null;
}

/** UTF-16 without a byte-order mark: most characters are below 256, so nearly every other byte is zero. */
function unmarkedUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (sample.length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  if (even + odd === 0) return null;
  const half = sample.length / 2;
  if (odd > half * 0.4 && even < half * 0.02) return isText(sample, 'utf-16le') ? 'utf-16le' : null;
  if (even > half * 0.4 && odd < half * 0.02) return isText(sample, 'utf-16be') ? 'utf-16be' : null;
  return WIDE_SCRIPTS.find((encoding) => isWords(sample, encoding)) ?? null;
}

const isText = (sample: Uint8Array, encoding: string) =>
  controlShare(new TextDecoder(encoding).decode(sample)) <= MAX_CONTROL_SHARE;

const WIDE_SCRIPTS = ['utf-16le', 'utf-16be'] as const;
/** In random bytes, four of five characters would be letters of some script. This many are not a coincidence. */
const LEAST_WORD_CHARACTERS = 64;
const NO_WORD_SHARE = 0.01;

/**
 * Two ASCII letters form a Chinese character in UTF-16. A sample with more ASCII is an 8-bit text with a stray zero
 * byte.
 */
const MAX_ASCII_SHARE = 0.75;

/**
 * Other scripts than Latin have few zero bytes, from spaces and line ends. Their text must then consist only of
 * letters, digits, spaces and punctuation.
 */
function isWords(sample: Uint8Array, encoding: string): boolean {
  if (sample.length % 2 !== 0) return false;
  if (sample.length < LEAST_WORD_CHARACTERS * 2 && !isOfOneScript(sample, encoding)) return false;
  const ascii = sample.reduce((count, byte) => count + (byte >= 0x20 && byte < 0x7f ? 1 : 0), 0);
  if (ascii > sample.length * MAX_ASCII_SHARE) return false;
  const decoded = new TextDecoder(encoding).decode(sample);
  const others = decoded.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\r\n]/gu)?.length ?? 0;
  return others <= decoded.length * NO_WORD_SHARE;
}

/** Blocks of Unicode with an alphabet (Greek to Georgian). In an 8-bit text, the bytes of their numbers are controls. */
const isAlphabet = (block: number) => block >= 0x03 && block <= 0x10 && !isTextControl(block);
/** Latin characters with signs of general punctuation. */
const isCommonBlock = (block: number) => block === 0x00 || block === 0x20;
const LEAST_LETTERS = 4;

/** Whether the upper bytes of the characters name one alphabet, apart from Latin characters and punctuation. */
function isOfOneScript(sample: Uint8Array, encoding: string): boolean {
  const blocks = sample.filter((_, at) => at % 2 === (encoding === 'utf-16le' ? 1 : 0));
  const others = blocks.filter((block) => !isCommonBlock(block));
  const [first = 0] = others;
  return others.length >= LEAST_LETTERS && isAlphabet(first) && others.every((block) => block === first);
}

/** UTF-32 without a byte-order mark: no code point exceeds 10FFFF. */
function unmarkedUtf32(sample: Uint8Array): 'utf-32le' | 'utf-32be' | null {
  if (sample.length < 8 || sample.length % 4 !== 0) return null;
  let little = true;
  let big = true;
  for (let at = 0; at < sample.length && (little || big); at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = sample.subarray(at, at + 4);
    little &&= d === 0 && c <= 0x10 && a + b > 0;
    big &&= a === 0 && b <= 0x10 && c + d > 0;
  }
  if (little === big) return null;
  const encoding = little ? 'utf-32le' : 'utf-32be';
  return controlShare(decodeUtf32(sample, encoding)) > MAX_CONTROL_SHARE ? null : encoding;
}

/** The platform has no decoder for UTF-32. An incomplete last character is dropped. */
function decodeUtf32(bytes: Uint8Array, encoding: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'utf-32le');
    text += code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  }
  return text;
}

function controlShare(text: string): number {
  let controls = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && !isTextControl(code)) controls++;
  }
  return text.length === 0 ? 0 : controls / text.length;
}

function mostlyUtf8(sample: Uint8Array): boolean {
  const decoded = new TextDecoder('utf-8').decode(sample);
  let broken = 0;
  let foreign = 0;
  for (let at = 0; at < decoded.length; at++) {
    const code = decoded.charCodeAt(at);
    if (code === 0xfffd) broken++;
    else if (code > 0x7f) foreign++;
  }
  return foreign > 0 && broken <= foreign * MAX_BROKEN_UTF8_SHARE;
}

/** A tar archive consists of padded text, but it is one. */
const TAR = Buffer.from('ustar');
const TAR_AT = 257;
const LEAST_PADDED_BYTES = 16;
const PADDING_BYTES = 3;

/**
 * A text that is padded with zeros, or whose fields the codes after zero separate. Without them it must be UTF-8 without
 * other controls, which binary files are not.
 */
function isPadded(sample: Uint8Array): boolean {
  if (TAR.equals(sample.subarray(TAR_AT, TAR_AT + TAR.length))) return false;
  const rest = sample.filter((byte) => byte > PADDING_BYTES);
  if (rest.length < LEAST_PADDED_BYTES) return false;
  // The sample may end within a character.
  return isText(rest, 'utf-8') && !new TextDecoder('utf-8').decode(rest).slice(0, -1).includes('\ufffd');
}

/**
 * The encoding of a text, or null if the bytes are not text. Checks the byte-order mark, then the zero bytes of
 * UTF-32 and UTF-16, then UTF-8 with some damage, then language statistics.
 */
export const sniffEncoding = (bytes: Uint8Array): string | null => sniffGuess(bytes)?.encoding ?? null;

/** Cached, because every text format asks before it claims a file, and its reader asks again. */
const known = new WeakMap<Uint8Array, Guess | null>();

/** The same, with whether it is sure. */
export function sniffGuess(bytes: Uint8Array): Guess | null {
  let guess = known.get(bytes);
  if (guess === undefined) {
    guess = sniff(bytes);
    known.set(bytes, guess);
  }
  return guess;
}

const sure = (encoding: string): Guess => ({ encoding, isSure: true });

function sniff(bytes: Uint8Array): Guess | null {
  const marked = byteOrderMark(bytes);
  if (marked !== null) return sure(marked);
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = unmarkedUtf32(sample) ?? unmarkedUtf16(sample);
  if (wide !== null) return sure(wide);
  if (!isText(sample, 'windows-1252')) return isPadded(sample) ? sure('utf-8') : null;
  // ASCII is also UTF-8, unless escape sequences switch to another alphabet.
  if (
    !SHIFTED.some((shift) => Buffer.from(sample).includes(shift)) &&
    (isUtf8(bytes) || mostlyUtf8(sample))
  ) {
    return sure('utf-8');
  }
  return guessEncoding(sample);
}

/** The escape sequences with which ISO-2022-JP switches to Japanese. */
const SHIFTED = ['\x1b$B', '\x1b$@'];

const CHUNK_BYTES = 65_536;

/** Decodes in pieces, so that a reader can stop early. Invalid sequences become U+FFFD. */
export function* decodeChunks(bytes: Uint8Array, encoding: string): Generator<string> {
  if (encoding.startsWith('utf-32')) {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const piece = decodeUtf32(bytes.subarray(at, at + CHUNK_BYTES), encoding);
      yield at === 0 ? piece.replace(/^\ufeff/, '') : piece;
    }
    return;
  }
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true });
  }
  yield decoder.decode();
}

/** Decodes the first `count` bytes. */
export const decodeHead = (bytes: Uint8Array, encoding: string, count: number): string =>
  [...decodeChunks(bytes.subarray(0, count), encoding)].join('');
