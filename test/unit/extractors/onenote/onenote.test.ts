import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import type { Ocr } from '../../../../core/extractors/ocr/ocr.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import {
  JCID,
  type Note,
  type NoteSection,
  type NoteSet,
  type NoteSpace,
  PROPERTY,
} from '../../../support/documents/onenote-notes.ts';
import { onePackage } from '../../../support/documents/onenote-package.ts';
import { oneFile } from '../../../support/documents/onenote-store.ts';
import { docxWithBody, paragraph } from '../../../support/documents/packages.ts';
import { drawn, pngOf } from '../../../support/documents/picture.ts';
import { short } from '../../../support/documents/words.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const { bounds } = DEFAULT_EXTRACTION;
const read = (bytes: Uint8Array, limits = {}) =>
  extract({ name: 'notes.bin', mimeType: null, bytes }, { ...bounds, ...limits });

const available = (text: string) => ({ state: 'available', format: 'onenote', text, reason: null });
const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

type Notes = Record<string, Note>;

const text = (words: string, more: NoteSet = {}): Note => ({
  jcid: JCID.text,
  set: { [PROPERTY.text]: words, ...more },
});

/** An element of an outline, and the note that it holds. */
const element = (name: string, content: Note, children: readonly string[] = []): Notes => ({
  [name]: {
    jcid: JCID.element,
    set: { [PROPERTY.content]: { objects: [`${name} content`] }, [PROPERTY.children]: { objects: children } },
  },
  [`${name} content`]: content,
});

/** A page with one outline of these elements. */
const page = (elements: readonly string[], notes: Notes, more: NoteSet = {}): NoteSpace => ({
  revisions: [{ roots: { 1: 'manifest' }, notes: { ...pageNotes(elements, more), ...notes } }],
});

const pageNotes = (elements: readonly string[], more: NoteSet = {}): Notes => ({
  manifest: { jcid: JCID.manifest, set: { [PROPERTY.content]: { objects: ['page'] } } },
  page: { jcid: JCID.page, set: { [PROPERTY.children]: { objects: ['outline'] }, ...more } },
  outline: { jcid: JCID.outline, set: { [PROPERTY.children]: { objects: elements } } },
});

/** A section of these pages. */
const section = (pages: Record<string, NoteSpace>, more: Notes = {}): NoteSection => ({
  spaces: {
    section: {
      revisions: [
        {
          roots: { 1: 'section', ...('data' in more ? { 2: 'data' } : {}) },
          notes: {
            section: { jcid: JCID.section, set: { [PROPERTY.children]: { objects: ['series'] } } },
            series: { jcid: JCID.series, set: { [PROPERTY.pages]: { spaces: Object.keys(pages) } } },
            ...more,
          },
        },
      ],
    },
    ...pages,
  },
});

