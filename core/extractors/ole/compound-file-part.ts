import type { CompoundFile } from './compound-file.ts';

const SECTOR_SHIFT = 12;
const SECTOR_BYTES = 1 << SECTOR_SHIFT;
const MINI_BYTES = 64;
const ENTRY_BYTES = 128;
const END = 0xfffffffe;
const NONE = 0xffffffff;
const TYPES = { storage: 1, stream: 2, root: 5 };

/**
 * Copies a storage of a compound file, such as an embedded document or message, into a file of its own.
 * Returns null if there is no such storage, or if its streams claim more than `maxBytes` together, as overlapping
 * streams of a hostile file can.
 * All streams are in small sectors, whatever their size. The file is smaller, and `openCompoundFile` reads it.
 */
export function storageAsFile(file: CompoundFile, path: string, maxBytes: number): Uint8Array | null {
  const inside = file.entries().filter((entry) => entry.path.startsWith(`${path}/`));
  if (!file.has(path) || inside.reduce((sum, { size }) => sum + size, 0) > maxBytes) return null;

  const directory = Buffer.alloc((inside.length + 1) * ENTRY_BYTES);
  const streams: Uint8Array[] = [];
  const smallTable: number[] = [];
  /** The directory index of each storage and of its last entry so far. */
  const places = new Map([[path, { at: 0, last: -1 }]]);
  writeEntry(directory, 0, 'Root Entry', 'root');
  for (const [index, { path: own, name, kind, size }] of inside.entries()) {
    const at = (index + 1) * ENTRY_BYTES;
    writeEntry(directory, at, name, kind);
    const folder = places.get(own.slice(0, own.length - name.length - 1));
    if (folder === undefined) continue;
    // The first entry of a storage is its child. Each further entry is the right sibling of the previous one.
    directory.writeUInt32LE(index + 1, folder.last < 0 ? folder.at + 76 : folder.last + 72);
    folder.last = at;
    if (kind === 'storage') places.set(own, { at, last: -1 });
    const bytes = file.stream(own, size) ?? new Uint8Array();
    const count = Math.ceil(bytes.length / MINI_BYTES);
    writeExtent(directory, at, count === 0 ? END : smallTable.length, bytes.length);
    for (let left = count; left > 0; left--) smallTable.push(left > 1 ? smallTable.length + 1 : END);
    streams.push(bytes, new Uint8Array(count * MINI_BYTES - bytes.length));
  }
  const smallWords = Buffer.alloc(smallTable.length * 4);
  for (const [index, next] of smallTable.entries()) smallWords.writeUInt32LE(next, index * 4);
  return assembled(directory, smallWords, Buffer.concat(streams));
}

/** The three chains of sectors one after the other, then their allocation table. */
function assembled(directory: Buffer, smallTable: Buffer, small: Buffer): Uint8Array {
  const counts = [directory, smallTable, small].map((part) => Math.ceil(part.length / SECTOR_BYTES));
  const [directoryCount = 0, smallTableCount = 0, smallCount = 0] = counts;
  const used = directoryCount + smallTableCount + smallCount;
  // The table's own sectors need no entries, because nothing follows their chain.
  const tableCount = Math.ceil((used * 4) / SECTOR_BYTES);
  const data = Buffer.alloc((1 + used + tableCount) * SECTOR_BYTES);
  const tableAt = (1 + used) * SECTOR_BYTES;
  const sector = (index: number) => (1 + index) * SECTOR_BYTES;
  let next = 0;
  for (const [index, part] of [directory, smallTable, small].entries()) {
    data.set(part, sector(next));
    const end = next + (counts[index] ?? 0);
    for (; next < end; next++) data.writeUInt32LE(next + 1 < end ? next + 1 : END, tableAt + next * 4);
  }
  writeExtent(data, sector(0), smallCount === 0 ? END : directoryCount + smallTableCount, small.length);

  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(data);
  data.writeUInt16LE(4, 26);
  data.writeUInt16LE(0xfffe, 28);
  data.writeUInt16LE(SECTOR_SHIFT, 30);
  data.writeUInt16LE(6, 32);
  data.writeUInt32LE(tableCount, 44);
  data.writeUInt32LE(0, 48);
  data.writeUInt32LE(NONE, 56);
  data.writeUInt32LE(smallTableCount === 0 ? END : directoryCount, 60);
  data.writeUInt32LE(END, 68);
  data.fill(0xff, 76, 512);
  for (let index = 0; index < tableCount; index++) data.writeUInt32LE(used + index, 76 + index * 4);
  return data;
}

function writeEntry(directory: Buffer, at: number, name: string, kind: keyof typeof TYPES): void {
  directory.write(name, at, 'utf16le');
  directory.writeUInt16LE((name.length + 1) * 2, at + 64);
  directory.writeUInt8(TYPES[kind], at + 66);
  directory.fill(0xff, at + 68, at + 80);
  writeExtent(directory, at, END, 0);
}

function writeExtent(directory: Buffer, at: number, start: number, size: number): void {
  directory.writeUInt32LE(start, at + 116);
  directory.writeUInt32LE(size, at + 120);
}
