import {
  encode,
  guid,
  hex,
  KIND,
  Names,
  type Note,
  type NoteSection,
  OBJECT_GUID,
  REVISION_GUID,
  SPACE_GUID,
} from './onenote-notes.ts';
import { short, word } from './words.ts';

const REVISIONS = '3fdd9a101b91f549a5d01791edc8aed8';
const NIL = Buffer.alloc(20);
const FILE_GUID = 0x100;

type Ref = { at: number; size: number };

const NODES_PER_FRAGMENT = 40;

/** The bytes of a revision store, to which parts are appended, and its transaction log. */
class StoreWriter {
  readonly names = new Names();
  readonly counts: [list: number, count: number][] = [];
  #parts: Buffer[] = [Buffer.alloc(1_024)];
  #length = 1_024;

  append(bytes: Buffer): Ref {
    const ref = { at: this.#length, size: bytes.length };
    const padded = Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
    this.#parts.push(padded);
    this.#length += padded.length;
    return ref;
  }

  /**
   * A list of nodes in fragments. The first fragment comes last in the file. The log does not count unfinished nodes.
   */
  list(nodes: readonly Buffer[], unfinished: readonly Buffer[] = []): Ref {
    const id = 0x10 + this.counts.length;
    this.counts.push([id, nodes.length]);
    const runs: Buffer[][] = [];
    for (let at = 0; at < Math.max(nodes.length, 1); at += NODES_PER_FRAGMENT) {
      runs.push(nodes.slice(at, at + NODES_PER_FRAGMENT));
    }
    let next: Ref | null = null;
    for (const [at, run] of [...runs.entries()].reverse()) {
      const rest: Buffer = next === null ? Buffer.concat([...unfinished, Buffer.alloc(24)]) : node(0xff);
      next = this.append(
        Buffer.concat([
          hex('c4f4f7f5b17a56a4'),
          word(id),
          word(at),
          ...run,
          rest,
          longRef(next),
          hex('4bba3382c315c28b'),
        ]),
      );
    }
    return next ?? { at: 0, size: 0 };
  }

  finish(kind: string, root: Ref): Buffer {
    const entries = [...this.counts, [1, 0] as const].map(([list, count]) =>
      Buffer.concat([word(list), word(count)]),
    );
    const log = this.append(Buffer.concat([...entries, longRef(null)]));
    const file = Buffer.concat(this.#parts);
    hex(kind).copy(file, 0);
    hex(REVISIONS).copy(file, 48);
    file.writeUInt32LE(1, 96);
    longRef(log).copy(file, 160);
    longRef(root).copy(file, 172);
    file.writeBigUInt64LE(BigInt(file.length), 196);
    return file;
  }
}

function longRef(ref: Ref | null): Buffer {
  const bytes = Buffer.alloc(12, 0xff);
  if (ref !== null) bytes.writeBigUInt64LE(BigInt(ref.at), 0);
  bytes.writeUInt32LE(ref?.size ?? 0, 8);
  return bytes;
}

/** A node without a reference. */
const node = (id: number, ...body: readonly Buffer[]): Buffer => {
  const fields = Buffer.concat(body);
  return Buffer.concat([word(id | ((fields.length + 4) << 10) | 0x80000000), fields]);
};

/**
 * A node with a reference. The address is a multiple of eight in two bytes if it fits, and the size has one byte if
 * it fits.
 */
const refNode = (id: number, { at, size }: Ref, ...body: readonly Buffer[]): Buffer => {
  const isNear = at < 8 * 0x1_0000;
  const isSmall = size % 8 === 0 && size < 8 * 0x100;
  const fields = Buffer.concat([
    isNear ? short(at / 8) : word(at),
    isSmall ? Buffer.from([size / 8]) : word(size),
    ...body,
  ]);
  const forms = ((isNear ? 2 : 1) << 23) | ((isSmall ? 2 : 0) << 25);
  return Buffer.concat([word(id | ((fields.length + 4) << 10) | 0x88000000 | forms), fields]);
};

const OBJECTS = 0;
const SPACES = 1;

/** A section or table of contents in the format that OneNote stores on disk. */
export function oneFile({ spaces, isContents = false }: NoteSection): Buffer {
  const writer = new StoreWriter();
  const { names } = writer;
  const compact = (name: string, isSpace: boolean) =>
    names.number(name) | ((isSpace ? SPACES : OBJECTS) << 8);
  const spaceId = (name: string) => Buffer.concat([SPACE_GUID, word(names.number(name))]);
  const objectId = (name: string) => Buffer.concat([OBJECT_GUID, word(names.number(name))]);
  const files: Buffer[] = [];
  const table = [
    node(0x22),
    node(0x24, word(OBJECTS), OBJECT_GUID),
    node(0x24, word(SPACES), SPACE_GUID),
    node(0x28),
  ];
  const contentsTable = [node(0x21, Buffer.alloc(1)), ...table.slice(1)];

  const declared = ([name, { jcid, set, file }]: [string, Note]): Buffer => {
    const oid = word(compact(name, false));
    if (file !== undefined) {
      const reference = Buffer.from(typeof file === 'string' ? file : stored(file), 'utf16le');
      const text = Buffer.concat([word(reference.length / 2), reference]);
      return node(0x72, oid, word(jcid), Buffer.from([1]), text, word(0));
    }
    const ref = writer.append(encode(set ?? {}).bytes(compact));
    if (isContents) return refNode(0x2d, ref, oid, short(jcid), Buffer.alloc(4), Buffer.from([1]));
    return refNode(0xa4, ref, oid, word(jcid), Buffer.from([3, 1]));
  };

  const stored = (bytes: Uint8Array): string => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(bytes.length));
    const id = guid(FILE_GUID + files.length);
    const ref = writer.append(
      Buffer.concat([
        hex('e716e3bd65261145a4c48d4d0b7a9eac'),
        size,
        Buffer.alloc(12),
        bytes,
        Buffer.alloc((8 - (bytes.length % 8)) % 8),
        hex('22a7fb71790f0b4abb13899256426b24'),
      ]),
    );
    files.push(refNode(0x94, ref, id));
    return `<ifndf>{${letters(id)}}`;
  };

