import type { BoundedText } from '../bounded-text.ts';
import { type ArtRecord, artRecord, writeShapeTexts } from './office-art.ts';

const TEXT_CHARACTERS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const STRING = 0x0fba;
const SHAPE = 0xf004;
const PLACEHOLDER = 0x0bc3;
/** The placeholder of a page header or footer, since PowerPoint 2007. */
const PAGE_PLACEHOLDER = 0x0420;
const OLE_STORAGE = 0x1011;
/** Additions of later versions: records in a block of bytes, after the name of the version. */
const TAG = 0x138a;
const TAG_DATA = 0x138b;
const OWN_TAG = '___PPT';

/**
 * Strings of a container with user text, by instance ([MS-PPT]): header, footer and date, link target, author and
 * text of a comment. Other strings name fonts, designs, programs and tags.
 */
const STRINGS: ReadonlyMap<number, readonly number[]> = new Map([
  [0x0fd9, [0, 1, 2]],
  [0x0fd7, [1]],
  [0x2ee0, [0, 1]],
]);

/**
 * Placeholders without user text: titles, bodies and notes of masters, which are prompts such as "Click to edit …",
 * and headers of printed pages, which are on no slide and are repeated in the notes.
 */
const PROMPTS: ReadonlySet<number> = new Set([1, 2, 3, 4, 6, 10]);

/** Stands for the number or date of a slide. */
const FIELD = '*';

const MAX_DEPTH = 64;
/** More than any bound on members allows. */
const MAX_OBJECTS = 100_000;

/** An embedded file in the stream. `isPacked` if its size precedes the deflated bytes. */
export type StoredObject = { start: number; end: number; isPacked: boolean };

/** Writes the texts of a presentation's records and collects its embedded files. */
export class PresentationText {
  readonly objects: StoredObject[] = [];
  /** Packages of shapes, for `writeDiagrams`. */
  readonly packages: Buffer[] = [];
  readonly #data: Buffer;
  readonly #text: BoundedText;
  readonly #written = new Set<string>();

  constructor(data: Buffer, text: BoundedText) {
    this.#data = data;
    this.#text = text;
  }

  /**
   * Reads one record and its children. Of a record left over from an earlier save, only text that occurs nowhere else
   * is written, and no embedded files are taken.
   */
  read(start: number, end: number, isLeftover: boolean): void {
    const containers: { type: number; end: number }[] = [];
    let isPrompt = false;
    let isOwnTag = false;
    for (let at = start; at < end && !this.#text.full; ) {
      let around = containers.at(-1);
      for (; around !== undefined && at >= around.end; around = containers.at(-1)) containers.pop();
      const record = artRecord(this.#data, at, around?.end ?? end);
      at = record?.end ?? around?.end ?? end;
      if (record === null) continue;
      const holdsRecords = record.isContainer || (record.type === TAG_DATA && isOwnTag);
      if (holdsRecords && containers.length < MAX_DEPTH) {
        if (record.type === SHAPE) isPrompt = false;
        containers.push(record);
        at = record.start;
      } else if (record.type === PLACEHOLDER && record.start + 5 <= record.end) {
        isPrompt = PROMPTS.has(this.#data.readUInt8(record.start + 4));
      } else if (record.type === PAGE_PLACEHOLDER && record.start < record.end) {
        isPrompt = PROMPTS.has(this.#data.readUInt8(record.start));
      } else if (record.type === STRING && around?.type === TAG) {
        isOwnTag = this.#data.toString('utf16le', record.start, record.end).startsWith(OWN_TAG);
      } else if (record.type === OLE_STORAGE) {
        if (!isLeftover && this.objects.length < MAX_OBJECTS)
          this.objects.push({ ...record, isPacked: record.instance === 1 });
      } else {
        const words = this.#words(record, around?.type);
        if (words !== null && !isPrompt) this.#write(words, isLeftover);
        writeShapeTexts(this.#data, record, this.#text, this.packages);
      }
    }
  }

  #words({ type, instance, start, end }: ArtRecord, container: number | undefined): string | null {
    if (type === TEXT_BYTES) return this.#data.toString('latin1', start, end);
    const isText =
      type === TEXT_CHARACTERS || (type === STRING && STRINGS.get(container ?? 0)?.includes(instance));
    return isText ? this.#data.toString('utf16le', start, end) : null;
  }

  #write(words: string, isLeftover: boolean): void {
    if (words === FIELD || (isLeftover && this.#written.has(words))) return;
    this.#written.add(words);
    this.#text.line(words.replaceAll(/[\r\v]/g, '\n'));
  }
}
