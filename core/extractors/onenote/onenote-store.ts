/** What may be read of a file, in multiples of its size: more than any file needs whose parts do not overlap. */
const EFFORT = 8;
/** So that the smallest file is not the most restricted. */
const FREE_EFFORT = 100_000;
/** Broken places behind which reading goes on. */
const MAX_BREAKS = 10_000;

/** A part of the file. */
export type Chunk = { at: number; size: number };

/** The bytes of a file as its readers share them: what may still be read of it, and whether something in it was wrong. */
export class NoteFile {
  readonly data: Buffer;
  damaged = false;
  #effort: number;
  #breaks = 0;

  constructor(bytes: Uint8Array) {
    this.data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#effort = FREE_EFFORT + EFFORT * bytes.length;
  }

  /** Counts bytes that are read; false when there were too many, which only a forged file has. */
  spend(bytes: number): boolean {
    this.#effort -= bytes;
    if (this.#effort < 0) this.damaged = true;
    return this.#effort >= 0;
  }

  /** Notes that something was broken; a file of nothing else is soon given up. */
  break(): void {
    this.damaged = true;
    this.#breaks++;
    if (this.#breaks > MAX_BREAKS) this.#effort = 0;
  }

  /** A part of the file, or what there is of it. */
  slice({ at, size }: Chunk): Buffer {
    if (at + size > this.data.length) this.damaged = true;
    return this.data.subarray(at, at + size);
  }
}

/** Who is meant where a set of properties refers to others, by the place of the reference or by its short id. */
export type References = {
  object(place: number, compactId: number): string | null;
  space(place: number, compactId: number): string | null;
};

/** One object: a node of a page, an author, a style, a file. */
export type NoteObject = {
  jcid: number;
  /** An `ObjectSpaceObjectPropSet`; empty where there is none. */
  properties: Buffer;
  references: References;
  /** The bytes of a file that is kept as an object. */
  file: Buffer | null;
};

/** The objects of a section, or of a page in it, as its newest revision has them. */
export type ObjectSpace = {
  /** Where reading begins: the content first, then what is said of it. */
  roots: readonly string[];
  objects: ReadonlyMap<string, NoteObject>;
  isEncrypted: boolean;
};

/** What both kinds of file are to their reader. */
export type NoteStore = {
  /** The space of the section itself; it leads to those of the pages. */
  root: string | null;
  space(id: string): ObjectSpace | null;
  /** Every object that the file holds, of whatever revision, without order or place, to save a damaged file. */
  leftovers(): Iterable<NoteObject>;
};

/** References of an object that nobody can place. */
export const NO_REFERENCES: References = { object: () => null, space: () => null };

/** What in both kinds of file names an object, a space or a revision: a GUID and a number. */
export const extendedGuid = (guid: Buffer, number: number): string => `${guid.toString('latin1')}${number}`;

/** Names nothing. */
export const NIL_ID = extendedGuid(Buffer.alloc(16), 0);

/** The bytes of a GUID as a file has them, from its letters. */
export function guidBytes(letters: string): Buffer {
  const bytes = Buffer.from(letters.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) return Buffer.alloc(16);
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
