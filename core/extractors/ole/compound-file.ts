const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MINI_BYTES = 64;
/** The header lists the first sectors of the allocation table at this offset. A chain lists the rest. */
const HEADER_TABLE_AT = 76;
const HEADER_TABLE_SECTORS = 109;
/** From this number on, a sector number marks the end, a free sector, or the table itself. */
const NO_SECTOR = 0xfffffff0;
/** The most directory entries that are read: eight megabytes. */
const MAX_ENTRIES = 65_536;
/** The maximum depth of storages. Real files have a few levels. */
const MAX_DEPTH = 64;

const STORAGE = 1;
const STREAM = 2;
const ROOT = 5;

/** A stream or a storage. Names contain no `/`, which separates the names of a path. */
type CompoundEntry = {
  path: string;
  name: string;
  kind: 'storage' | 'stream';
  /** The stated size of a stream in bytes. A damaged file can contain fewer. */
  size: number;
};

export type CompoundFile = {
  /** Storages precede their content. */
  entries(): readonly CompoundEntry[];
  /** Whether a stream or storage exists. Paths are compared without regard to case. */
  has(path: string): boolean;
  /**
   * The first `maxBytes` of a stream, as far as its sectors can be followed. Null if there is no such stream. The
   * result may share memory with the file.
   */
  stream(path: string, maxBytes: number): Uint8Array | null;
};

export function isCompoundFile(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/** Cached, because every reader asks whether the file is in its format. */
const opened = new WeakMap<Uint8Array, CompoundFile>();

/**
 * Opens an OLE2 compound file ([MS-CFB]), the container of older Office formats and of encrypted newer ones.
 * Never throws. A file without a valid header has no entries, and broken parts are left out.
 */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  const known = opened.get(bytes);
  if (known !== undefined) return known;
  const file = readCompoundFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  opened.set(bytes, file);
  return file;
}

function readCompoundFile(data: Buffer): CompoundFile {
  const sectors = isCompoundFile(data) ? openSectors(data) : null;
  const directory = sectors === null ? [] : readDirectory(sectors);
  const found = new Map<string, { entry: CompoundEntry; start: number }>();
  for (const item of namedEntries(directory)) {
    const key = item.entry.path.toLowerCase();
    if (!found.has(key)) found.set(key, item);
  }
  const entries = [...found.values()].map(({ entry }) => entry);
  return {
    entries: () => entries,
    has: (path) => found.has(path.toLowerCase()),
    stream(path, maxBytes) {
      const item = found.get(path.toLowerCase());
      if (sectors === null || item?.entry.kind !== 'stream') return null;
      const { start, entry } = item;
      const wanted = Math.min(entry.size, maxBytes);
      if (entry.size >= sectors.miniCutoff) return sectors.bytes(start, wanted);
      return sectors.miniBytes(start, wanted, directory[0]?.start ?? NO_SECTOR);
    },
  };
}

type Sectors = {
  directoryStart: number;
  /** Shorter streams are in small sectors. */
  miniCutoff: number;
  /** The first `size` bytes of a chain of sectors. */
  bytes(start: number, size: number): Buffer;
  /** The same for small sectors, which lie in a stream with the chain `home`. */
  miniBytes(start: number, size: number, home: number): Buffer;
};

function openSectors(data: Buffer): Sectors | null {
  if (data.length < HEADER_BYTES) return null;
  const shift = data.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return null;
  const sectorBytes = 1 << shift;
  const minisPerSector = sectorBytes / MINI_BYTES;
  const count = Math.max(0, Math.ceil(data.length / sectorBytes) - 1);
  const place = (sector: number) => (sector + 1) * sectorBytes;

  /** The entry of a sector in the allocation table that lies in these sectors. */
  const nextIn = (table: readonly number[]) => (sector: number) => {
    const index = Math.floor(sector / (sectorBytes / 4));
    const at = place(table[index] ?? count) + ((sector * 4) % sectorBytes);
    return at + 4 <= data.length ? data.readUInt32LE(at) : NO_SECTOR;
  };
  const next = nextIn(tableSectors(data, sectorBytes, count));
  const chain = (start: number, size: number) =>
    follow(start, Math.min(count, Math.ceil(size / sectorBytes)), next);
  let mini: { next(sector: number): number; home: number[] } | undefined;

  return {
    directoryStart: data.readUInt32LE(48),
    miniCutoff: data.readUInt32LE(56),
    bytes: (start, size) => gather(data, chain(start, size).map(place), sectorBytes, size),
    miniBytes(start, size, home) {
      mini ??= {
        next: nextIn(chain(data.readUInt32LE(60), data.length)),
        home: chain(home, data.length),
      };
      const { home: homes } = mini;
      const most = Math.min(homes.length * minisPerSector, Math.ceil(size / MINI_BYTES));
      const places = follow(start, most, mini.next).map(
        (sector) =>
          place(homes[Math.floor(sector / minisPerSector)] ?? count) + (sector % minisPerSector) * MINI_BYTES,
      );
      return gather(data, places, MINI_BYTES, size);
    },
  };
}

