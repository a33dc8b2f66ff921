import { isDamage } from '../damage.ts';
import { type FileNode, NodeLists } from './onenote-nodes.ts';
import {
  type Chunk,
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

/** [MS-ONESTORE], "FileNode": the nodes that lead to text. */
const NODE = {
  rootSpace: 0x004,
  space: 0x008,
  revisions: 0x010,
  revisionOfContents: 0x01b,
  revision: 0x01e,
  revisionOfContext: 0x01f,
  id: 0x024,
  idFrom: 0x025,
  idsFrom: 0x026,
  objectOfContents: 0x02d,
  objectOfContentsLarge: 0x02e,
  change: 0x041,
  changeLarge: 0x042,
  rootOfContents: 0x059,
  root: 0x05a,
  role: 0x05c,
  roleInContext: 0x05d,
  fileObject: 0x072,
  fileObjectLarge: 0x073,
  key: 0x07c,
  files: 0x090,
  file: 0x094,
  object: 0x0a4,
  objectLarge: 0x0a5,
  objects: 0x0b0,
  readOnly: 0x0c4,
  readOnlyLarge: 0x0c5,
};

const FILE_MAGIC = guidBytes('BDE316E7-2665-4511-A4C4-8D4D0B7A9EAC');
const FILE_HEAD_BYTES = 36;
/** A file stored in the section, by its GUID. Other files are in a folder beside it. */
const FILE_REFERENCE = /^<ifndf>\{([0-9a-f-]{36})\}/i;
/** The role of the current revision. */
const SHOWN = 1;

type GuidTable = Map<number, Buffer>;

type Revision = {
  base: string;
  table: GuidTable;
  groups: Chunk[];
  objects: Map<string, NoteObject>;
  roots: Map<number, string>;
};

/** All revisions of an object space, and which of them is current. */
type History = { revisions: Map<string, Revision>; shown: string | null; isEncrypted: boolean };

const extendedAt = (body: Buffer, at: number) =>
  extendedGuid(body.subarray(at, at + 16), body.readUInt32LE(at + 16));

/** A compact id: a number of eight bits, and the index of the GUID in a table. */
function fromTable(table: GuidTable, compactId: number): string | null {
  if (compactId === 0) return NIL_ID;
  const guid = table.get(compactId >>> 8);
  return guid === undefined ? null : extendedGuid(guid, compactId & 0xff);
}

function referencesBy(table: GuidTable): References {
  const resolve = (_place: number, compactId: number) => fromTable(table, compactId);
  return { object: resolve, space: resolve };
}

/** Sections and tables of contents as OneNote stores them on disk: node lists with revisions of object spaces. */
export class RevisionStore implements NoteStore {
  root: string | null = null;
  readonly #file: NoteFile;
  readonly #lists: NodeLists;
  readonly #spaces = new Map<string, Chunk>();
  readonly #files = new Map<string, Chunk>();

  constructor(file: NoteFile) {
    this.#file = file;
    this.#lists = new NodeLists(file);
    this.#each(this.#lists.root, ({ id, body, chunk }) => {
      if (id === NODE.rootSpace) this.root = extendedAt(body, 0);
      else if (id === NODE.space && chunk !== null) this.#spaces.set(extendedAt(body, 0), chunk);
      else if (id === NODE.files) {
        this.#each(chunk, (node) => {
          if (node.id === NODE.file && node.chunk !== null) {
            this.#files.set(node.body.toString('latin1', 0, 16), node.chunk);
          }
        });
      }
    });
  }

  space(id: string): ObjectSpace | null {
    let last: Chunk | null = null;
    this.#each(this.#spaces.get(id) ?? null, (node) => {
      if (node.id === NODE.revisions) last = node.chunk;
    });
    return last === null ? null : this.#newest(this.#readHistory(last));
  }

  *leftovers(): Generator<NoteObject> {
    for (const node of this.#lists.scan()) {
      // Files are read separately.
      if (node.id === NODE.fileObject || node.id === NODE.fileObjectLarge || node.body.length < 8) continue;
      const declared = this.#declared(node, NO_REFERENCES);
      if (declared !== null) yield declared.object;
    }
    const { data } = this.#file;
    for (let at = data.indexOf(FILE_MAGIC); at >= 0; at = data.indexOf(FILE_MAGIC, at + 16)) {
      const file = this.#storedFile({ at, size: data.length - at });
      yield { jcid: 0, properties: Buffer.alloc(0), references: NO_REFERENCES, file };
    }
  }

  /** Visits the nodes of a list. A node that is too short is skipped. */
  #each(first: Chunk | null, visit: (node: FileNode) => void): void {
    if (first === null) return;
    for (const node of this.#lists.read(first)) {
      try {
        visit(node);
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#file.break();
      }
    }
  }

  #readHistory(first: Chunk): History {
    const history: History = { revisions: new Map(), shown: null, isEncrypted: false };
    let current: Revision | null = null;
    this.#each(first, (node) => {
      current = startedBy(node, history) ?? current;
      if (node.id === NODE.key) history.isEncrypted = true;
      if (current !== null) this.#readPart(node, current, history);
    });
    return history;
  }

  #readPart(node: FileNode, revision: Revision, { revisions }: History): void {
    const { id, body, chunk } = node;
    if (id === NODE.objects) {
      if (chunk !== null) revision.groups.push(chunk);
    } else if (id === NODE.root) {
      revision.roots.set(body.readUInt32LE(20), extendedAt(body, 0));
    } else if (id === NODE.rootOfContents) {
      const root = fromTable(revision.table, body.readUInt32LE(0));
      if (root !== null) revision.roots.set(body.readUInt32LE(4), root);
    } else {
      this.#readId(node, revision.table, revisions.get(revision.base)?.table ?? null);
      this.#declare(node, revision.table, revision.objects);
    }
  }

  /** Reads an entry of a GUID table. Some entries refer to the table of the previous revision. */
  #readId({ id, body }: FileNode, table: GuidTable, before: GuidTable | null): void {
    if (id === NODE.id) {
      table.set(body.readUInt32LE(0), body.subarray(4, 20));
    } else if (id === NODE.idFrom || id === NODE.idsFrom) {
      const from = body.readUInt32LE(0);
      const count = id === NODE.idFrom ? 1 : body.readUInt32LE(4);
      const to = body.readUInt32LE(id === NODE.idFrom ? 4 : 8);
      for (let at = 0; at < count && this.#file.spend(1); at++) {
        const guid = before?.get(from + at);
        if (guid !== undefined) table.set(to + at, guid);
      }
    }
  }

  /** The content of the current revision: its own objects, then those of the revisions that it is based on. */
  #newest({ revisions, shown, isEncrypted }: History): ObjectSpace {
    const objects = new Map<string, NoteObject>();
    const roots = new Map<number, string>();
    const visited = new Set<string>();
    for (let id = shown; id !== null && id !== NIL_ID && !visited.has(id); ) {
      visited.add(id);
      const revision = revisions.get(id);
      if (revision === undefined) {
        this.#file.damaged = true;
        break;
      }
      for (const [role, root] of revision.roots) if (!roots.has(role)) roots.set(role, root);
      const own = revision.objects;
      for (const group of isEncrypted ? [] : revision.groups) this.#readGroup(group, own);
      for (const [object, value] of own) if (!objects.has(object)) objects.set(object, value);
      id = revision.base;
    }
    const inOrder = [...roots].sort(([a], [b]) => a - b).map(([, root]) => root);
    return { roots: inOrder, objects, isEncrypted };
  }

  #readGroup(group: Chunk, objects: Map<string, NoteObject>): void {
    const table: GuidTable = new Map();
    this.#each(group, (node) => {
      this.#readId(node, table, null);
      this.#declare(node, table, objects);
    });
  }

  #declare(node: FileNode, table: GuidTable, objects: Map<string, NoteObject>): void {
    const declared = this.#declared(node, referencesBy(table));
    const id = declared === null ? null : fromTable(table, declared.compactId);
    if (declared !== null && id !== null) objects.set(id, declared.object);
  }

  #declared(
    { id, body, chunk }: FileNode,
    references: References,
  ): { compactId: number; object: NoteObject } | null {
    const jcid = jcidAt(id, body);
    if (jcid === null) return null;
    const isFile = id === NODE.fileObject || id === NODE.fileObjectLarge;
    const properties = chunk === null ? Buffer.alloc(0) : this.#file.slice(chunk);
    const file = isFile ? this.#referredFile(body.subarray(id === NODE.fileObject ? 9 : 12)) : null;
    return { compactId: body.readUInt32LE(0), object: { jcid, properties, references, file } };
  }

  /** Resolves a file by a length-prefixed reference. Null if the file is not in this section. */
  #referredFile(reference: Buffer): Buffer | null {
    const words = reference.toString('utf16le', 4, 4 + 2 * reference.readUInt32LE(0));
    const guid = FILE_REFERENCE.exec(words)?.[1];
    if (guid === undefined) return null;
    const chunk = this.#files.get(guidBytes(guid).toString('latin1'));
    return chunk === undefined ? null : this.#storedFile(chunk);
  }

  #storedFile(chunk: Chunk): Buffer | null {
    const stored = this.#file.slice(chunk);
    const isStored = stored.length >= FILE_HEAD_BYTES && FILE_MAGIC.equals(stored.subarray(0, 16));
    const size = isStored ? Number(stored.readBigUInt64LE(16)) : 0;
    if (!isStored || size > stored.length - FILE_HEAD_BYTES) this.#file.damaged = true;
    return isStored ? stored.subarray(FILE_HEAD_BYTES, FILE_HEAD_BYTES + size) : null;
  }
}

