const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const HEADER_FAT_SECTORS = 109;
/** Entries looked at; the streams that tell the kind are always in the root. */
const MAX_ENTRIES = 4_096;

export function isCompoundFile(bytes: Uint8Array): boolean {
  return bytes.length >= MAGIC.length && MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/**
 * Names of the streams and storages in an OLE2 compound file, the container of the older Office formats and of
 * encrypted newer ones. Stops without complaint where the directory is broken: the names so far still tell.
 */
export function entryNames(bytes: Uint8Array): Set<string> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names = new Set<string>();
  if (data.length < HEADER_BYTES) return names;
  const shift = data.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return names;
  const sectorBytes = 1 << shift;
  let sector = data.readUInt32LE(48);
  const mostSectors = Math.ceil((MAX_ENTRIES * ENTRY_BYTES) / sectorBytes);
  for (let read = 0; read < mostSectors; read++) {
    const start = (sector + 1) * sectorBytes;
    for (let at = start; at < start + sectorBytes && at + ENTRY_BYTES <= data.length; at += ENTRY_BYTES) {
      const nameBytes = data.readUInt16LE(at + 64);
      if (nameBytes < 2 || nameBytes > 64) continue;
      names.add(data.toString('utf16le', at, at + nameBytes - 2));
    }
    const next = nextSector(data, sector, sectorBytes);
    if (next === null) break;
    sector = next;
  }
  return names;
}

/** The allocation table's word for this sector; its first 109 sectors, named in the header, cover seven megabytes. */
function nextSector(data: Buffer, sector: number, sectorBytes: number): number | null {
  const perSector = sectorBytes / 4;
  const tableIndex = Math.floor(sector / perSector);
  if (tableIndex >= HEADER_FAT_SECTORS) return null;
  const table = data.readUInt32LE(76 + tableIndex * 4);
  const at = (table + 1) * sectorBytes + (sector % perSector) * 4;
  if (at + 4 > data.length) return null;
  const next = data.readUInt32LE(at);
  // The highest values mark an end, a free sector, or the table itself.
  return next >= 0xfffffff0 ? null : next;
}
