import { isUtf8 } from 'node:buffer';

/** Bytes looked at to tell text from binary and one encoding from another. */
const SAMPLE_BYTES = 65_536;

/** C0 controls that texts do hold: BEL to CR (tabs, line and page ends, backspaces), SUB as end of file, ESC. */
const isTextControl = (byte: number) => (byte >= 0x07 && byte <= 0x0d) || byte === 0x1a || byte === 0x1b;

/** More than this share of other controls is not text: in random or compressed bytes it is about a tenth. */
const MAX_CONTROL_SHARE = 0.005;

/** Up to this share of broken sequences among the non-ASCII ones, UTF-8 with damage is likelier than another set. */
const MAX_BROKEN_UTF8_SHARE = 0.1;

const startsWith = (bytes: Uint8Array, ...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte);

export function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return 'utf-8';
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  return null;
}

/** UTF-16 without a mark: most of its characters are below 256, so every other byte is nearly always zero. */
function unmarkedUtf16(sample: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (sample.length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] !== 0) continue;
    if (at % 2 === 0) even++;
    else odd++;
  }
  const half = sample.length / 2;
  const encoding = odd > half * 0.4 && even < half * 0.02 ? 'utf-16le' : 'utf-16be';
  if (encoding === 'utf-16be' && !(even > half * 0.4 && odd < half * 0.02)) return null;
  return controlShare(new TextDecoder(encoding).decode(sample)) > MAX_CONTROL_SHARE ? null : encoding;
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

/**
 * The encoding label of a text, or null when the bytes are not text: byte-order mark, then valid UTF-8, then
 * UTF-16 by its zero bytes, then UTF-8 with damage, then windows-1252, in which every byte has a meaning.
 */
export function sniffEncoding(bytes: Uint8Array): string | null {
  let encoding = sniffed.get(bytes);
  if (encoding === undefined) {
    encoding = sniff(bytes);
    sniffed.set(bytes, encoding);
  }
  return encoding;
}

/** Every text format asks before it claims a file, and its reader asks again. */
const sniffed = new WeakMap<Uint8Array, string | null>();

function sniff(bytes: Uint8Array): string | null {
  const marked = byteOrderMark(bytes);
  if (marked !== null) return marked;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const utf16 = unmarkedUtf16(sample);
  if (utf16 !== null) return utf16;
  if (controlShare(new TextDecoder('windows-1252').decode(sample)) > MAX_CONTROL_SHARE) return null;
  return isUtf8(bytes) || mostlyUtf8(sample) ? 'utf-8' : 'windows-1252';
}

/** True when a text decoder knows the label, whatever its case; labels come out of files. */
export function isKnownEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) !== null;
  } catch {
    return false;
  }
}

const CHUNK_BYTES = 65_536;

/** Decodes piece by piece, so that a reader that has enough may stop early. Broken sequences become U+FFFD. */
export function* decodeChunks(bytes: Uint8Array, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true });
  }
  yield decoder.decode();
}
