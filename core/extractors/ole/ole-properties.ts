import type { BoundedText } from '../bounded-text.ts';
import { decodeCodePage } from '../text/code-page.ts';
import type { CompoundFile } from './compound-file.ts';

/** [MS-OLEPS] 2.15: types of values that are texts, numbers or dates. */
const VT = {
  i4: 0x03,
  r8: 0x05,
  bstr: 0x08,
  lpstr: 0x1e,
  lpwstr: 0x1f,
  filetime: 0x40,
  blob: 0x41,
} as const;

const DICTIONARY = 0;
const CODE_PAGE = 1;
const TITLE = 2;
const UNICODE = 1200;
const MAX_STREAM_BYTES = 1_000_000;
const MAX_PROPERTIES = 4_096;

const SUMMARY = '\x05SummaryInformation';
const DOCUMENT_SUMMARY = '\x05DocumentSummaryInformation';

/**
 * Properties that people enter. Built-in: title, subject, author, keywords, comments, last author, and dates of
 * printing, creation and saving. Of the document: category, manager, company, content type, status, language,
 * version. The other properties are counts, sizes and flags.
 */
const SUMMARY_IDS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 8, 11, 12, 13]);
const DOCUMENT_SUMMARY_IDS: ReadonlySet<number> = new Set([2, 14, 15, 26, 27, 28, 29]);

/** One property. `name` is set for custom properties. */
type OleProperty = { id: number; name: string | null; texts: string[] };

/** Appends the built-in and custom properties in the summary streams of an Office document, each on a line. */
export function writeProperties(file: CompoundFile, text: BoundedText): void {
  const [summary] = readPropertySets(file.stream(SUMMARY, MAX_STREAM_BYTES));
  const [documentSummary, custom] = readPropertySets(file.stream(DOCUMENT_SUMMARY, MAX_STREAM_BYTES));
  const write = ({ name, texts }: OleProperty) => {
    // Names such as `_PID_HLINKS` are internal.
    if (name !== null && !name.startsWith('_PID_')) text.besides(name);
    for (const value of texts) text.besides(value);
  };
  text.entitle(summary?.find(({ id }) => id === TITLE)?.texts[0] ?? '');
  for (const property of summary ?? []) if (SUMMARY_IDS.has(property.id)) write(property);
  for (const property of documentSummary ?? []) if (DOCUMENT_SUMMARY_IDS.has(property.id)) write(property);
  for (const property of custom ?? []) if (property.name !== null) write(property);
}

/**
 * Reads the property sets of a stream ([MS-OLEPS]) with their values as text. A broken set ends early. Null and other
 * streams have none.
 * Values can overlap in a hostile file, so all reading together is bounded by twice the length of the stream.
 */
function readPropertySets(bytes: Uint8Array | null): OleProperty[][] {
  if (bytes === null || bytes.length < 48) return [];
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.readUInt16LE(0) !== 0xfffe) return [];
  const reader = new ValueReader(data);
  const sets: OleProperty[][] = [];
  const count = Math.min(2, data.readUInt32LE(24));
  for (let index = 0; index < count && 28 + index * 20 + 20 <= data.length; index++) {
    sets.push(readSet(data, data.readUInt32LE(28 + index * 20 + 16), reader));
  }
  return sets;
}

function readSet(data: Buffer, start: number, reader: ValueReader): OleProperty[] {
  const places = new Map<number, number>();
  if (start + 8 > data.length) return [];
  const count = Math.min(MAX_PROPERTIES, data.readUInt32LE(start + 4));
  for (let at = start + 8; places.size < count && at + 8 <= data.length; at += 8) {
    const id = data.readUInt32LE(at);
    if (places.has(id)) break;
    places.set(id, start + data.readUInt32LE(at + 4));
  }
  const codePageAt = places.get(CODE_PAGE) ?? data.length;
  const codePage = codePageAt + 6 <= data.length ? data.readUInt16LE(codePageAt + 4) : 1252;
  const names = reader.dictionary(places.get(DICTIONARY) ?? data.length, codePage);
  const properties: OleProperty[] = [];
  for (const [id, at] of places) {
    if (id === DICTIONARY || id === CODE_PAGE) continue;
    properties.push({ id, name: names.get(id) ?? null, texts: reader.property(at, codePage) });
  }
  return properties;
}