/** The first `size` bytes of the units at these offsets. Without a copy if they are contiguous. */
function gather(data: Buffer, places: readonly number[], unit: number, size: number): Buffer {
  const wanted = Math.min(size, places.length * unit);
  const first = places[0] ?? 0;
  if (places.every((place, index) => place === first + index * unit)) {
    return data.subarray(first, first + wanted);
  }
  return Buffer.concat(places.map((place) => data.subarray(place, place + unit))).subarray(0, wanted);
}

/** Follows a chain for at most `most` sectors. */
function follow(start: number, most: number, next: (sector: number) => number): number[] {
  const sectors: number[] = [];
  for (let at = start; at < NO_SECTOR && sectors.length < most; at = next(at)) sectors.push(at);
  return sectors;
}

/** The sectors of the allocation table. */
function tableSectors(data: Buffer, sectorBytes: number, count: number): number[] {
  const perSector = sectorBytes / 4;
  const most = Math.ceil(count / perSector);
  const table: number[] = [];
  const add = (at: number, words: number) => {
    for (let index = 0; index < words && table.length < most && at + index * 4 + 4 <= data.length; index++) {
      table.push(data.readUInt32LE(at + index * 4));
    }
  };
  add(HEADER_TABLE_AT, HEADER_TABLE_SECTORS);
  let listed = data.readUInt32LE(68);
  while (table.length < most && listed < count) {
    const at = (listed + 1) * sectorBytes;
    add(at, perSector - 1);
    const link = at + sectorBytes - 4;
    listed = link + 4 <= data.length ? data.readUInt32LE(link) : NO_SECTOR;
  }
  return table;
}

type DirectoryEntry = {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
};

function readDirectory(sectors: Sectors): DirectoryEntry[] {
  const bytes = sectors.bytes(sectors.directoryStart, MAX_ENTRIES * ENTRY_BYTES);
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const nameBytes = Math.min(64, bytes.readUInt16LE(at + 64));
    entries.push({
      name: bytes.toString('utf16le', at, at + Math.max(0, nameBytes - 2)),
      type: bytes.readUInt8(at + 66),
      left: bytes.readUInt32LE(at + 68),
      right: bytes.readUInt32LE(at + 72),
      child: bytes.readUInt32LE(at + 76),
      start: bytes.readUInt32LE(at + 116),
      // The upper half is unused in files of this size, and is not always zero.
      size: bytes.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** Walks the tree of siblings and children. Skips entries that were visited, so that loops end. */
function* namedEntries(
  directory: readonly DirectoryEntry[],
): Generator<{ entry: CompoundEntry; start: number }> {
  const root = directory[0];
  if (root?.type !== ROOT) return;
  const seen = new Set<number>();
  const waiting = [{ id: root.child, folder: '', depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, folder, depth } = next;
    const item = directory[id];
    if (item === undefined || seen.has(id)) continue;
    seen.add(id);
    waiting.push({ id: item.right, folder, depth }, { id: item.left, folder, depth });
    if (item.type !== STORAGE && item.type !== STREAM) continue;
    const path = `${folder}${item.name}`;
    const kind = item.type === STORAGE ? 'storage' : 'stream';
    yield {
      entry: { path, name: item.name, kind, size: kind === 'stream' ? item.size : 0 },
      start: item.start,
    };
    if (kind === 'storage' && depth < MAX_DEPTH) {
      waiting.push({ id: item.child, folder: `${path}/`, depth: depth + 1 });
    }
  }
}