describe.each([
  ['as on a disk', oneFile],
  ['as it comes out of the cloud', onePackage],
])('a section %s', (_how, write) => {
  test('pages are read in their order, from their titles to their outlines', async () => {
    const titled: Notes = {
      title: { jcid: JCID.title, set: { [PROPERTY.children]: { objects: ['head'] } } },
      ...element('head', text('Größe 尺寸')),
      ...element('one', text('first'), ['two']),
      ...element('two', text('below the first')),
      ...element('three', text('last')),
    };
    const file = write(
      section({
        page2: page(['one', 'three'], titled, { [PROPERTY.structure]: { objects: ['title'] } }),
        page1: page(['one'], element('one', text('another page'))),
      }),
    );
    expect(await read(file)).toEqual(available('Größe 尺寸\nfirst\nbelow the first\nlast\nanother page'));
  });

  test('cells of a table stand in a row, one row on a line', async () => {
    const cell = (...children: string[]): Note => ({
      jcid: JCID.cell,
      set: { [PROPERTY.children]: { objects: children } },
    });
    const row = (...cells: string[]): Note => ({
      jcid: JCID.row,
      set: { [PROPERTY.children]: { objects: cells } },
    });
    const notes: Notes = {
      ...element('holder', { jcid: JCID.table, set: { [PROPERTY.children]: { objects: ['r1', 'r2'] } } }),
      r1: row('c1', 'c2'),
      r2: row('c3', 'c4'),
      c1: cell('a'),
      c2: cell('b', 'b2'),
      c3: cell('c'),
      c4: cell('d'),
      ...element('a', text('Name')),
      ...element('b', text('City')),
      ...element('b2', text('and street')),
      ...element('c', text('Ann')),
      ...element('d', text('Ulm')),
    };
    expect(await read(write(section({ page: page(['holder'], notes) })))).toEqual(
      available('Name\tCity\nand street\nAnn\tUlm'),
    );
  });

  test('text of one byte a character, line breaks and links are read as shown', async () => {
    const notes: Notes = {
      ...element('one', {
        jcid: JCID.text,
        set: {
          [PROPERTY.isBold]: true,
          [PROPERTY.fontSize]: short(22),
          [PROPERTY.bytes]: Buffer.from('caf\xe9\0', 'latin1'),
        },
      }),
      ...element('two', text('up\vdown\0')),
      ...element('three', text('See \uFDDFHYPERLINK "https://example.org/a"our page\uFFFC.')),
    };
    expect(await read(write(section({ page: page(['one', 'two', 'three'], notes) })))).toEqual(
      available('café\nup\ndown\nSee https://example.org/a our page.'),
    );
  });

  test('authors, tags and names are said once; dates of pages are not', async () => {
    const author: Note = { jcid: JCID.author, set: { [PROPERTY.author]: 'Ann Example\0' } };
    const by = { [PROPERTY.writtenBy]: { object: 'author' } };
    const notes: Notes = {
      author,
      label: { jcid: JCID.author, set: { [PROPERTY.tagLabel]: 'To do' } },
      ...element(
        'one',
        text('words', { [PROPERTY.tags]: { sets: [{ [PROPERTY.tag]: { object: 'label' } }] }, ...by }),
      ),
      ...element('two', text('Monday', { [PROPERTY.isTitleDate]: true })),
    };
    const data: Note = {
      jcid: JCID.sectionData,
      set: { [PROPERTY.sectionName]: 'Plans', [PROPERTY.title]: 'words' },
    };
    const file = write(
      section({ page1: page(['one', 'two'], notes, by), page2: page(['one'], notes, by) }, { data }),
    );
    expect(await read(file)).toEqual(available('words\nwords\nPlans\nAnn Example\nTo do'));
  });

  test('files are read by their format and name; icons are not', async () => {
    const document = docxWithBody(paragraph('Inner document'));
    const notes: Notes = {
      ...element('one', text('before')),
      ...element('two', {
        jcid: JCID.file,
        set: {
          [PROPERTY.text]: 'plan.docx',
          [PROPERTY.fileName]: 'plan.docx',
          [PROPERTY.picture]: { object: 'icon' },
          [PROPERTY.file]: { object: 'stored' },
        },
      }),
      ...element('three', {
        jcid: JCID.picture,
        set: {
          [PROPERTY.alternativeText]: 'A map',
          [PROPERTY.pictureName]: 'map.txt',
          [PROPERTY.picture]: { object: 'picture' },
        },
      }),
      ...element('four', {
        jcid: JCID.file,
        set: { [PROPERTY.fileName]: 'elsewhere.docx', [PROPERTY.file]: { object: 'away' } },
      }),
      stored: { jcid: JCID.storedFile, file: document },
      icon: { jcid: JCID.storedFile, file: Buffer.from('icon') },
      picture: { jcid: JCID.storedFile, file: Buffer.from('what stands in the picture') },
      away: { jcid: JCID.storedFile, file: '<file>00000000-0000-0000-0000-000000000001.onebin' },
    };
    const elements = ['one', 'two', 'three', 'four'];
    expect(await read(write(section({ page: page(elements, notes) })))).toEqual({
      ...available(
        'before\nA map\nelsewhere.docx\nplan.docx\nInner document\nmap.txt\nwhat stands in the picture',
      ),
      contains: [hash(document), hash(Buffer.from('what stands in the picture'))],
      inside: [
        { path: 'plan.docx', start: 38, end: 52 },
        { path: 'map.txt', start: 61, end: 87 },
      ],
    });
  });

  test('what the newest revision no longer holds is not read', async () => {
    const space: NoteSpace = {
      revisions: [
        {
          roots: { 1: 'manifest' },
          notes: {
            ...pageNotes(['one', 'two']),
            ...element('one', text('draft')),
            ...element('two', text('deleted')),
            ...element('three', text('kept')),
          },
        },
        { notes: { outline: pageNotes(['one', 'three']).outline as Note, 'one content': text('final') } },
      ],
    };
    const gone = page(['one'], element('one', text('a deleted page')));
    const whole = section({ page: space });
    const file = write({ spaces: { ...whole.spaces, gone } });
    expect(await read(file)).toEqual(available('final\nkept'));
  });

  test('a locked section is encrypted', async () => {
    const { revisions } = page(['one'], element('one', text('secret')));
    const whole = section({ page: { revisions, isEncrypted: true } });
    expect(await read(write(whole))).toEqual({
      state: 'unsupported',
      format: 'onenote',
      reason: 'encrypted',
    });
    const partly = section({
      open: page(['one'], element('one', text('open'))),
      page: { revisions, isEncrypted: true },
    });
    expect(await read(write(partly))).toMatchObject({ state: 'partial', reason: 'encrypted', text: 'open' });
  });

  test('pages that refer to themselves and to each other end', async () => {
    const notes = element('one', text('once'), ['one', 'outline']);
    const around = page(['one'], notes, { [PROPERTY.pages]: { spaces: ['section', 'page'] } });
    expect(await read(write(section({ page: around })))).toEqual(available('once'));
  });

  test('the bounds on characters, members and bytes hold', async () => {
    const notes: Notes = {
      ...element('one', text('x'.repeat(1_000))),
      ...element('two', {
        jcid: JCID.file,
        set: { [PROPERTY.fileName]: 'a.txt', [PROPERTY.file]: { object: 'file a' } },
      }),
      ...element('three', {
        jcid: JCID.file,
        set: { [PROPERTY.fileName]: 'b.txt', [PROPERTY.file]: { object: 'file b' } },
      }),
      'file a': { jcid: JCID.storedFile, file: Buffer.from('inside a') },
      'file b': { jcid: JCID.storedFile, file: Buffer.from('inside b') },
    };
    const file = write(section({ page: page(['one', 'two', 'three'], notes) }));
    const cut = await read(file, { maxCharacters: 500 });
    expect(cut).toMatchObject({ state: 'partial', reason: 'output_bound', text: 'x'.repeat(500) });
    for (const limits of [{ maxMembers: 1 }, { maxInflatedBytes: 5 }]) {
      expect(await read(file, limits)).toMatchObject({
        state: 'partial',
        reason: 'member_bound',
        text: `${'x'.repeat(1_000)}\na.txt\ninside a`,
      });
    }
  });

  test('a section without its end keeps what can still be found', async () => {
    const notes = { ...element('one', text('the first words')), ...element('two', text('the last words')) };
    const file = write(section({ page: page(['one', 'two'], notes) }));
    expect(await read(file.subarray(0, -40))).toMatchObject({
      state: 'partial',
      reason: 'damaged',
      text: expect.stringContaining('the first words\nthe last words'),
    });
  });

  test('whatever happens to its bytes, a section ends in an outcome', async () => {
    const notes: Notes = {
      ...element(
        'one',
        text('words', { [PROPERTY.tags]: { sets: [{ [PROPERTY.tag]: { object: 'one' } }] } }),
      ),
      ...element('two', {
        jcid: JCID.file,
        set: { [PROPERTY.fileName]: 'a.txt', [PROPERTY.file]: { object: 'file' } },
      }),
      file: { jcid: JCID.storedFile, file: Buffer.from('inside') },
    };
    const valid = write(section({ page1: page(['one', 'two'], notes), page2: page(['one'], notes) }));
    const at = fc.nat(valid.length - 1);
    const flips = fc.array(fc.record({ at, value: fc.nat(255) }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(flips, fc.option(at), async (changes, length) => {
        const bytes = new Uint8Array(valid);
        for (const change of changes) bytes[change.at] = change.value;
        await endsSoon(bytes.subarray(0, length ?? valid.length));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('random bytes behind a header end in an outcome', async () => {
    const valid = write(section({ page: page(['one'], element('one', text('words'))) }));
    const head = valid.subarray(0, write === oneFile ? 1_024 : 90);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), (bytes) =>
        endsSoon(Buffer.concat([head, bytes])),
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});

async function endsSoon(bytes: Uint8Array): Promise<void> {
  const before = cpuMs();
  const outcome = await read(bytes, { maxCharacters: 10_000 });
  expect(['available', 'partial', 'unsupported', 'failed']).toContain(outcome.state);
  expect('text' in outcome ? outcome.text.length : 0).toBeLessThanOrEqual(10_000);
  expect(cpuMs() - before).toBeLessThan(2_000);
}

test('outlines nested deeper than any hand nests them end the descent', async () => {
  const notes: Notes = { 'level 340': text('deep'), ...element('flat', text('flat')) };
  for (let level = 0; level < 340; level++) {
    const set = { [PROPERTY.children]: { objects: [`level ${level + 1}`] } };
    notes[`level ${level}`] = { jcid: JCID.element, set };
  }
  const file = onePackage(section({ page: page(['level 0', 'flat'], notes) }));
  expect(await read(file)).toMatchObject({ state: 'partial', reason: 'member_bound', text: 'flat' });
});

test('pictures are read where the deployment reads pictures', async () => {
  const notes: Notes = {
    ...element('one', {
      jcid: JCID.picture,
      set: { [PROPERTY.pictureName]: 'scan.png', [PROPERTY.picture]: { object: 'picture' } },
    }),
    picture: { jcid: JCID.storedFile, file: pngOf(drawn('A')) },
  };
  const file = oneFile(section({ page: page(['one'], notes) }));
  const head = { name: 'notes.one', mimeType: null, bytes: file };
  const read = async () => ({ text: 'what the scan says', isWhole: true });
  const ocr: Ocr = { read, pdf: () => ({ read }) };
  expect(await extract(head, bounds)).toMatchObject({
    ...{ state: 'unsupported', reason: 'ocr_off', unreadParts: 1 },
    text: 'scan.png',
  });
  expect(await extract(head, bounds, ocr)).toMatchObject({
    state: 'available',
    text: 'scan.png\nwhat the scan says',
  });
});

test('a list goes on in other fragments, up to what was finished', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `e${at}`);
  const notes = Object.assign({}, ...names.map((name) => element(name, text(`text ${name}`))));
  expect(await read(oneFile(section({ page: page(names, notes) })))).toEqual(
    available(names.map((name) => `text ${name}`).join('\n')),
  );
});

test('of a section that has lost its lists all text and files are read, once', async () => {
  const notes: Notes = {
    ...element('one', text('words', { [PROPERTY.writtenBy]: { object: 'author' } })),
    ...element('two', text('words')),
    ...element('three', {
      jcid: JCID.file,
      set: { [PROPERTY.fileName]: 'a.txt', [PROPERTY.file]: { object: 'file' } },
    }),
    author: { jcid: JCID.author, set: { [PROPERTY.author]: 'Ann' } },
    file: { jcid: JCID.storedFile, file: Buffer.from('inside') },
  };
  const file = oneFile(section({ page: page(['one'], notes) }));
  file.fill(0xff, 172, 180);
  expect(await read(file)).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: 'words\na.txt\ninside\nAnn',
    contains: [hash(Buffer.from('inside'))],
  });
});

test('a package that has lost its index keeps its text and files', async () => {
  const notes: Notes = {
    ...element('one', text('words')),
    file: { jcid: JCID.storedFile, file: Buffer.from('inside') },
  };
  const file = onePackage(section({ page: page(['one'], notes) }));
  const index = file.indexOf(Buffer.from('b9fade84a3aa0d4aa3a8520c77ac7073', 'hex'));
  file.fill(0, index, index + 16);
  expect(await read(file)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'words\ninside' });
});

test('older versions that a page keeps are not read', async () => {
  const { revisions } = page(['one'], element('one', text('shown')));
  const old = page(['one'], element('one', text('older'))).revisions.map((one) => ({
    ...one,
    isOldVersion: true,
  }));
  const file = oneFile(section({ page: { revisions: [...revisions, ...old] } }));
  expect(await read(file)).toEqual(available('shown'));
});

test('a revision that was never finished is not read', async () => {
  const { revisions } = page(['one'], element('one', text('finished')));
  const late = { notes: { 'one content': text('unfinished') }, isUnfinished: true };
  const file = oneFile(section({ page: { revisions: [...revisions, late] } }));
  expect(await read(file)).toEqual(available('finished'));
});

test('a table of contents gives the names of its sections', async () => {
  const entry = (name: string): Note => ({ jcid: JCID.contents, set: { [PROPERTY.sectionFile]: name } });
  const file = oneFile({
    isContents: true,
    spaces: {
      contents: {
        revisions: [
          {
            roots: { 1: 'root' },
            notes: {
              root: { jcid: JCID.contents, set: { [PROPERTY.contentsChildren]: { objects: ['a', 'b'] } } },
              a: entry('Plans.one'),
              b: entry('Old name.one'),
            },
          },
          { notes: { b: entry('New name.one') } },
        ],
      },
    },
  });
  expect(await read(file)).toEqual(available('Plans.one\nNew name.one'));
});

test('lists that lead back to themselves are read once', async () => {
  const file = oneFile(section({ page: page(['one'], element('one', text('words'))) }));
  // Nothing counts their nodes any more.
  file.fill(0, 160, 172);
  const start = Buffer.from('c4f4f7f5b17a56a4', 'hex');
  const end = Buffer.from('4bba3382c315c28b', 'hex');
  for (let at = file.indexOf(end); at >= 0; at = file.indexOf(end, at + 8)) {
    const fragment = file.lastIndexOf(start, at);
    file.writeBigUInt64LE(BigInt(fragment), at - 12);
    file.writeUInt32LE(at + 8 - fragment, at - 4);
  }
  expect(await read(file)).toMatchObject({ state: 'partial', reason: 'damaged', text: 'words' });
});

test('revisions that many pages share are read as often as their size allows', async () => {
  const { revisions } = page(['one'], element('one', text('words')));
  const long = { revisions: [...revisions, ...Array.from({ length: 2_000 }, () => ({ notes: {} }))] };
  const forged = Array.from({ length: 4_000 }, (_, at) => [
    `page ${at}`,
    { revisions: [], historyOf: 'page' },
  ]);
  const file = onePackage(section({ page: long, ...Object.fromEntries(forged) }));
  const outcome = await read(file);
  expect(outcome).toMatchObject({ state: 'partial', reason: 'damaged' });
  const times = 'text' in outcome ? outcome.text.split('words').length - 1 : 0;
  expect(times).toBeGreaterThan(0);
  expect(times).toBeLessThan(100);
});

test.for<[string, Uint8Array, object]>([
  ['only its first bytes', oneFile(section({})).subarray(0, 500), { state: 'failed', reason: 'corrupt' }],
  [
    'a header and zeros',
    Buffer.concat([oneFile(section({})).subarray(0, 64), Buffer.alloc(4_000)]),
    { state: 'failed', reason: 'corrupt' },
  ],
  [
    'a layout that nobody knows',
    Buffer.concat([oneFile(section({})).subarray(0, 48), Buffer.alloc(4_000)]),
    { state: 'unsupported', reason: 'unknown_format' },
  ],
  ['nothing written', oneFile(section({ page: page([], {}) })), { state: 'available', text: '' }],
])('%s', async ([, bytes, outcome]) => {
  expect(await read(bytes)).toMatchObject({ format: 'onenote', ...outcome });
});
