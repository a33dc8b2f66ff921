import type { BoundedText } from '../bounded-text.ts';
import { decodeCodePage } from '../text/code-page.ts';
import { type NoteProperties, readNoteProperties } from './onenote-properties.ts';
import type { NoteFile, NoteObject, NoteStore, ObjectSpace } from './onenote-store.ts';

/** [MS-ONE], "Properties": properties with user text, and properties that lead to further objects. */
const PROPERTY = {
  words: 0x1c22,
  wordsInBytes: 0x3498,
  alternativeText: 0x1e58,
  sectionInNotebook: 0x1d6b,
  fileName: 0x1d9c,
  pictureName: 0x1dd7,
  file: 0x1d9b,
  picture: 0x1c3f,
  isTitleTime: 0x1c87,
  isTitleDate: 0x1cb5,
};
/** Metadata of a page that mostly repeats its text: title, people, links, labels of tags, name of the section. */
const SAID = new Set([0x1cf3, 0x1d75, 0x1d9e, 0x1e20, 0x3468, 0x349b, 0x1d69]);
/** The order of children: the title of a page, the content of an element, the elements below it. */
const ORDER = [0x1d5f, 0x1c1f, 0x1c20];

/** Types of objects, without the bits for their storage. */
const ROW = 0x23;
const CELL = 0x24;

const WESTERN = 1252;
/** Deeper than manual nesting: an outline level takes one, and a table in a table five. */
const MAX_DEPTH = 300;

/** A link within text. Its hidden target precedes the label. */
const LINK = /\uFDDFHYPERLINK "([^"]*)"/g;
/** Placeholders of formulas and objects in text. */
const SIGNS = /[\uFDD0-\uFDEF\uFFFC]/g;

/** An attached file or a picture. */
export type NoteAttachment = { name: string; bytes: Buffer };

/** Writes a section page by page, in its current revision, from the title of each page to its last outline. */
export class NoteText {
  /** Whether a part of the section is encrypted with a password. */
  isEncrypted = false;
  /** Whether something was nested too deep. */
  isCut = false;
  readonly #file: NoteFile;
  readonly #store: NoteStore;
  readonly #text: BoundedText;
  readonly #written = new Set<string>();
  readonly #said = new Set<string>();
  readonly #taken = new Set<number>();
  #attachments: NoteAttachment[] = [];

  constructor(file: NoteFile, store: NoteStore, text: BoundedText) {
    this.#file = file;
    this.#store = store;
    this.#text = text;
  }

