import type { BusinessDocument } from '../business-document.ts';
import type { Random } from '../random.ts';
import { docxOf } from './docx.ts';

/** A truncated document. Its archive has no central directory. */
export function corruptDocxOf(document: BusinessDocument): Uint8Array {
  const whole = docxOf(document);
  return whole.slice(0, Math.floor(whole.length * 0.6));
}

/** A drawing in an unknown format. */
export const unknownBinary = (r: Random) =>
  Buffer.concat([Buffer.from('NWCAD\x00\x02\xff', 'latin1'), r.bytes(6000)]);

const SECTOR = 512;
const FREE = 0xffffffff;
const END_OF_CHAIN = 0xfffffffe;
const FAT_SECTOR = 0xfffffffd;
// Streams of 4,096 bytes and more are in ordinary sectors, so that no mini stream is needed.
const STREAM_SECTORS = 8;

/**
 * The container of a password-protected Office file (an OLE2 compound file with `EncryptionInfo` and
 * `EncryptedPackage`), filled with random bytes. Sector 0 is the allocation table, sector 1 the directory.
 */
export function encryptedOffice(r: Random): Uint8Array {
  const info = Buffer.alloc(STREAM_SECTORS * SECTOR);
  info.set([4, 0, 4, 0, 0x40, 0, 0, 0]);
  info.write('<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption"/>', 8, 'utf8');
  const sealed = Buffer.from(r.bytes(STREAM_SECTORS * SECTOR));
  sealed.writeBigUInt64LE(BigInt(sealed.length - 8), 0);
  const directory = [
    directoryEntry('Root Entry', 5, 1, FREE, END_OF_CHAIN, 0),
    directoryEntry('EncryptionInfo', 2, FREE, 2, 2, info.length),
    directoryEntry('EncryptedPackage', 2, FREE, FREE, 2 + STREAM_SECTORS, sealed.length),
    directoryEntry('', 0, FREE, FREE, 0, 0),
  ];
  return Buffer.concat([compoundHeader(), allocationTable(), ...directory, info, sealed]);
}

function compoundHeader(): Buffer {
  const header = Buffer.alloc(SECTOR);
  header.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(END_OF_CHAIN, 60);
  header.writeUInt32LE(END_OF_CHAIN, 68);
  header.writeUInt32LE(0, 76);
  for (let at = 80; at < SECTOR; at += 4) header.writeUInt32LE(FREE, at);
  return header;
}

function allocationTable(): Buffer {
  const table = Buffer.alloc(SECTOR, 0xff);
  table.writeUInt32LE(FAT_SECTOR, 0);
  table.writeUInt32LE(END_OF_CHAIN, 4);
  for (let sector = 2; sector < 2 + STREAM_SECTORS * 2; sector++) {
    const last = (sector - 1) % STREAM_SECTORS === 0;
    table.writeUInt32LE(last ? END_OF_CHAIN : sector + 1, sector * 4);
  }
  return table;
}

/** `type` is 0 (unused), 2 (stream) or 5 (root). `child` and `right` are indexes of directory entries. */
function directoryEntry(
  name: string,
  type: number,
  child: number,
  right: number,
  start: number,
  size: number,
): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, 'utf16le');
  entry.writeUInt16LE(name === '' ? 0 : (name.length + 1) * 2, 64);
  entry[66] = type;
  entry[67] = 1;
  entry.writeUInt32LE(FREE, 68);
  entry.writeUInt32LE(right, 72);
  entry.writeUInt32LE(child, 76);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(size, 120);
  return entry;
}
