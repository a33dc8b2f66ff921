import { Damaged, isDamage } from '../damage.ts';
import { NIL_ID, type NoteFile, type NoteObject } from './onenote-store.ts';

/** The properties of one object, in order. The lower 26 bits of an id identify a property. */
export type NoteProperties = {
  values: { id: number; bytes: Buffer }[];
  /** Ids of Boolean properties that are true. */
  flags: Set<number>;
  /** The objects to which each property refers. An unknown target is an empty string. */
  objects: { id: number; targets: string[] }[];
  spaces: string[];
};

const MAX_DEPTH = 16;

/** [MS-ONESTORE], "PropertyID": the types of values. */
const TYPE = {
  bool: 2,
  data: 7,
  object: 8,
  objects: 9,
  space: 10,
  spaces: 11,
  context: 12,
  contexts: 13,
  sets: 16,
  set: 17,
};
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 0],
  [TYPE.bool, 0],
  [3, 1],
  [4, 2],
  [5, 4],
  [6, 8],
]);

/** Reads the properties of an object, including nested sets. Of a broken object, those before the fault. */
export function readNoteProperties(file: NoteFile, object: NoteObject): NoteProperties {
  const found: NoteProperties = { values: [], flags: new Set(), objects: [], spaces: [] };
  if (object.properties.length === 0 || !file.spend(object.properties.length)) return found;
  try {
    new PropertySetReader(object, found).read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    // A length that exceeds the object.
    file.break();
  }
  return found;
}

/** The compact ids at the start of an object, to which its properties refer by order. */
class ReferenceStream {
  next = 0;
  readonly #ids: Buffer;
  readonly #resolve: (place: number, compactId: number) => string | null;

  constructor(ids: Buffer, resolve: (place: number, compactId: number) => string | null) {
    this.#ids = ids;
    this.#resolve = resolve;
  }

  take(count: number): string[] {
    if (count > this.#ids.length / 4 - this.next) throw new Damaged('onenote_properties');
    const taken: string[] = [];
    for (const end = this.next + count; this.next < end; this.next++) {
      const id = this.#resolve(this.next, this.#ids.readUInt32LE(this.next * 4));
      if (id !== NIL_ID) taken.push(id ?? '');
    }
    return taken;
  }
}

class PropertySetReader {
  readonly #data: Buffer;
  readonly #object: NoteObject;
  readonly #found: NoteProperties;
  #at = 0;

  constructor(object: NoteObject, found: NoteProperties) {
    this.#data = object.properties;
    this.#object = object;
    this.#found = found;
  }

  read(): void {
    const { references } = this.#object;
    const head = this.#data.readUInt32LE(0);
    const objects = this.#stream((place, id) => references.object(place, id));
    const second = head >>> 31 === 0 ? this.#data.readUInt32LE(this.#at) : 0;
    const spaces =
      head >>> 31 === 0
        ? this.#stream((place, id) => references.space(place, id))
        : new ReferenceStream(Buffer.alloc(0), () => null);
    // Context ids refer to older versions of a page.
    if ((second & 0x4000_0000) !== 0) this.#stream(() => null);
    this.#set(objects, spaces, 0);
  }

  #stream(resolve: (place: number, compactId: number) => string | null): ReferenceStream {
    const count = this.#data.readUInt32LE(this.#at) & 0xff_ffff;
    return new ReferenceStream(this.#bytes(this.#at + 4, count * 4), resolve);
  }

  #bytes(at: number, size: number): Buffer {
    if (at + size > this.#data.length) throw new Damaged('onenote_properties');
    this.#at = at + size;
    return this.#data.subarray(at, at + size);
  }

  #number(): number {
    return this.#bytes(this.#at, 4).readUInt32LE(0);
  }

  #set(objects: ReferenceStream, spaces: ReferenceStream, depth: number): void {
    if (depth > MAX_DEPTH) throw new Damaged('onenote_properties');
    const ids = this.#bytes(this.#at + 2, this.#data.readUInt16LE(this.#at) * 4);
    for (let at = 0; at < ids.length; at += 4) {
      const head = ids.readUInt32LE(at);
      this.#property(head & 0x3ff_ffff, (head >>> 26) & 0x1f, head >>> 31 === 1, objects, spaces, depth);
    }
  }

  #property(
    id: number,
    type: number,
    isTrue: boolean,
    objects: ReferenceStream,
    spaces: ReferenceStream,
    depth: number,
  ): void {
    const fixed = FIXED_BYTES.get(type);
    if (fixed !== undefined) {
      this.#bytes(this.#at, fixed);
      if (type === TYPE.bool && isTrue) this.#found.flags.add(id);
    } else if (type === TYPE.data) {
      const size = this.#number();
      this.#found.values.push({ id, bytes: this.#bytes(this.#at, size) });
    } else if (type === TYPE.object || type === TYPE.objects) {
      const targets = objects.take(type === TYPE.object ? 1 : this.#number());
      this.#found.objects.push({ id, targets });
    } else if (type === TYPE.space || type === TYPE.spaces) {
      for (const target of spaces.take(type === TYPE.space ? 1 : this.#number())) {
        this.#found.spaces.push(target);
      }
    } else if (type === TYPE.contexts) {
      this.#number();
    } else if (type === TYPE.set) {
      this.#set(objects, spaces, depth + 1);
    } else if (type === TYPE.sets) {
      const count = this.#number();
      // The property id of the array elements, which are sets.
      if (count > 0) this.#number();
      for (let at = 0; at < count; at++) this.#set(objects, spaces, depth + 1);
    } else if (type !== TYPE.context) {
      throw new Damaged('onenote_properties');
    }
  }
}
