import type { BoundedText } from '../bounded-text.ts';
import { type IwaObject, messageOf } from './iwa.ts';
import { writeChart } from './iwork-chart.ts';
import { attempt, writeTable } from './iwork-table.ts';
import { bytesIn, fieldsOf, messageIn, numberIn, readVarint, textIn } from './protobuf.ts';

type Application = 'pages' | 'numbers' | 'keynote';

/** The id of the document object, in every application. */
const ROOT = 1;
/** Message types. Small numbers have a different meaning in each application. */
const PAGES_DOCUMENT = 10_000;
const SHEET = 2;
const FORM = 3;
const SLIDES = new Set([5, 6]);
const SLIDE_MASTER = 17;
/** Placeholders and notes. On a master slide they contain prompts. */
const PROMPTS = new Set([7, 12, 15]);
const AUTHOR = 212;
const STORAGES = new Set([2001, 2005]);
const LINKS = new Set([2032, 2039]);
const RUBY = 2042;
const COMMENT = 3056;
const CHARTS = new Set([5021, 5023, 5027]);
const TABLE = 6001;
const RICH_TEXT = 6218;

/**
 * Types without user text and without references to it: undo history, views, themes, styles, and the cells that
 * tables read themselves.
 */
const WORDLESS = new Set([
  ...[201, 202, 203, 204, 206, 208, 209, 210, 400, 401, 2002, 2021, 2022, 2023, 2024, 2025, 2026, 2050, 2060],
  ...[3015, 3016, 3045, 3046, 3047, 5020, 5022, 5024, 5025, 5026, 5028, 5030, 6002, 6003, 6004, 6006, 6008],
  ...[6009, 6010, 10_001, 10_012, 10_131, 10_132, 10_133, 10_147, 11_006, 12_009, 12_024, 12_026, 12_028],
]);
const WORDLESS_IN_KEYNOTE = new Set([3, 8, 9, 10, 11, 19, 20, 23, 24, 25]);

/** Fields that lead to the `TSD.DrawableArchive` of shapes, pictures, films, groups, tables, charts and captions. */
const DRAWABLES: ReadonlyMap<number, readonly number[]> = new Map(
  [[3002], [3004, 3005, 3007, 3008, 5021, 6000], [2011, 2240, 3009, 6007], [7, 12, 2014]].flatMap(
    (types, depth) => types.map((type) => [type, Array<number>(depth).fill(1)] as const),
  ),
);
/** Fields of a drawable: its link target and its description. */
const DRAWABLE_TEXTS = [4, 8];

/** The maximum depth of a reference within a message. */
const MAX_DEPTH = 8;
/** The keys of integer fields 1, 2 and 3. */
const REFERENCE_KEYS = [0x08, 0x10, 0x18];
const LONGEST_REFERENCE = 24;

/**
 * Writes the text of a document by following the references between its objects from the root, in their order.
 * Returns whether all of it could be read.
 * @param lost whether objects are missing. If so, objects that no reference reaches are read too.
 */
export function writeIwaText(
  objects: ReadonlyMap<number, IwaObject>,
  text: BoundedText,
  lost: boolean,
): boolean {
  const walk = new Walk(objects, text);
  walk.from(ROOT);
  if (lost || !objects.has(ROOT)) for (const id of objects.keys()) walk.from(id);
  return walk.whole;
}

class Walk {
  readonly #objects: ReadonlyMap<number, IwaObject>;
  readonly #text: BoundedText;
  readonly #application: Application;
  readonly #seen = new Set<number>();
  /** Tiles and lists of tables that have been read. */
  readonly #taken = new Set<number>();
  /** Texts in cells, by object id, because many cells can show one text. */
  readonly #rich = new Map<number, string>();
  /** A stack of object ids. The last one is next. */
  readonly #waiting: number[] = [];
  whole = true;

  constructor(objects: ReadonlyMap<number, IwaObject>, text: BoundedText) {
    this.#objects = objects;
    this.#text = text;
    this.#application = applicationOf(objects);
  }