/** Reads beyond the end or beyond the allowance return nothing. */
class ValueReader {
  readonly #data: Buffer;
  #at = 0;
  #codePage = UNICODE;
  #allowance: number;

  constructor(data: Buffer) {
    this.#data = data;
    this.#allowance = data.length * 2;
  }

  property(at: number, codePage: number): string[] {
    this.#at = at;
    this.#codePage = codePage;
    const type = this.#word();
    const texts = type === VT.blob ? this.#links() : [this.#scalar(type)];
    return texts.filter((text) => text !== '');
  }

  dictionary(at: number, codePage: number): Map<number, string> {
    this.#at = at;
    const names = new Map<number, string>();
    const count = Math.min(MAX_PROPERTIES, this.#word());
    for (let index = 0; index < count && this.#has(8); index++) {
      const id = this.#word();
      const length = this.#word();
      names.set(id, decoded(this.#take(codePage === UNICODE ? length * 2 : length), codePage));
      if (codePage === UNICODE) this.#align();
    }
    return names;
  }

  #scalar(type: number): string {
    switch (type) {
      case VT.lpstr:
      case VT.bstr: {
        const text = decoded(this.#take(this.#word()), this.#codePage);
        if (this.#codePage === UNICODE) this.#align();
        return text;
      }
      case VT.lpwstr: {
        const text = decoded(this.#take(this.#word() * 2), UNICODE);
        this.#align();
        return text;
      }
      case VT.i4:
        return String(this.#word() | 0);
      case VT.r8: {
        const bytes = this.#take(8);
        return bytes.length === 8 ? String(bytes.readDoubleLE(0)) : '';
      }
      case VT.filetime:
        return dateText(this.#take(8));
      default:
        // Flags, pictures and other values without text.
        this.#word();
        return '';
    }
  }

  /** The links of a document are a blob with a vector of values ([MS-OSHARED] 2.3.3.1.18). */
  #links(): string[] {
    const texts: string[] = [];
    this.#word();
    const count = this.#word();
    for (let index = 0; index < count && this.#has(8); index++) {
      const type = this.#word();
      const value = this.#scalar(type);
      if (type === VT.lpwstr) texts.push(value);
    }
    return texts;
  }

  #has(bytes: number): boolean {
    return this.#at + bytes <= this.#data.length && this.#allowance >= bytes;
  }

  #word(): number {
    const bytes = this.#take(4);
    return bytes.length === 4 ? bytes.readUInt32LE(0) : 0;
  }

  #take(size: number): Buffer {
    const taken = this.#has(size)
      ? this.#data.subarray(this.#at, this.#at + size)
      : this.#data.subarray(0, 0);
    this.#allowance -= taken.length;
    this.#at += size;
    return taken;
  }

  #align(): void {
    this.#at = Math.ceil(this.#at / 4) * 4;
  }
}

/** Ends at the first NUL, which in many files comes before the stated length. */
function decoded(bytes: Buffer, codePage: number): string {
  const text = decodeCodePage(bytes, codePage);
  const end = text.indexOf('\0');
  return (end < 0 ? text : text.slice(0, end)).trim();
}

/** Milliseconds from the start of 1601 to 1970. */
const EPOCH_MS = 11_644_473_600_000n;

function dateText(bytes: Buffer): string {
  if (bytes.length < 8) return '';
  const ms = Number(bytes.readBigUInt64LE(0) / 10_000n - EPOCH_MS);
  // A duration or an empty value would be a date before 1970.
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : '';
}
