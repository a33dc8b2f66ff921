import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { boxOf, cabOf, rarOf } from '../../../support/documents/boxes.ts';
import { zip } from '../../../support/documents/packages.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const read = (bytes: Uint8Array, name = 'file', bounds = {}) =>
  extract({ name, mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const FILES = { 'pay/Gehälter 給料.txt': 'salaries', 'b.txt': 'a text' };
const TEXT = 'b.txt\na text\npay/Gehälter 給料.txt\nsalaries';

const sevenZip = await boxOf('a.7z', FILES);
const tarred = await boxOf('a.tar', FILES);
const packedTars: readonly [string, Uint8Array][] = [
  ['gz', gzipSync(tarred)],
  ['bz2', await boxOf('a.tar.bz2', { 'a.tar': tarred })],
  ['xz', await boxOf('a.tar.xz', { 'a.tar': tarred })],
  ['zstd', zstdCompressSync(tarred)],
];
const rar = rarOf({ 'b.txt': 'a text', 'pay/Gehälter 給料.txt': 'salaries' });

test.for<[string, Uint8Array]>([
  ['7z', sevenZip],
  ['7z', await boxOf('a.7z', FILES, '-ms=off', '-mx=1')],
  ['7z', await boxOf('a.7z', FILES, '-m0=PPMd')],
  ['7z', await boxOf('a.7z', FILES, '-m0=BZip2')],
  ['rar', rar],
])('%s: the path and text of every file', async ([format, bytes]) => {
  expect(await read(bytes)).toMatchObject({ state: 'available', format, reason: null, text: TEXT });
});

test('cab: the path and text of a file', async () => {
  const expected = { state: 'available', format: 'cab', text: 'pay/a.txt\nsalaries' };
  expect(await read(cabOf('pay/a.txt', 'salaries'))).toMatchObject(expected);
});

test.for(packedTars)('tar in %s: the path and text of every file', async ([format, bytes]) => {
  const expected = { state: 'available', format, reason: null, text: `a.tar\n${TEXT}` };
  expect(await read(bytes, `a.tar.${format === 'zstd' ? 'zst' : format}`)).toMatchObject(expected);
});

test.for<[string, Uint8Array]>([
  ['t.txt.bz2', await boxOf('t.bz2', { t: 'a text' })],
  ['t.txt.xz', await boxOf('t.xz', { t: 'a text' })],
  ['t.txt.zst', zstdCompressSync(Buffer.from('a text'))],
])('%s: one packed file', async ([name, bytes]) => {
  const expected = { state: 'available', reason: null, text: 't.txt\na text' };
  expect(await read(bytes, name)).toMatchObject(expected);
  expect(await read(Buffer.concat([bytes, bytes]), name)).toMatchObject({
    state: 'available',
    text: 't.txt\na texta text',
  });
});

test('a packed file that is cut or changed gives what it holds before', async () => {
  const lines = Buffer.from(Array.from({ length: 80_000 }, (_, at) => `line ${at * 7919}`).join('\n'));
  for (const [name, bytes] of [
    ['a.gz', gzipSync(lines)],
    ['a.bz2', await boxOf('a.bz2', { a: lines })],
    ['a.xz', await boxOf('a.xz', { a: lines })],
    ['a.zst', zstdCompressSync(lines)],
  ] as const) {
    const whole = { text: expect.stringMatching(/^a\nline 0\nline 7919\n/) };
    const cut = bytes.slice(0, Math.floor(bytes.length * 0.8));
    expect(await read(cut, name, { maxCharacters: 1e7 })).toMatchObject({
      state: 'partial',
      reason: 'damaged',
      ...whole,
    });
    if (name === 'a.zst') continue;
    const changed = bytes.slice();
    changed.fill(0xff, Math.floor(bytes.length * 0.8), Math.floor(bytes.length * 0.8) + 8);
    expect(await read(changed, name, { maxCharacters: 1e7 })).toMatchObject({
      state: 'partial',
      reason: 'damaged',
      ...whole,
    });
  }
});

test('encrypted: the list, all files, or some', async () => {
  const encrypted = (format: string) => ({ state: 'unsupported', format, reason: 'encrypted' });
  expect(await read(await boxOf('a.7z', FILES, '-psecret'))).toEqual(encrypted('7z'));
  expect(await read(await boxOf('a.7z', FILES, '-psecret', '-mhe=on'))).toEqual(encrypted('7z'));
  const inside = zip({ 'a.7z': await boxOf('a.7z', FILES, '-psecret'), 'c.txt': 'open' });
  expect(await read(inside)).toMatchObject({
    state: 'partial',
    reason: 'encrypted',
    unreadParts: 1,
    text: 'a.7z\nc.txt\nopen',
  });
});

test('archives of all kinds in each other share one budget', async () => {
  const nested = await boxOf('a.7z', { 'in.zip': zip({ 'in.rar': rar }), 'last.txt': 'end' });
  expect(await read(nested)).toMatchObject({
    state: 'available',
    text: `in.zip\nin.rar\n${TEXT}\nlast.txt\nend`,
  });
  expect(await read(nested, 'a', { maxMembers: 3 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
    text: 'in.zip\nin.rar\nb.txt\na text',
  });
});

test('names that point outside are only names', async () => {
  const named = rarOf({ '../../etc/passwd': 'one', '/abs/olute': 'two', 'C:\\three': 'three' });
  expect(await read(named)).toMatchObject({
    state: 'available',
    text: expect.stringMatching(/etc\/passwd\none\n\/?abs\/olute\ntwo\nC:.three\nthree$/),
  });
});

test('tar: names in a code page, sizes beyond the end, entries without end', async () => {
  const renamed = Buffer.from(tarred);
  Buffer.from('Geh\xe4lt.txt\0', 'latin1').copy(renamed, renamed.indexOf('b.txt'));
  expect(await read(renamed)).toMatchObject({ text: expect.stringMatching(/^Gehält\.txt\na text\n/) });
  const huge = Buffer.from(tarred);
  huge.write('77777777777\0', 124);
  expect(await read(huge)).toMatchObject({ state: 'partial', reason: 'damaged' });
  expect(await read(gzipSync(huge))).toMatchObject({ state: 'partial', reason: 'damaged' });
});

describe('bombs', () => {
  const zeros = new Uint8Array(60_000_000);
  const bound = { state: 'partial', reason: 'member_bound' };

  test('one file that inflates beyond the bound', { timeout: 120_000 }, async () => {
    const before = process.memoryUsage.rss();
    for (const [name, bytes] of [
      ['a.7z', await boxOf('a.7z', { a: zeros, 'b.txt': 'after' }, '-mx=1')],
      ['a.tar.zst', zstdCompressSync(Buffer.concat([tarred.subarray(0, 512), zeros]))],
      ['a.xz', await boxOf('a.xz', { a: zeros }, '-mx=1')],
      ['a.bz2', await boxOf('a.bz2', { a: zeros }, '-mx=1')],
    ] as const) {
      const { state } = await read(bytes, name, { maxInflatedBytes: 20_000_000 });
      expect([name, state]).toEqual([name, expect.stringMatching(/^(partial|failed)$/)]);
    }
    expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(500);
  });

  test('files that nothing reads count, since they are unpacked on the way', async () => {
    const film = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(3_000_000)]);
    const archive = await boxOf('a.7z', { a: film, b: film, 'c.txt': 'the end' });
    expect(await read(archive)).toMatchObject({ text: 'a\nb\nc.txt\nthe end', unreadParts: 2 });
    expect(await read(archive, 'a', { maxInflatedBytes: 5_000_000 })).toMatchObject({
      ...bound,
      text: 'a\nb',
    });
  });

  test('many members', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.txt`, 'x']));
    expect(await read(await boxOf('a.7z', many), 'a', { maxMembers: 20 })).toMatchObject(bound);
    expect(await read(rarOf(many), 'a', { maxMembers: 20 })).toMatchObject(bound);
    const tar = await boxOf('a.tar', many);
    expect(await read(gzipSync(tar), 'a', { maxMembers: 20 })).toMatchObject(bound);
  });
});

const STATED =
  /^(available null|partial (output_bound|member_bound|damaged|encrypted|ocr_off|unknown_format|unknown_encoding)|unsupported (unknown_format|encrypted|ocr_off)|failed (corrupt|size_bound|memory_bound))$/;

test.for<[string, Uint8Array]>([['7z', sevenZip], ['rar', rar], ['tar', tarred], ...packedTars])(
  '%s: no change of the bytes crashes or hangs',
  { timeout: 120_000 },
  async ([, bytes]) => {
    const at = fc.nat(bytes.length - 1);
    const changes = fc.array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(changes, fc.option(at), async (places, end) => {
        const changed = bytes.slice(0, end ?? bytes.length);
        for (const [place, byte] of places) if (place < changed.length) changed[place] = byte;
        const { state, reason } = await read(changed);
        expect(`${state} ${reason}`).toMatch(STATED);
      }),
      { numRuns: propertyRuns(90) },
    );
  },
);
