import { isAscii, isUtf8 } from 'node:buffer';
import type { CompoundFile } from '../ole/compound-file.ts';
import { codePageOfLanguage, decodeCodePage } from '../text/code-page.ts';

/** The stream of values of at most eight bytes. Each longer value has its own stream. */
export const PROPERTIES = '__properties_version1.0';
const VALUE = '__substg1.0_';

const TYPE = { integer: 0x0003, text: '001E', unicode: '001F', binary: '0102', object: '000D' };
const ENTRY_BYTES = 16;
const MAX_PROPERTIES_BYTES = 1_000_000;
const UNICODE = 1200;
const UTF_8 = 65001;
const WESTERN = 1252;

const NAMED_TEXT = /^__substg1\.0_([89a-f][0-9a-f]{3})(001E|001F|101F(?=-))/i;
const MAX_TEXT_BYTES = 65_536;
const WHOLE = Number.POSITIVE_INFINITY;

const MESSAGE_CODE_PAGE = 0x3ffd;
const INTERNET_CODE_PAGE = 0x3fde;
const MESSAGE_LOCALE = 0x3ff1;

const hex = (id: number) => id.toString(16).toUpperCase().padStart(4, '0');

/** The properties of a message, a recipient or an attachment ([MS-OXMSG] 2.4). */
export class MsgProperties {
  readonly #file: CompoundFile;
  /** The path of the storage with a trailing `/`, or empty for the message itself. */
  readonly #storage: string;
  /** Code pages of texts that are not Unicode, the most likely first. */
  readonly #codePages: readonly number[];
  /** The same for the body, which keeps its code page in transit. */
  readonly #bodyCodePages: readonly number[];

  /** @param message the message of a recipient or an attachment, whose code pages it shares */
  constructor(file: CompoundFile, storage: string, message: MsgProperties | null) {
    this.#file = file;
    this.#storage = storage;
    if (message !== null) {
      this.#codePages = message.#codePages;
      this.#bodyCodePages = message.#bodyCodePages;
      return;
    }
    const integers = readIntegers(file.stream(storage + PROPERTIES, MAX_PROPERTIES_BYTES));
    const locale = integers.get(MESSAGE_LOCALE);
    const own = [integers.get(MESSAGE_CODE_PAGE), locale && codePageOfLanguage(locale)];
    const internet = integers.get(INTERNET_CODE_PAGE);
    this.#codePages = known([...own, internet]);
    this.#bodyCodePages = known([internet, ...own]);
  }

  /** A text property, or an empty string. Bounded to the length of a name, a subject or a list of recipients. */
  text(id: number, maxBytes = MAX_TEXT_BYTES): string {
    const unicode = this.#value(id, TYPE.unicode, maxBytes);
    if (unicode !== null) return plain(decodeCodePage(unicode, UNICODE));
    const bytes = this.#value(id, TYPE.text, maxBytes);
    return bytes === null ? '' : plain(decodedText(bytes, this.#codePages));
  }

  /** A body, which can also be stored as bytes. */
  body(id: number): string {
    const bytes = this.#value(id, TYPE.text, WHOLE) ?? this.binary(id);
    return bytes === null ? this.text(id, WHOLE) : plain(decodedText(bytes, this.#bodyCodePages));
  }

  /** Texts of named properties, with one or several values ([MS-OXPROPS] 1.3.2). */
  namedTexts(): string[] {
    return this.#file.entries().flatMap(({ path, name, kind }) => {
      if (kind !== 'stream' || path !== this.#storage + name) return [];
      const [, id = '', type = ''] = NAMED_TEXT.exec(name) ?? [];
      const bytes = id === '' ? null : this.#file.stream(path, MAX_TEXT_BYTES);
      if (bytes === null) return [];
      return [
        plain(type === TYPE.text ? decodedText(bytes, this.#codePages) : decodeCodePage(bytes, UNICODE)),
      ];
    });
  }

  binary(id: number): Uint8Array | null {
    return this.#value(id, TYPE.binary, WHOLE);
  }

  /** The path of the storage of an embedded message or object. */
  object(id: number): string | null {
    const path = this.#path(id, TYPE.object);
    return this.#file.has(path) ? path : null;
  }

  #value(id: number, type: string, maxBytes: number): Uint8Array | null {
    return this.#file.stream(this.#path(id, type), maxBytes);
  }

  #path(id: number, type: string): string {
    return `${this.#storage}${VALUE}${hex(id)}${type}`;
  }
}

const known = (codePages: readonly (number | undefined)[]): number[] =>
  codePages.flatMap((codePage) => (codePage === undefined || codePage === UNICODE ? [] : [codePage]));

/** Tries UTF-8 first, because programs often name another code page than they write. */
export function decodedText(bytes: Uint8Array, codePages: readonly number[]): string {
  if (!isAscii(bytes) && isUtf8(bytes)) return decodeCodePage(bytes, UTF_8);
  return decodeCodePage(bytes, codePages.find((codePage) => codePage !== UTF_8) ?? WESTERN);
}

function readIntegers(bytes: Uint8Array | null): ReadonlyMap<number, number> {
  const integers = new Map<number, number>();
  if (bytes === null) return integers;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A header of 8, 24 or 32 bytes precedes the entries. Reading it as an entry does no harm.
  for (let at = data.length % ENTRY_BYTES; at + ENTRY_BYTES <= data.length; at += ENTRY_BYTES) {
    if (data.readUInt16LE(at) === TYPE.integer)
      integers.set(data.readUInt16LE(at + 2), data.readInt32LE(at + 8));
  }
  return integers;
}

export const plain = (text: string) => text.replaceAll('\0', '').trim();
