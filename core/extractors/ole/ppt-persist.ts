import {
  type BlockKeys,
  DEFAULT_PASSWORD,
  openRc4,
  PRESENTATION_PASSWORD,
} from '../office/office-encryption.ts';
import { rc4 } from '../office/rc4.ts';
import { artRecord } from './office-art.ts';

const USER_EDIT = 0x0ff5;
const PERSIST_DIRECTORY = 0x1772;
const CRYPT_SESSION = 0x2f14;
const HEADER_BYTES = 8;
/** The length of an edit's atom that names the object with the session key. */
const EDIT_BYTES_WITH_KEY = 32;
/** A presentation is fast-saved a few times and then saved completely. */
const MAX_EDITS = 1_000;
const MAX_OBJECTS = 262_144;

/**
 * The objects of the current version of a presentation: slides, masters, notes, embedded files ([MS-PPT] 2.1.2).
 * Other objects in the stream are left over from earlier saves.
 */
export type PersistDirectory = {
  /** Offsets by object number. */
  offsets: ReadonlyMap<number, number>;
  /** The number of the object with the session key, if there is one. */
  session: number | null;
};

/** Follows the edits from the newest, at `editAt`, to the oldest, and stops at a fault. */
export function readPersistDirectory(data: Buffer, editAt: number): PersistDirectory {
  const offsets = new Map<number, number>();
  let session: number | null = null;
  let at = editAt;
  for (let edit = 0; edit < MAX_EDITS; edit++) {
    const record = artRecord(data, at, data.length);
    if (record?.type !== USER_EDIT || record.start + 28 > record.end) break;
    if (record.end - record.start >= EDIT_BYTES_WITH_KEY) session ??= data.readUInt32LE(record.start + 28);
    readEntries(data, data.readUInt32LE(record.start + 12), offsets);
    const earlier = data.readUInt32LE(record.start + 8);
    // Each edit follows the earlier ones in the stream.
    if (earlier === 0 || earlier >= at) break;
    at = earlier;
  }
  return { offsets, session };
}

/** Adds runs of consecutive object numbers with their offsets, unless a newer edit has added them. */
function readEntries(data: Buffer, directoryAt: number, offsets: Map<number, number>): void {
  const record = artRecord(data, directoryAt, data.length);
  if (record?.type !== PERSIST_DIRECTORY) return;
  let at = record.start;
  while (at + 4 <= record.end) {
    const run = data.readUInt32LE(at);
    at += 4;
    for (let left = run >>> 20, id = run & 0xfffff; left > 0 && at + 4 <= record.end; left--, id++, at += 4) {
      if (!offsets.has(id) && offsets.size < MAX_OBJECTS) offsets.set(id, data.readUInt32LE(at));
    }
  }
}

/** Decrypts every object in place ([MS-PPT] 2.3.7). Returns null if the default passwords of PowerPoint are wrong. */
export function decryptPresentation(data: Buffer, { offsets, session }: PersistDirectory): Buffer | null {
  const sessionAt = session === null ? undefined : offsets.get(session);
  const record = sessionAt === undefined ? null : artRecord(data, sessionAt, data.length);
  if (record?.type !== CRYPT_SESSION) return null;
  const header = data.subarray(record.start, record.end);
  const keys = openRc4(header, PRESENTATION_PASSWORD) ?? openRc4(header, DEFAULT_PASSWORD);
  return keys === null ? null : decryptObjects(data, offsets, session, keys);
}

function decryptObjects(
  data: Buffer,
  offsets: ReadonlyMap<number, number>,
  session: number | null,
  keys: BlockKeys,
): Buffer {
  const plain = Buffer.from(data);
  // Objects do not overlap, except in a hostile file.
  let allowance = data.length;
  for (const [id, at] of offsets) {
    if (id === session || at + HEADER_BYTES > data.length) continue;
    const head = Buffer.from(rc4(keys(id), data.subarray(at, at + HEADER_BYTES)));
    const end = Math.min(data.length, at + HEADER_BYTES + head.readUInt32LE(4));
    allowance -= end - at;
    if (allowance < 0) break;
    plain.set(rc4(keys(id), data.subarray(at, end)), at);
  }
  return plain;
}
