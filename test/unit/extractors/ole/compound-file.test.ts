import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { openCompoundFile } from '../../../../core/extractors/ole/compound-file.ts';
import { storageAsFile } from '../../../../core/extractors/ole/compound-file-part.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const SMALL = Buffer.from('small stream '.repeat(20));
const LARGE = Buffer.from('a large stream in sectors of its own '.repeat(1_000));
const FILE = compoundFile({
  First: SMALL,
  Second: LARGE,
  'Pool/One/Content': SMALL,
  'Pool/One/Body': LARGE,
  'Pool/One/Deep/Er': 'x',
  'Pool/Two/Content': 'other',
  Empty: '',
  Folder: null,
});

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('latin1'));
const SECTOR = 512;

/** The file with a word of it changed. */
function patched(at: number, value: number): Uint8Array {
  const data = Buffer.from(FILE);
  data.writeUInt32LE(value, at);
  return new Uint8Array(data);
}

const data = Buffer.from(FILE);
const directoryAt = (data.readUInt32LE(48) + 1) * SECTOR;
const tableAt = (data.readUInt32LE(76) + 1) * SECTOR;

test('streams and storages are listed with their paths, storages first', () => {
  const entries = openCompoundFile(FILE).entries();
  expect(entries.map(({ path }) => path).toSorted()).toEqual([
    'Empty',
    'First',
    'Folder',
    'Pool',
    'Pool/One',
    'Pool/One/Body',
    'Pool/One/Content',
    'Pool/One/Deep',
    'Pool/One/Deep/Er',
    'Pool/Two',
    'Pool/Two/Content',
    'Second',
  ]);
  for (const [index, { path }] of entries.entries()) {
    const around = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (around !== '') expect(entries.findIndex((entry) => entry.path === around)).toBeLessThan(index);
  }
});

test('streams are read from small and large sectors, from the start up to a bound', () => {
  const file = openCompoundFile(FILE);
  expect(text(file.stream('First', 10_000))).toBe(SMALL.toString());
  expect(text(file.stream('Second', 100_000))).toBe(LARGE.toString());
  expect(text(file.stream('Pool/One/Body', 1_000))).toBe(LARGE.toString().slice(0, 1_000));
  expect(text(file.stream('Pool/One/Content', 70))).toBe(SMALL.toString().slice(0, 70));
  expect(text(file.stream('Empty', 10))).toBe('');
  expect(text(file.stream('pool/ONE/deep/er', 10))).toBe('x');
});

test('what is no stream is none', () => {
  const file = openCompoundFile(FILE);
  expect([file.stream('Pool', 10), file.stream('Nothing', 10), file.stream('', 10)]).toEqual([
    null,
    null,
    null,
  ]);
  expect([file.has('Folder'), file.has('First/x')]).toEqual([true, false]);
});

test('a stream whose sectors are scattered is put together', () => {
  const start = data.readUInt32LE(directoryAt + 2 * 128 + 116);
  const swapped = Buffer.from(FILE);
  // The first two sectors change places, in the file and in the table.
  data.copy(swapped, (start + 1) * SECTOR, (start + 2) * SECTOR, (start + 3) * SECTOR);
  data.copy(swapped, (start + 2) * SECTOR, (start + 1) * SECTOR, (start + 2) * SECTOR);
  swapped.writeUInt32LE(start + 1, directoryAt + 2 * 128 + 116);
  swapped.writeUInt32LE(start, tableAt + (start + 1) * 4);
  swapped.writeUInt32LE(start + 2, tableAt + start * 4);
  expect(text(openCompoundFile(swapped).stream('Second', 100_000))).toBe(LARGE.toString());
});

test('loops of sectors and of the directory end', () => {
  const start = data.readUInt32LE(directoryAt + 2 * 128 + 116);
  const looped = openCompoundFile(patched(tableAt + start * 4, start));
  expect(looped.stream('Second', 1e9)?.length).toBe(LARGE.length);
  const huge = openCompoundFile(patched(directoryAt + 2 * 128 + 120, 0xffff_fff0));
  expect(huge.stream('Second', 1e9)?.length).toBeLessThanOrEqual(FILE.length);
  const directoryStart = data.readUInt32LE(48);
  expect(openCompoundFile(patched(tableAt + directoryStart * 4, directoryStart)).has('First')).toBe(true);
  for (const link of [68, 72, 76]) {
    for (let entry = 0; entry < 12; entry++) {
      const file = openCompoundFile(patched(directoryAt + entry * 128 + link, entry));
      expect(file.entries().length).toBeLessThanOrEqual(12);
    }
  }
});

test('a file without its allocation table still says what it is', () => {
  expect(openCompoundFile(patched(76, 0x00ff_ffff)).has('First')).toBe(true);
});

test('a stream behind the first seven megabytes is found through the list of the table', () => {
  const noise = Buffer.alloc(8_000_000, 'noise of a long stream ');
  const bytes = compoundFile({ Noise: noise, Last: LARGE });
  const file = openCompoundFile(bytes);
  expect(text(file.stream('Last', 100_000))).toBe(LARGE.toString());
  expect(noise.equals(file.stream('Noise', 1e8) ?? new Uint8Array())).toBe(true);
  // A list that leads to itself.
  const looped = Buffer.from(bytes);
  const list = (looped.readUInt32LE(68) + 1) * SECTOR;
  looped.writeUInt32LE(looped.readUInt32LE(68), list + SECTOR - 4);
  expect(text(openCompoundFile(looped).stream('Last', 100_000))).toBe(LARGE.toString());
});

test('a file whose directory is lost has failed', async () => {
  const file = { name: 'a.doc', mimeType: null, bytes: FILE.slice(0, 700) };
  expect(await extract(file, DEFAULT_EXTRACTION.bounds)).toEqual({
    state: 'failed',
    format: 'ole2',
    reason: 'corrupt',
  });
});

test('a storage becomes a file of its own', () => {
  const part = storageAsFile(openCompoundFile(FILE), 'Pool/One', FILE.length);
  const file = openCompoundFile(part ?? new Uint8Array());
  expect(
    file
      .entries()
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['Body', 'Content', 'Deep', 'Deep/Er']);
  expect(text(file.stream('Body', 100_000))).toBe(LARGE.toString());
  expect(text(file.stream('Content', 100_000))).toBe(SMALL.toString());
  expect(text(file.stream('Deep/Er', 10))).toBe('x');
});

test('a storage that is not there, or claims more than its file has, becomes none', () => {
  const file = openCompoundFile(FILE);
  expect(storageAsFile(file, 'Nothing', 1e6)).toBeNull();
  expect(storageAsFile(file, 'Pool/One', 1_000)).toBeNull();
});

test('no bytes make it throw, or give more than there is', () => {
  const changes = fc.array(fc.record({ at: fc.nat(FILE.length - 1), value: fc.nat(255) }), { maxLength: 8 });
  fc.assert(
    fc.property(changes, fc.nat(FILE.length), (flips, length) => {
      const bytes = new Uint8Array(FILE.subarray(0, length));
      for (const { at, value } of flips) if (at < length) bytes[at] = value;
      const file = openCompoundFile(bytes);
      for (const { path, kind } of file.entries()) {
        if (kind === 'stream') expect(file.stream(path, 1e9)?.length).toBeLessThanOrEqual(length);
        else storageAsFile(file, path, length);
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});