  /** Writes the pages, and yields the files of each page after its text. */
  *pages(): Generator<NoteAttachment> {
    const spaces = new Set(this.#store.root === null ? [] : [this.#store.root]);
    if (spaces.size === 0) this.#file.damaged = true;
    for (const id of spaces) {
      const space = this.#store.space(id);
      if (space === null || (space.roots.length === 0 && !space.isEncrypted)) this.#file.damaged = true;
      if (space?.isEncrypted) this.isEncrypted = true;
      else if (space !== null) {
        const seen = new Set<string>();
        for (const root of space.roots) {
          if (!space.objects.has(root)) this.#file.damaged = true;
          this.#walk({ space, seen, spaces }, root, 0);
        }
      }
      const found = this.#attachments;
      this.#attachments = [];
      yield* found;
    }
  }

  /** Writes the objects of a damaged file that no page leads to. Some of them may have been deleted. */
  *leftovers(): Generator<NoteAttachment> {
    if (this.isEncrypted) return;
    for (const object of this.#store.leftovers()) {
      if (this.#text.full) return;
      const properties = readNoteProperties(this.#file, object);
      if (!isTitleTime(properties)) {
        this.#write(properties, true);
        this.#line(nameIn(properties, PROPERTY.fileName), true);
      }
      if (object.file !== null && !this.#taken.has(object.file.byteOffset)) {
        this.#taken.add(object.file.byteOffset);
        yield { name: '', bytes: object.file };
      }
    }
  }

  /** Writes the metadata of the pages. */
  finish(): void {
    for (const words of this.#said) if (!this.#written.has(words)) this.#text.line(words);
  }

  #walk(around: Surroundings, id: string, depth: number): void {
    const object = around.space.objects.get(id);
    if (object === undefined || around.seen.has(id) || this.#text.full) return;
    if (depth > MAX_DEPTH) {
      this.isCut = true;
      return;
    }
    around.seen.add(id);
    const properties = readNoteProperties(this.#file, object);
    if (isTitleTime(properties)) return;
    for (const space of properties.spaces) around.spaces.add(space);
    this.#write(properties, false);
    this.#attachFiles(around, properties);
    for (const { id: property, targets } of inOrder(properties)) {
      for (const target of targets) {
        // Missing page content means damage. A missing author can be legitimate.
        if (ORDER.includes(property) && !around.space.objects.has(target)) this.#file.damaged = true;
        this.#walk(around, target, depth + 1);
      }
    }
    this.#end(object);
  }

  #end({ jcid }: NoteObject): void {
    const kind = jcid & 0xffff;
    if (kind === CELL) this.#text.separate('\t');
    else if (kind === ROW) this.#text.separate('\n');
  }

  #write({ values }: NoteProperties, isLeftover: boolean): void {
    const isFile = values.some(({ id }) => id === PROPERTY.fileName);
    for (const { id, bytes } of values) {
      if (SAID.has(id)) this.#say(wordsOf(bytes));
      else if (id === PROPERTY.words && !isFile) this.#line(wordsOf(bytes), isLeftover);
      else if (id === PROPERTY.wordsInBytes) this.#line(decodeCodePage(bytes, WESTERN), isLeftover);
      else if (id === PROPERTY.alternativeText || id === PROPERTY.sectionInNotebook) {
        this.#line(wordsOf(bytes), isLeftover);
      }
    }
  }

  #line(stored: string, isLeftover: boolean): void {
    const words = stored
      .replace(LINK, (_link, address: string) => {
        this.#written.add(address);
        return `${address} `;
      })
      .replace(SIGNS, '')
      .replaceAll('\0', '')
      .replaceAll(/[\r\v]/g, '\n');
    const key = words.trim();
    if (key === '' || (isLeftover && this.#written.has(key))) return;
    this.#written.add(key);
    this.#text.separateWeakly('\n');
    this.#text.write(words);
    this.#text.separate('\n');
  }

  #say(stored: string): void {
    const words = stored.replaceAll('\0', '').trim();
    if (words !== '') this.#said.add(words);
  }

  /** Attaches files with their names. Skips the picture that is the icon of a file. */
  #attachFiles({ space, seen }: Surroundings, properties: NoteProperties): void {
    const { objects } = properties;
    const isFile = objects.some(({ id }) => id === PROPERTY.file);
    const name = nameIn(properties, isFile ? PROPERTY.fileName : PROPERTY.pictureName);
    if (!isFile) this.#line(nameIn(properties, PROPERTY.fileName), false);
    for (const { id, targets } of objects) {
      for (const target of targets) {
        const kept = space.objects.get(target);
        if (kept === undefined || seen.has(target)) continue;
        if (isFile && id === PROPERTY.picture) {
          seen.add(target);
        } else if (kept.file !== null) {
          seen.add(target);
          this.#taken.add(kept.file.byteOffset);
          this.#written.add(name.trim());
          this.#attachments.push({ name, bytes: kept.file });
        } else if (id === PROPERTY.file) {
          this.#line(name, false);
        }
      }
    }
  }
}

/** The state of a walk: the object space and the objects visited in it. `spaces` are read one after another. */
type Surroundings = { space: ObjectSpace; seen: Set<string>; spaces: Set<string> };

const wordsOf = (bytes: Buffer) => bytes.toString('utf16le');

const nameIn = ({ values }: NoteProperties, property: number) =>
  wordsOf(values.find(({ id }) => id === property)?.bytes ?? Buffer.alloc(0)).replaceAll('\0', '');

/** Whether it is the generated date or time below the title of a new page. */
const isTitleTime = ({ flags }: NoteProperties) =>
  flags.has(PROPERTY.isTitleDate) || flags.has(PROPERTY.isTitleTime);

function inOrder({ objects }: NoteProperties): NoteProperties['objects'] {
  const rank = (id: number) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
  return objects.toSorted((a, b) => rank(a.id) - rank(b.id));
}
