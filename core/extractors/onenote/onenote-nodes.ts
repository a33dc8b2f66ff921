import type { Chunk, NoteFile } from './onenote-store.ts';

/** A node of a file node list ([MS-ONESTORE], "FileNode"). */
export type FileNode = {
  id: number;
  /** Its fields, without the leading reference that some have. */
  body: Buffer;
  /** The target of that reference: the data of an object, or a list of nodes. */
  chunk: Chunk | null;
};

/** The signature as stored in the file. */
const FRAGMENT_MAGIC = Buffer.from('c4f4f7f5b17a56a4', 'hex');

const HEAD_BYTES = 16;
/** The end of a fragment: where the list continues, and a signature. */
const TAIL_BYTES = 20;
const TERMINATOR = 0xff;
/** Header offsets of the transaction count, the transaction log, the root list and the expected file size. */
const HEADER = { transactions: 96, log: 160, root: 172, expectedSize: 196 };
/** Marks the end of a transaction in the log. */
const SENTINEL = 1;

/** Reads a `FileChunkReference64x32`. Returns null if it has no target. */
function longReference(data: Buffer, at: number): Chunk | null {
  const chunk = { at: Number(data.readBigUInt64LE(at)), size: data.readUInt32LE(at + 8) };
  return chunk.size === 0 ? null : chunk;
}

/** Formats of an address and a size: the number of bytes, and the factor. */
const ADDRESS = [
  [8, 1],
  [4, 1],
  [2, 8],
  [4, 8],
] as const;
const SIZE = [
  [4, 1],
  [8, 1],
  [1, 8],
  [2, 8],
] as const;

const readNumber = (data: Buffer, at: number, bytes: number) =>
  bytes === 8 ? Number(data.readBigUInt64LE(at)) : data.readUIntLE(at, bytes);

/** The node lists of a file. Nodes of unfinished transactions are left out. */
export class NodeLists {
  readonly root: Chunk | null;
  readonly #file: NoteFile;
  /** The number of committed nodes in each list, by list id. */
  readonly #counts: ReadonlyMap<number, number>;

  constructor(file: NoteFile) {
    const { data } = file;
    this.#file = file;
    this.root = longReference(data, HEADER.root);
    if (Number(data.readBigUInt64LE(HEADER.expectedSize)) > data.length) file.damaged = true;
    this.#counts = readLog(file, longReference(data, HEADER.log), data.readUInt32LE(HEADER.transactions));
  }

  /** The nodes of a list, starting with its first fragment. */
  *read(first: Chunk): Generator<FileNode> {
    const { data } = this.#file;
    const visited = new Set<number>();
    let left = Number.POSITIVE_INFINITY;
    for (let part: Chunk | null = first; part !== null && left > 0; ) {
      const end: number = part.at + part.size - TAIL_BYTES;
      const isWhole: boolean = end + TAIL_BYTES <= data.length;
      const isList = FRAGMENT_MAGIC.equals(data.subarray(part.at, part.at + 8));
      const isRoomy = part.at + HEAD_BYTES <= Math.min(end, data.length);
      // Reads as much of a truncated fragment as there is.
      if (!isWhole) this.#file.damaged = true;
      if (!isList || !isRoomy || visited.has(part.at) || !this.#file.spend(HEAD_BYTES + TAIL_BYTES)) {
        this.#file.damaged = true;
        return;
      }
      if (visited.size === 0) left = this.#counts.get(data.readUInt32LE(part.at + 8)) ?? left;
      visited.add(part.at);
      for (const node of readNodes(this.#file, part.at + HEAD_BYTES, Math.min(end, data.length))) {
        if (left-- <= 0) return;
        yield node;
      }
      part = isWhole ? longReference(data, end) : null;
    }
    if (left > 0 && left !== Number.POSITIVE_INFINITY) this.#file.damaged = true;
  }

  /** The nodes of everything that looks like a fragment, anywhere in the file. For damaged files. */
  *scan(): Generator<FileNode> {
    const { data } = this.#file;
    for (let at = data.indexOf(FRAGMENT_MAGIC); at >= 0; at = data.indexOf(FRAGMENT_MAGIC, at + 8)) {
      const next = data.indexOf(FRAGMENT_MAGIC, at + 8);
      yield* readNodes(this.#file, at + HEAD_BYTES, next < 0 ? data.length : next);
    }
  }
}

/** The nodes in a range of the file. */
function* readNodes(file: NoteFile, start: number, end: number): Generator<FileNode> {
  const { data } = file;
  for (let at = start; at + 4 <= end; ) {
    const head = data.readUInt32LE(at);
    const id = head & 0x3ff;
    const size = (head >>> 10) & 0x1fff;
    // After the last node the range ends or contains zeros.
    if (id === TERMINATOR || head === 0) return;
    if (size < 4 || at + size > end || !file.spend(size)) {
      file.damaged = true;
      return;
    }
    const node = readNode(data.subarray(at + 4, at + size), head);
    if (node === null) file.damaged = true;
    else yield node;
    at += size;
  }
}

function readNode(fields: Buffer, head: number): FileNode | null {
  const id = head & 0x3ff;
  if (((head >>> 27) & 0xf) === 0) return { id, body: fields, chunk: null };
  const [addressBytes, addressUnit] = ADDRESS[((head >>> 23) & 3) as 0 | 1 | 2 | 3];
  const [sizeBytes, sizeUnit] = SIZE[((head >>> 25) & 3) as 0 | 1 | 2 | 3];
  if (fields.length < addressBytes + sizeBytes) return null;
  const chunk = {
    at: readNumber(fields, 0, addressBytes) * addressUnit,
    size: readNumber(fields, addressBytes, sizeBytes) * sizeUnit,
  };
  const body = fields.subarray(addressBytes + sizeBytes);
  return { id, body, chunk: chunk.size === 0 ? null : chunk };
}

/** The number of nodes that committed transactions left in each list. */
function readLog(file: NoteFile, first: Chunk | null, transactions: number): Map<number, number> {
  const { data } = file;
  const counts = new Map<number, number>();
  const visited = new Set<number>();
  const unfinished = new Map<number, number>();
  let left = transactions;
  for (let part = first; part !== null && left > 0; ) {
    const end = part.at + part.size - 12;
    if (end + 12 > data.length || end < part.at || visited.has(part.at) || !file.spend(part.size)) break;
    visited.add(part.at);
    for (let at = part.at; at + 8 <= end && left > 0; at += 8) {
      const list = data.readUInt32LE(at);
      unfinished.set(list, data.readUInt32LE(at + 4));
      if (list !== SENTINEL) continue;
      left--;
      for (const [id, count] of unfinished) counts.set(id, count);
      unfinished.clear();
    }
    part = longReference(data, end);
  }
  if (left > 0) file.damaged = true;
  return counts;
}
