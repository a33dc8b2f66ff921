import { short, word } from './words.ts';

/** A property value: text, bytes, a flag, references to objects or spaces by name, or nested sets. */
type NoteValue =
  | string
  | Buffer
  | boolean
  | { object: string }
  | { objects: readonly string[] }
  | { spaces: readonly string[] }
  | { sets: readonly NoteSet[] };

/**
 * By the full property ids of [MS-ONE], which include the type of the value. Text with eight bits per character is a
 * buffer.
 */
export type NoteSet = Readonly<Record<number, NoteValue>>;

/** An object of a section: a node with properties, or a file. */
export type Note = { jcid: number; set?: NoteSet; file?: Uint8Array | string };

type NoteRevision = {
  notes: Readonly<Record<string, Note>>;
  /** Names of objects by root role. Role 1 is the content. */
  roots?: Readonly<Record<number, string>>;
  /** Whether it is in the context of an old version of a page. */
  isOldVersion?: boolean;
  /** Whether the program ended before it logged the transaction as complete. */
  isUnfinished?: boolean;
};

/** An object space: its revisions, each based on the previous one. */
export type NoteSpace = {
  revisions: readonly NoteRevision[];
  isEncrypted?: boolean;
  /** Another space whose revisions a forged package also assigns to this one. */
  historyOf?: string;
};

export type NoteSection = {
  /** The first one is the space of the section. */
  spaces: Readonly<Record<string, NoteSpace>>;
  isContents?: boolean;
};

export const JCID = {
  section: 0x00060007,
  series: 0x00060008,
  page: 0x0006000b,
  outline: 0x0006000c,
  element: 0x0006000d,
  text: 0x0006000e,
  picture: 0x00060011,
  table: 0x00060022,
  row: 0x00060023,
  cell: 0x00060024,
  title: 0x0006002c,
  file: 0x00060035,
  manifest: 0x00060037,
  pageData: 0x00020030,
  sectionData: 0x00020031,
  author: 0x00120001,
  contents: 0x00000001,
  storedFile: 0x00080036,
};

export const PROPERTY = {
  content: 0x24001c1f,
  children: 0x24001c20,
  structure: 0x24001d5f,
  pages: 0x2c001d63,
  text: 0x1c001c22,
  bytes: 0x1c003498,
  alternativeText: 0x1c001e58,
  fileName: 0x1c001d9c,
  file: 0x20001d9b,
  picture: 0x20001c3f,
  pictureName: 0x1c001dd7,
  author: 0x1c001d75,
  writtenBy: 0x20001d78,
  title: 0x1c001cf3,
  sectionName: 0x1c00349b,
  isTitleDate: 0x08001cb5,
  isBold: 0x08001c04,
  fontSize: 0x10001c0b,
  tags: 0x40003489,
  tag: 0x20003488,
  tagLabel: 0x1c003468,
  contentsChildren: 0x24001cf6,
  sectionFile: 0x1c001d6b,
};

/** The first bytes of a file, by kind. */
export const KIND = {
  section: 'e4525c7b8cd8a74daeb15378d02996d3',
  contents: 'a12fff43d9ef764c9ee210ea5722765f',
};
export const hex = (letters: string) => Buffer.from(letters, 'hex');
export const guid = (value: number) => Buffer.concat([word(value), Buffer.alloc(8), word(0x0e0e0e0e)]);

/** Numbers names in the order of their first use. */
export class Names {
  readonly #numbers = new Map<string, number>();

  number(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, number);
    return number;
  }
}

export const OBJECT_GUID = guid(1);
export const SPACE_GUID = guid(2);
export const REVISION_GUID = guid(3);

/** The references of an object's properties in order, and its encoded `ObjectSpaceObjectPropSet`. */
type Encoded = {
  objects: string[];
  spaces: string[];
  bytes(compact: (name: string, isSpace: boolean) => number): Buffer;
};

function encodeSet(set: NoteSet, objects: string[], spaces: string[]): Buffer {
  const ids: Buffer[] = [];
  const values: Buffer[] = [];
  for (const [key, value] of Object.entries(set)) {
    const id = Number(key);
    ids.push(word(value === true ? id | 0x80000000 : id));
    values.push(encodeValue(id, value, objects, spaces));
  }
  return Buffer.concat([short(ids.length), ...ids, ...values]);
}

function encodeValue(id: number, value: NoteValue, objects: string[], spaces: string[]): Buffer {
  if (typeof value === 'boolean') return Buffer.alloc(0);
  if (typeof value === 'string') return encodeValue(id, Buffer.from(value, 'utf16le'), objects, spaces);
  if (Buffer.isBuffer(value)) return id >>> 26 === 7 ? Buffer.concat([word(value.length), value]) : value;
  if ('object' in value) {
    objects.push(value.object);
    return Buffer.alloc(0);
  }
  if ('objects' in value) {
    objects.push(...value.objects);
    return word(value.objects.length);
  }
  if ('spaces' in value) {
    spaces.push(...value.spaces);
    return word(value.spaces.length);
  }
  const sets = value.sets.map((one) => encodeSet(one, objects, spaces));
  return Buffer.concat([word(sets.length), word(0x44000000), ...sets]);
}

export function encode(set: NoteSet): Encoded {
  const objects: string[] = [];
  const spaces: string[] = [];
  const body = encodeSet(set, objects, spaces);
  return {
    objects,
    spaces,
    bytes: (compact) =>
      Buffer.concat([
        word(objects.length | (spaces.length === 0 ? 0x80000000 : 0)),
        ...objects.map((name) => word(compact(name, false))),
        ...(spaces.length === 0
          ? []
          : [word(spaces.length), ...spaces.map((name) => word(compact(name, true)))]),
        body,
      ]),
  };
}
