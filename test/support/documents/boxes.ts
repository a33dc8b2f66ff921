import { createRequire } from 'node:module';
import { crc32 } from 'node:zlib';
import type { SevenZipModuleFactory } from '7z-wasm';

const sevenZip = createRequire(import.meta.url)('7z-wasm') as SevenZipModuleFactory;

/**
 * An archive or packed file that 7-Zip writes, an implementation of its own.
 * @param name its ending decides the format
 * @param options of the command line, for example `-psecret`
 */
export async function boxOf(
  name: string,
  files: Record<string, string | Uint8Array>,
  ...options: string[]
): Promise<Uint8Array> {
  const { FS, callMain } = await sevenZip({ print() {}, printErr() {} });
  for (const [path, content] of Object.entries(files)) {
    const folders = path.split('/').slice(0, -1);
    for (const at of folders.keys()) {
      const folder = folders.slice(0, at + 1).join('/');
      if (!FS.readdir('.').includes(folder)) FS.mkdir(folder);
    }
    FS.writeFile(path, content);
  }
  callMain(['a', ...options, name, ...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? path))]);
  return FS.readFile(name);
}

function vint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) | 128);
  }
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const block = (...fields: Uint8Array[]) => {
  const body = Buffer.concat(fields);
  const sized = Buffer.concat([vint(body.length), body]);
  return Buffer.concat([uint32(crc32(sized)), sized]);
};

const [MAIN, FILE, END, HAS_DATA, HAS_CRC, UNIX] = [1, 2, 5, 2, 4, 1].map(vint) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];
const NONE = vint(0);

/** A RAR 5 archive of stored files, by the published format. Its tools may write no archives for others. */
export const rarOf = (files: Record<string, string>): Uint8Array => {
  const members = Object.entries(files).map(([path, content]) => {
    const name = Buffer.from(path);
    const data = Buffer.from(content);
    const size = vint(data.length);
    const crc = uint32(crc32(data));
    const header = [FILE, HAS_DATA, size, HAS_CRC, size, NONE, crc, NONE, UNIX, vint(name.length), name];
    return Buffer.concat([block(...header), data]);
  });
  const signature = Buffer.from('Rar!\x1a\x07\x01\0', 'latin1');
  return new Uint8Array(
    Buffer.concat([signature, block(MAIN, NONE, NONE), ...members, block(END, NONE, NONE)]),
  );
};

const uint16 = (value: number) => uint32(value).subarray(0, 2);

/** A cabinet of one stored file, by the published format. */
export function cabOf(path: string, content: string): Uint8Array {
  const [name, data] = [Buffer.from(`${path}\0`), Buffer.from(content)];
  const file = Buffer.concat([
    uint32(data.length),
    uint32(0),
    uint16(0),
    uint16(0x5a21),
    uint32(0x20_0000),
    name,
  ]);
  const filesAt = 44;
  const dataAt = filesAt + file.length;
  const size = dataAt + 8 + data.length;
  const head = [Buffer.from('MSCF'), ...[0, size, 0, filesAt, 0].map(uint32), Buffer.from([3, 1])];
  const folder = [...[1, 1, 0, 0, 0].map(uint16), uint32(dataAt), uint16(1), uint16(0)];
  const block = [uint32(0), uint16(data.length), uint16(data.length), data];
  return new Uint8Array(Buffer.concat([...head, ...folder, file, ...block]));
}