  const root: Buffer[] = [];
  for (const [name, { revisions, isEncrypted = false }] of Object.entries(spaces)) {
    const gosid = spaceId(name);
    const finished = [node(0x14, gosid, word(0))];
    const unfinished: Buffer[] = [];
    let base: Buffer = NIL;
    for (const [at, revision] of revisions.entries()) {
      const { notes, roots = {}, isOldVersion = false, isUnfinished = false } = revision;
      const nodes = isUnfinished ? unfinished : finished;
      const rid = Buffer.concat([REVISION_GUID, word(names.number(`${name} ${at}`))]);
      if (isContents) nodes.push(node(0x1b, rid, base, Buffer.alloc(8), word(1), short(0)));
      else if (isOldVersion) nodes.push(node(0x1f, rid, base, word(1), short(0), guid(9), word(1)));
      else nodes.push(node(0x1e, rid, base, word(1), short(0)));
      if (isEncrypted) nodes.push(refNode(0x7c, writer.append(Buffer.alloc(32))));
      const objects = Object.entries(notes).map(declared);
      if (isContents) nodes.push(...contentsTable, ...objects);
      else {
        const group = writer.list([node(0xb4, objectId('group')), ...table, ...objects, node(0xb8)]);
        nodes.push(refNode(0xb0, group, objectId('group')));
      }
      for (const [role, object] of Object.entries(roots)) {
        nodes.push(
          isContents
            ? node(0x59, word(compact(object, false)), word(Number(role)))
            : node(0x5a, objectId(object), word(Number(role))),
        );
      }
      nodes.push(node(0x1c));
      if (!isOldVersion) base = rid;
    }
    const list = writer.list([node(0x0c, gosid), refNode(0x10, writer.list(finished, unfinished))]);
    root.push(refNode(0x08, list, gosid));
  }
  const [first = ''] = Object.keys(spaces);
  if (files.length > 0) root.push(refNode(0x90, writer.list(files)));
  root.push(node(0x04, spaceId(first)));
  return writer.finish(isContents ? KIND.contents : KIND.section, writer.list(root));
}

function letters(id: Buffer): string {
  const part = (start: number, end: number) => Buffer.from(id.subarray(start, end)).reverse().toString('hex');
  return `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}-${id.toString('hex', 8, 10)}-${id.toString('hex', 10)}`;
}
