import { Damaged } from '../damage.ts';
import { decodeCodePage } from '../text/code-page.ts';
import type { MessageProperties } from './mapi-message.ts';
import { decodedText, plain } from './msg-properties.ts';

const UNICODE = 1200;
const NAMED = 0x8000;
const GUID_BYTES = 16;
const MULTIPLE = 0x1000;
/** Sizes of the types of one size, padded, and those of the others ([MS-OXCDATA] 2.11.1). */
const FIXED: ReadonlyMap<number, number> = new Map([
  ...([0x01, 0x02, 0x03, 0x04, 0x0a, 0x0b] as const).map((type) => [type, 4] as const),
  ...([0x05, 0x06, 0x07, 0x14, 0x40] as const).map((type) => [type, 8] as const),
  [0x48, GUID_BYTES],
]);
const TEXT = 0x1e;
const UNICODE_TEXT = 0x1f;
const OBJECT = 0x0d;
const VARIABLE = new Set([TEXT, UNICODE_TEXT, OBJECT, 0x102]);

type Value = { type: number; bytes: Buffer };

const padded = (bytes: number) => Math.ceil(bytes / 4) * 4;

/**
 * A list of properties in TNEF ([MS-OXTNEF] 2.1.3.4): the first value of each with text or bytes, and all texts of named
 * properties. Attributes of older programs stand for those that are not in the list.
 */
export class TnefProperties implements MessageProperties {
  readonly #values = new Map<number, Value>();
  readonly #attributes = new Map<number, Buffer>();
  readonly #named: Value[] = [];
  readonly #codePages: readonly number[];

  constructor(codePages: readonly number[]) {
    this.#codePages = codePages;
  }

  /** Adds the value of an attribute, of which text is in the code page of the message. */
  addAttribute(id: number, bytes: Buffer): void {
    this.#attributes.set(id, bytes);
  }

  /** Adds the list at an offset, as far as it can be read. Throws what `isDamage` knows. Returns where it ends. */
  read(data: Buffer, start: number): number {
    let at = start + 4;
    for (let left = data.readUInt32LE(start); left > 0; left--) {
      const type = data.readUInt16LE(at);
      const id = data.readUInt16LE(at + 2);
      at += 4;
      if (id >= NAMED) at = afterName(data, at + GUID_BYTES);
      const size = FIXED.get(type & ~MULTIPLE);
      if (size !== undefined) {
        at += (type & MULTIPLE) === 0 ? size : 4 + data.readUInt32LE(at) * size;
        continue;
      }
      if (!VARIABLE.has(type & ~MULTIPLE)) throw new Damaged('type_unknown');
      let values = data.readUInt32LE(at);
      at += 4;
      for (; values > 0; values--) {
        const length = data.readUInt32LE(at);
        const bytes = data.subarray(at + 4, at + 4 + length);
        const value = { type: type & ~MULTIPLE, bytes };
        if (id >= NAMED) this.#named.push(value);
        else if (!this.#values.has(id)) this.#values.set(id, value);
        at += 4 + padded(length);
      }
    }
    // The padding of the last value may be missing.
    if (at >= data.length + 4) throw new Damaged('value_breaks_off');
    return at;
  }

  text(id: number): string {
    const value = this.#value(id);
    return value === undefined || value.type === OBJECT ? '' : this.#decoded(value);
  }

  body(id: number): string {
    return this.text(id);
  }

  /** The bytes of a value. Of an object, those behind the id of its kind. */
  binary(id: number): Buffer | null {
    const value = this.#value(id);
    if (value === undefined) return null;
    return value.type === OBJECT ? value.bytes.subarray(GUID_BYTES) : value.bytes;
  }

  namedTexts(): string[] {
    return this.#named
      .filter(({ type }) => type === TEXT || type === UNICODE_TEXT)
      .map((value) => this.#decoded(value));
  }

  #value(id: number): Value | undefined {
    const attribute = this.#attributes.get(id);
    return this.#values.get(id) ?? (attribute && { type: TEXT, bytes: attribute });
  }

  #decoded({ type, bytes }: Value): string {
    return plain(
      type === UNICODE_TEXT ? decodeCodePage(bytes, UNICODE) : decodedText(bytes, this.#codePages),
    );
  }
}

/** A property that a program defined has a number or a text as its name. */
function afterName(data: Buffer, at: number): number {
  const isText = data.readUInt32LE(at) !== 0;
  return isText ? at + 8 + padded(data.readUInt32LE(at + 4)) : at + 8;
}