  from(id: number): void {
    this.#waiting.push(id);
    for (let next = this.#waiting.pop(); next !== undefined && !this.#text.full; next = this.#waiting.pop()) {
      const object = this.#objects.get(next);
      if (object === undefined || this.#seen.has(next)) continue;
      this.#seen.add(next);
      if (!this.#isWordless(object.type)) this.#read(object);
    }
  }

  #isWordless(type: number): boolean {
    return WORDLESS.has(type) || (this.#application === 'keynote' && WORDLESS_IN_KEYNOTE.has(type));
  }

  #read(object: IwaObject): void {
    const message = messageOf(object);
    const read = attempt(() => this.#write(object.type, message));
    this.whole &&= read;
    const found = new Set<number>();
    const isMaster = this.#isMaster(object.type, message);
    collectReferences(message, 0, (id) => {
      const target = this.#objects.get(id);
      const isRead = target === undefined || this.#seen.has(id) || (isMaster && PROMPTS.has(target.type));
      if (!isRead) found.add(id);
    });
    for (const id of [...found].reverse()) this.#waiting.push(id);
  }

  /** Slides reference a master, and masters do not. */
  #isMaster(type: number, message: Buffer): boolean {
    return this.#application === 'keynote' && SLIDES.has(type) && messageIn(message, SLIDE_MASTER) === null;
  }

  #write(type: number, message: Buffer): void {
    const text = this.#text;
    this.#writeDrawable(type, message);
    if (STORAGES.has(type)) text.line(storageText(message));
    else if (type === TABLE) this.#writeTable(message);
    else if (CHARTS.has(type)) writeChart(type, message, text);
    else if (LINKS.has(type) || type === RUBY) text.line(textIn(message, 2));
    else if (type === COMMENT || type === AUTHOR) text.line(textIn(message, 1));
    else if (this.#application === 'numbers' && type === SHEET) text.line(textIn(message, 1));
    else if (this.#application === 'numbers' && type === FORM) {
      text.line(textIn(messageIn(message, 1) ?? message, 1));
    }
  }

  #writeDrawable(type: number, message: Buffer): void {
    const path = DRAWABLES.get(type);
    const drawable = path === undefined ? null : messageIn(message, ...path);
    if (drawable === null) return;
    for (const field of DRAWABLE_TEXTS) this.#text.line(textIn(drawable, field));
  }

  #writeTable(message: Buffer): void {
    const whole = writeTable(message, this.#text, {
      take: (id) => this.#take(id),
      writeRich: (id) => this.#writeRich(id),
    });
    this.whole &&= whole;
  }

  #take(id: number): IwaObject | undefined {
    if (this.#taken.has(id)) return undefined;
    this.#taken.add(id);
    return this.#objects.get(id);
  }

  #writeRich(id: number): void {
    const words = this.#rich.get(id) ?? this.#richText(id);
    this.#rich.set(id, words);
    this.#text.write(words);
  }

  /** The text in a cell, unless it was read elsewhere. Its links are read when the walk reaches them. */
  #richText(id: number): string {
    const payload = this.#objects.get(id);
    if (payload?.type !== RICH_TEXT) return '';
    const reference = messageIn(messageOf(payload), 1);
    const storageId = reference === null ? 0 : (numberIn(reference, 1) ?? 0);
    const storage = this.#objects.get(storageId);
    if (storage === undefined || this.#seen.has(storageId)) return '';
    this.#seen.add(storageId);
    collectReferences(messageOf(storage), 0, (found) => {
      if (this.#objects.has(found) && !this.#seen.has(found)) this.#waiting.push(found);
    });
    return storageText(messageOf(storage)).replaceAll('\n', ' ');
  }
}

/** Determined by the root object. That of Numbers begins with its sheets. */
function applicationOf(objects: ReadonlyMap<number, IwaObject>): Application {
  const root = objects.get(ROOT);
  if (root === undefined || root.type === PAGES_DOCUMENT) return 'pages';
  const first = messageIn(messageOf(root), 1, 1) === null ? messageIn(messageOf(root), 1) : null;
  const sheet = first === null ? undefined : objects.get(referenceOf(first) ?? 0);
  return sheet?.type === SHEET || sheet?.type === FORM ? 'numbers' : 'keynote';
}

/** A field of `TSWP.StorageArchive`. */
const STORAGE_TEXT = 3;
/** Line, column, page and section breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the structure of this format.
const BREAKS = /[\x04-\x06\x0b\x0c\r\u2028\u2029]/g;
/** Anchors of drawings, footnotes and fields. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the structure of this format.
const MARKS = /[\x00-\x03\x07\x08\x0e-\x1f\ufffc]/g;

function storageText(message: Buffer): string {
  const parts: string[] = [];
  attempt(() => {
    for (const part of bytesIn(message, STORAGE_TEXT)) parts.push(part.toString('utf8'));
  });
  return parts.join('').replace(BREAKS, '\n').replace(MARKS, '').trim();
}

/** Calls back with the id of every reference, at any depth, in order. Bytes that are not a message have none. */
function collectReferences(message: Buffer, depth: number, see: (id: number) => void): void {
  attempt(() => {
    for (const { value } of fieldsOf(message)) {
      if (typeof value === 'number') continue;
      const id = referenceOf(value);
      if (id !== null) see(id);
      else if (depth < MAX_DEPTH && value.length > 1) collectReferences(value, depth + 1, see);
    }
  });
}

/** A `TSP.Reference` consists of a number and up to two obsolete flags. */
function referenceOf(bytes: Buffer): number | null {
  if (bytes[0] !== REFERENCE_KEYS[0] || bytes.length > LONGEST_REFERENCE) return null;
  let id: number | null = null;
  let at = 0;
  for (const key of REFERENCE_KEYS) {
    if (bytes[at] !== key) continue;
    const { value, end } = readVarint(bytes, at + 1);
    id ??= value;
    at = end;
  }
  return at === bytes.length ? id : null;
}
