import { isDamage } from '../damage.ts';
import {
  extendedGuid,
  guidBytes,
  NIL_ID,
  NO_REFERENCES,
  type NoteFile,
  type NoteObject,
  type NoteStore,
  type ObjectSpace,
  type References,
} from './onenote-store.ts';
import { type StreamObject, StreamReader, streamObjects } from './onenote-stream.ts';

/** [MS-FSSHTTPB], "Stream Object Header": the stream objects that lead to text. */
const PIECE = {
  element: 0x01,
  blob: 0x02,
  blobDeclaration: 0x05,
  storageRoot: 0x07,
  revisionRoot: 0x0a,
  currentRevision: 0x0b,
  cellMapping: 0x0e,
  objectData: 0x16,
  objectDeclaration: 0x18,
  groupReference: 0x19,
  revision: 0x1a,
  blobReference: 0x1c,
};

/** The cost of a revision and of a part of an object, in bytes, because cells of a forged file can share them. */
const REVISION_EFFORT = 64;
const PART_EFFORT = 16;

/** The offset of the stream objects, after the file header. */
const STREAM_AT = 68;

const SECTION_ROOT = extendedGuid(guidBytes('84DEFAB9-AAA3-4A0D-A3A8-520C77AC7073'), 2);
const REVISION_ROOT = guidBytes('4A3717F8-1C14-49E7-9526-81D942DE1741');
const MAX_ROLE = 4;
/** The root role of the key of an encrypted section. */
const KEY = 3;
const ROLES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: MAX_ROLE }, (_, at) => [extendedGuid(REVISION_ROOT, at + 1), at + 1]),
);

/** The parts of an object: its type, its properties, its file. */
const PART = { kind: 4, properties: 1, file: 2 };

type Revision = { base: string; roots: [role: number, object: string][]; groups: string[] };
type Declaration = { object: string; part: number };
type Part = { references: References; bytes: Buffer; blob: string | null };
type Group = { declarations: Declaration[]; parts: Part[] };

/** Sections in the package format, which the cloud exports: elements that refer to each other. */
export class PackageStore implements NoteStore {
  root: string | null = null;
  readonly #file: NoteFile;
  /** The manifest of each cell, and the current revision of each manifest. */
  readonly #cells = new Map<string, string>();
  readonly #current = new Map<string, string>();
  readonly #revisions = new Map<string, Revision>();
  readonly #groups = new Map<string, Group>();
  readonly #blobs = new Map<string, Buffer>();

  constructor(file: NoteFile) {
    this.#file = file;
    let element = '';
    let revision: Revision = { base: NIL_ID, roots: [], groups: [] };
    for (const piece of streamObjects(file, STREAM_AT)) {
      try {
        const reader = new StreamReader(piece.payload);
        if (piece.type === PIECE.element) element = reader.id();
        else if (piece.type === PIECE.revision) {
          const id = reader.id();
          revision = { base: reader.id(), roots: [], groups: [] };
          this.#revisions.set(id, revision);
        } else {
          this.#readPiece(piece, reader, element);
          this.#readRevision(piece, reader, revision);
          this.#readGroup(piece, reader, element);
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
        // Shorter than its fields.
        file.break();
      }
    }
  }

  space(id: string): ObjectSpace | null {
    const manifest = this.#cells.get(id);
    const current = manifest === undefined ? undefined : this.#current.get(manifest);
    if (current === undefined) return null;
    const objects = new Map<string, NoteObject>();
    const roots = new Map<number, string>();
    const visited = new Set<string>();
    for (let at = current; at !== NIL_ID && !visited.has(at); ) {
      visited.add(at);
      const revision = this.#file.spend(REVISION_EFFORT) ? this.#revisions.get(at) : undefined;
      if (revision === undefined) {
        this.#file.damaged = true;
        break;
      }
      for (const [role, root] of revision.roots) if (!roots.has(role)) roots.set(role, root);
      const own = new Map<string, NoteObject>();
      for (const group of revision.groups) this.#readObjects(group, own);
      for (const [object, value] of own) if (!objects.has(object)) objects.set(object, value);
      at = revision.base;
    }
    const inOrder = [...roots].sort(([a], [b]) => a - b).map(([, root]) => root);
    return { roots: inOrder, objects, isEncrypted: roots.has(KEY) };
  }

  *leftovers(): Generator<NoteObject> {
    for (const group of this.#groups.keys()) {
      const objects = new Map<string, NoteObject>();
      this.#readObjects(group, objects);
      for (const object of objects.values()) yield { ...object, references: NO_REFERENCES };
    }
    for (const file of this.#blobs.values()) {
      yield { jcid: 0, properties: Buffer.alloc(0), references: NO_REFERENCES, file };
    }
  }

  #readPiece({ type, payload }: StreamObject, reader: StreamReader, element: string): void {
    if (type === PIECE.storageRoot) {
      const root = reader.id();
      const cell = reader.cell();
      if (root === SECTION_ROOT) this.root = cell;
    } else if (type === PIECE.cellMapping) {
      this.#cells.set(reader.cell(), reader.id());
    } else if (type === PIECE.currentRevision) {
      this.#current.set(element, reader.id());
    } else if (type === PIECE.blob) {
      this.#blobs.set(element, withoutSize(payload));
    }
  }

