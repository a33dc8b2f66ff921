/** How many bytes may be read, as a multiple of the file size. A file without overlapping parts needs less. */
const EFFORT = 8;
/** Allowance for small files. */
const FREE_EFFORT = 100_000;
/** The most faults after which reading continues. */
const MAX_BREAKS = 10_000;

/** A range of the file. */
export type Chunk = { at: number; size: number };

/** The bytes of a file, shared by its readers, with what may still be read and whether something was damaged. */
export class NoteFile {
  readonly data: Buffer;
  damaged = false;
  #effort: number;
  #breaks = 0;

  constructor(bytes: Uint8Array) {
    this.data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#effort = FREE_EFFORT + EFFORT * bytes.length;
  }

  /** Charges bytes to the allowance. Returns false when it is used up, which happens only with forged files. */
  spend(bytes: number): boolean {
    this.#effort -= bytes;
    if (this.#effort < 0) this.damaged = true;
    return this.#effort >= 0;
  }

  /** Records a fault. A file with too many faults is given up. */
  break(): void {
    this.damaged = true;
    this.#breaks++;
    if (this.#breaks > MAX_BREAKS) this.#effort = 0;
  }

  /** A range of the file, as far as it exists. */
  slice({ at, size }: Chunk): Buffer {
    if (at + size > this.data.length) this.damaged = true;
    return this.data.subarray(at, at + size);
  }
}

/** Resolves the references of a property set, by the index of the reference or its compact id. */
export type References = {
  object(place: number, compactId: number): string | null;
  space(place: number, compactId: number): string | null;
};

/** An object: a node of a page, an author, a style or a file. */
export type NoteObject = {
  jcid: number;
  /** An `ObjectSpaceObjectPropSet`, or empty. */
  properties: Buffer;
  references: References;
  /** The content of a file that is stored as an object. */
  file: Buffer | null;
};

/** The objects of a section or page in their current revision. */
export type ObjectSpace = {
  /** Where reading begins: the content first, then metadata. */
  roots: readonly string[];
  objects: ReadonlyMap<string, NoteObject>;
  isEncrypted: boolean;
};

/** What both file formats provide to the text reader. */
export type NoteStore = {
  /** The object space of the section. It leads to those of the pages. */
  root: string | null;
  space(id: string): ObjectSpace | null;
  /** All objects of the file in any revision, unordered, to recover a damaged file. */
  leftovers(): Iterable<NoteObject>;
};

/** Resolves no reference. */
export const NO_REFERENCES: References = { object: () => null, space: () => null };

/** Identifies an object, space or revision: a GUID and a number. */
export const extendedGuid = (guid: Buffer, number: number): string => `${guid.toString('latin1')}${number}`;

/** The id that refers to nothing. */
export const NIL_ID = extendedGuid(Buffer.alloc(16), 0);

/** Converts a textual GUID to its bytes in a file. */
export function guidBytes(letters: string): Buffer {
  const bytes = Buffer.from(letters.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) return Buffer.alloc(16);
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
