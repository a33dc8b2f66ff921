const SECTOR = 512;
const MINI = 64;
const MINI_CUTOFF = 4096;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const TABLE = 0xfffffffd;
const LIST = 0xfffffffc;
/** How many sectors of the allocation table the header lists, and how many a sector of the further list does. */
const IN_HEADER = 109;
const IN_LIST = 127;

type Node = { id: number; name: string; bytes: Uint8Array | null; children: Node[] };

/**
 * An OLE2 compound file with these streams by path. `/` separates storages, and null creates an empty storage. Small
 * streams are in small sectors, as the format requires.
 */
export function compoundFile(streams: Readonly<Record<string, Uint8Array | string | null>>): Uint8Array {
  const nodes: Node[] = [];
  const add = (name: string, bytes: Uint8Array | null) => {
    const node: Node = { id: nodes.length, name, bytes, children: [] };
    nodes.push(node);
    return node;
  };
  const root = add('Root Entry', null);
  for (const [path, content] of Object.entries(streams)) {
    const names = path.split('/');
    let storage = root;
    for (const [depth, name] of names.entries()) {
      const isStream = depth === names.length - 1 && content !== null;
      const known = storage.children.find((child) => child.name === name);
      const node = known ?? add(name, isStream ? Buffer.from(content) : null);
      if (known === undefined) storage.children.push(node);
      storage = node;
    }
  }

  const sectors: Buffer[] = [];
  const table: number[] = [];
  const place = (bytes: Uint8Array): number => {
    if (bytes.length === 0) return END;
    const first = sectors.length;
    for (let at = 0; at < bytes.length; at += SECTOR) {
      const sector = Buffer.alloc(SECTOR);
      sector.set(bytes.subarray(at, at + SECTOR));
      sectors.push(sector);
      table.push(at + SECTOR < bytes.length ? sectors.length : END);
    }
    return first;
  };

  const small: Uint8Array[] = [];
  const smallTable: number[] = [];
  const starts = nodes.map(({ bytes }) => {
    if (bytes === null || bytes.length === 0) return END;
    if (bytes.length >= MINI_CUTOFF) return place(bytes);
    const first = smallTable.length;
    const count = Math.ceil(bytes.length / MINI);
    for (let index = 0; index < count; index++) smallTable.push(index + 1 < count ? first + index + 1 : END);
    small.push(bytes, new Uint8Array(count * MINI - bytes.length));
    return first;
  });
  const smallStart = place(Buffer.concat(small));
  const smallTableStart = place(words(smallTable, FREE));
  const directoryStart = place(directory(nodes, starts, smallStart, smallTable.length * MINI));
  const tableStart = sectors.length;
  const [tableSectors, listSectors] = tableSize(tableStart);
  for (let index = 0; index < tableSectors; index++) table.push(TABLE);
  for (let index = 0; index < listSectors; index++) table.push(LIST);
  const listStart = tableStart + tableSectors;

  const header = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tableSectors, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(MINI_CUTOFF, 56);
  header.writeUInt32LE(smallTableStart, 60);
  header.writeUInt32LE(Math.ceil((smallTable.length * 4) / SECTOR), 64);
  header.writeUInt32LE(listSectors === 0 ? END : listStart, 68);
  header.writeUInt32LE(listSectors, 72);
  header.fill(0xff, 76, SECTOR);
  const places = Array.from({ length: tableSectors }, (_, index) => tableStart + index);
  for (const [index, place] of places.slice(0, IN_HEADER).entries())
    header.writeUInt32LE(place, 76 + index * 4);
  const lists = Array.from({ length: listSectors }, (_, index) => {
    const start = IN_HEADER + index * IN_LIST;
    const list = Array.from({ length: IN_LIST }, (_, at) => places[start + at] ?? FREE);
    return words([...list, index + 1 < listSectors ? listStart + index + 1 : END], FREE);
  });
  return new Uint8Array(Buffer.concat([header, ...sectors, words(table, FREE), ...lists]));
}

/** The sectors of the allocation table, and of the list of those that do not fit in the header. The table contains both. */
function tableSize(others: number): [number, number] {
  for (let size = 1; ; size++) {
    const list = Math.ceil(Math.max(0, size - IN_HEADER) / IN_LIST);
    if (size * (SECTOR / 4) >= others + size + list) return [size, list];
  }
}

/** Little-endian words, padded to whole sectors. */
function words(values: readonly number[], filling: number): Buffer {
  const perSector = SECTOR / 4;
  const whole = Math.ceil(values.length / perSector) * perSector;
  const bytes = Buffer.alloc(whole * 4);
  for (let index = 0; index < whole; index++) bytes.writeUInt32LE(values[index] ?? filling, index * 4);
  return bytes;
}

function directory(
  nodes: readonly Node[],
  starts: readonly number[],
  smallStart: number,
  smallBytes: number,
) {
  const bytes = Buffer.alloc(Math.ceil(nodes.length / 4) * SECTOR);
  for (const { id, name, bytes: content } of nodes) {
    const at = id * 128;
    bytes.write(name, at, 'utf16le');
    bytes.writeUInt16LE((name.length + 1) * 2, at + 64);
    bytes.writeUInt8(id === 0 ? 5 : content === null ? 1 : 2, at + 66);
    bytes.writeUInt8(1, at + 67);
    bytes.fill(0xff, at + 68, at + 80);
    bytes.writeUInt32LE(id === 0 ? smallStart : (starts[id] ?? END), at + 116);
    bytes.writeUInt32LE(id === 0 ? smallBytes : (content?.length ?? 0), at + 120);
  }
  /** Links siblings to a balanced tree and returns its root. */
  const link = (siblings: readonly Node[]): number => {
    const middle = siblings[siblings.length >> 1];
    if (middle === undefined) return FREE;
    bytes.writeUInt32LE(link(siblings.slice(0, siblings.length >> 1)), middle.id * 128 + 68);
    bytes.writeUInt32LE(link(siblings.slice((siblings.length >> 1) + 1)), middle.id * 128 + 72);
    return middle.id;
  };
  for (const { id, children } of nodes) {
    const inOrder = children.toSorted(
      (a, b) => a.name.length - b.name.length || (a.name.toUpperCase() < b.name.toUpperCase() ? -1 : 1),
    );
    bytes.writeUInt32LE(link(inOrder), id * 128 + 76);
  }
  return bytes;
}