  #readRevision({ type }: StreamObject, reader: StreamReader, revision: Revision): void {
    if (type === PIECE.revisionRoot) {
      const role = ROLES.get(reader.id());
      if (role !== undefined) revision.roots.push([role, reader.id()]);
    } else if (type === PIECE.groupReference) {
      revision.groups.push(reader.id());
    }
  }

  /** A group declares its objects first. Their data follows in the same order. */
  #readGroup({ type }: StreamObject, reader: StreamReader, element: string): void {
    const group = this.#groups.get(element) ?? { declarations: [], parts: [] };
    if (type === PIECE.objectDeclaration || type === PIECE.blobDeclaration) {
      const object = reader.id();
      if (type === PIECE.blobDeclaration) reader.id();
      group.declarations.push({ object, part: reader.number() });
      this.#groups.set(element, group);
    } else if (type === PIECE.objectData || type === PIECE.blobReference) {
      const part: Part = { references: NO_REFERENCES, bytes: Buffer.alloc(0), blob: null };
      // A truncated part counts too, so that the following parts keep their index.
      group.parts.push(part);
      part.references = placed(reader.ids(), reader.cells());
      if (type === PIECE.blobReference) part.blob = reader.id();
      else part.bytes = reader.bytes(reader.number());
    }
  }

  #readObjects(id: string, objects: Map<string, NoteObject>): void {
    const group = this.#groups.get(id);
    if (group === undefined || group.declarations.length !== group.parts.length) this.#file.damaged = true;
    for (const [at, { bytes, references, blob }] of (group?.parts ?? []).entries()) {
      const declaration = group?.declarations[at];
      if (declaration === undefined || !this.#file.spend(PART_EFFORT)) break;
      const object = objects.get(declaration.object) ?? {
        jcid: 0,
        properties: Buffer.alloc(0),
        references: NO_REFERENCES,
        file: null,
      };
      objects.set(declaration.object, object);
      if (blob !== null) object.file = this.#blob(blob);
      else if (declaration.part === PART.kind && bytes.length >= 4) object.jcid = bytes.readUInt32LE(0);
      else if (declaration.part === PART.properties) Object.assign(object, { properties: bytes, references });
      else if (declaration.part === PART.file) object.file = bytes;
    }
  }

  #blob(id: string): Buffer | null {
    const bytes = this.#blobs.get(id);
    if (bytes === undefined) this.#file.damaged = true;
    return bytes ?? null;
  }
}

/** The content of a standalone file. Some writers put its size before it, others only into the header. */
function withoutSize(payload: Buffer): Buffer {
  const reader = new StreamReader(payload);
  return reader.number() === payload.length - reader.at ? payload.subarray(reader.at) : payload;
}

/** Resolves the references of an object by the order of its properties. */
const placed = (objects: readonly string[], spaces: readonly string[]): References => ({
  object: (place) => objects[place] ?? null,
  space: (place) => spaces[place] ?? null,
});
