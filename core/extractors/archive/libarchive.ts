import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { byLibrarySync, Damaged, isDamage } from '../damage.ts';
import { boundedProgram, compileProgram, type LoadModule, type WasmProgram } from '../pool/wasm-memory.ts';

/** The WebAssembly build of libarchive without its library, which would lose errors and unbounded memory. */
const require = createRequire(import.meta.url);
const PACKAGE = 'libarchive-wasm/dist/libarchive';

/** The packed file is copied there. Besides, the dictionary of a strong LZMA takes 64 MB. */
const MEMORY_MB = 176;
const CHUNK_BYTES = 65_536;
/** Types of entries with content. Some writers give none. */
const FILES = new Set([0o100000, 0]);
/** A header that cannot be read is followed by others, unless the archive is broken from there on. */
const MAX_LOST_HEADERS = 2;

/**
 * Where this build keeps the locale of characters, which is null. It offers no call to set it, and without one it
 * replaces all letters in names that are not ASCII. A test reads such names.
 */
const LOCALE_AT = 223_432;

/** An address in the memory of the program. 0 is null. */
type Pointer = number;

/** The part of libarchive's C API that is used. */
type LibarchiveApi = {
  _malloc(bytes: number): Pointer;
  _archive_read_new(): Pointer;
  _archive_read_support_filter_all(archive: Pointer): number;
  _archive_read_support_format_all(archive: Pointer): number;
  _archive_read_open_memory(archive: Pointer, bytes: Pointer, size: number): number;
  _archive_read_next_entry(archive: Pointer): Pointer;
  _archive_read_has_encrypted_entries(archive: Pointer): number;
  _archive_read_data(archive: Pointer, to: Pointer, size: number): number;
  _archive_error_string(archive: Pointer): Pointer;
  _archive_entry_filetype(entry: Pointer): number;
  _archive_entry_pathname_utf8(entry: Pointer): Pointer;
  _archive_entry_is_encrypted(entry: Pointer): number;
};

export type ArchiveEntry = {
  /** The path as it is stored. Empty if it cannot be read. */
  name: string;
  isFile: boolean;
  encrypted: boolean;
  /** Yields the bytes. Valid until the next entry is requested. Throws `Damaged` where they break off. */
  read(): AsyncGenerator<Uint8Array>;
};

export type Archive = {
  /** Ends with the last entry that can be read. */
  entries(): AsyncGenerator<ArchiveEntry>;
  /** Whether headers could not be read. Known after the last entry. */
  isDamaged(): boolean;
  /** Whether the list of entries is encrypted. Known after the last entry. */
  isSealed(): boolean;
};

/** The same for all instances of a thread. */
let compiled: Promise<WasmProgram> | null = null;

/**
 * Opens an archive in an instance of its own, so that hostile bytes affect no other file. Entries are inflated chunk by
 * chunk, as they are read. Throws `Damaged` if the bytes are no archive.
 */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const load = require(PACKAGE) as LoadModule<LibarchiveApi>;
  compiled ??= readFile(require.resolve(`${PACKAGE}.wasm`)).then(compileProgram);
  const program = boundedProgram(await compiled, MEMORY_MB);
  const api = await program.start(load, {});
  const memory = () => Buffer.from(program.memory().buffer);
  memory().writeUInt32LE(LOCALE_AT, LOCALE_AT);
  const allocate = (size: number) => {
    const at = byLibrarySync(() => api._malloc(size));
    if (at === 0) throw new Damaged('memory_bound');
    return at;
  };
  const stringAt = (at: Pointer) => (at === 0 ? '' : memory().toString('utf8', at, memory().indexOf(0, at)));
  const packed = allocate(bytes.length);
  memory().set(bytes, packed);
  const chunk = allocate(CHUNK_BYTES);
  const archive = byLibrarySync(() => {
    const opened = api._archive_read_new();
    api._archive_read_support_filter_all(opened);
    api._archive_read_support_format_all(opened);
    return api._archive_read_open_memory(opened, packed, bytes.length) === 0 ? opened : 0;
  });
  if (archive === 0) throw new Damaged('no_archive');
  let isDamaged = false;

  async function* read() {
    for (;;) {
      const length = byLibrarySync(() => api._archive_read_data(archive, chunk, CHUNK_BYTES));
      if (length < 0) throw new Damaged('entry_breaks_off');
      if (length === 0) return;
      // Copied, because the next read overwrites it.
      yield new Uint8Array(memory().subarray(chunk, chunk + length));
    }
  }

  async function* entries() {
    for (let lost = 0; lost < MAX_LOST_HEADERS; ) {
      const entry = byLibrarySync(() => api._archive_read_next_entry(archive));
      if (entry === 0 && api._archive_error_string(archive) === 0) return;
      if (entry === 0) {
        isDamaged = true;
        lost++;
        continue;
      }
      lost = 0;
      yield byLibrarySync(() => ({
        name: stringAt(api._archive_entry_pathname_utf8(entry)),
        isFile: FILES.has(api._archive_entry_filetype(entry)),
        encrypted: api._archive_entry_is_encrypted(entry) !== 0,
        read,
      }));
    }
  }

  return {
    async *entries() {
      try {
        yield* entries();
      } catch (error) {
        if (!isDamage(error)) throw error;
        isDamaged = true;
      }
    },
    isDamaged: () => isDamaged,
    isSealed: () => api._archive_read_has_encrypted_entries(archive) === 1,
  };
}