/** The type of the object that a node declares. Zero if it states none, null if it declares no object. */
function jcidAt(id: number, body: Buffer): number | null {
  switch (id) {
    case NODE.object:
    case NODE.objectLarge:
    case NODE.readOnly:
    case NODE.readOnlyLarge:
    case NODE.fileObject:
    case NODE.fileObjectLarge:
      return body.readUInt32LE(4);
    case NODE.objectOfContents:
    case NODE.objectOfContentsLarge:
      return body.readUInt16LE(4) & 0x3ff;
    case NODE.change:
    case NODE.changeLarge:
      return 0;
    default:
      return null;
  }
}

/** The revision that begins with a node, if any. Also records which revision is current. */
function startedBy({ id, body }: FileNode, history: History): Revision | null {
  const label = (revision: string, role: number, context: string) => {
    if (context !== NIL_ID) return;
    if (role === SHOWN) history.shown = revision;
  };
  if (id === NODE.role) label(extendedAt(body, 0), body.readUInt32LE(20), NIL_ID);
  if (id === NODE.roleInContext) label(extendedAt(body, 0), body.readUInt32LE(20), extendedAt(body, 24));
  if (id !== NODE.revision && id !== NODE.revisionOfContext && id !== NODE.revisionOfContents) return null;
  const context = id === NODE.revisionOfContext ? extendedAt(body, 46) : NIL_ID;
  label(extendedAt(body, 0), body.readUInt32LE(id === NODE.revisionOfContents ? 48 : 40), context);
  const revision: Revision = {
    base: extendedAt(body, 20),
    table: new Map(),
    groups: [],
    objects: new Map(),
    roots: new Map(),
  };
  history.revisions.set(extendedAt(body, 0), revision);
  return revision;
}
