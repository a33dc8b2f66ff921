import fc from 'fast-check';
import { zlibSync } from 'fflate';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { compoundFile } from '../../../support/documents/compound-file.ts';
import { docFile } from '../../../support/documents/doc.ts';
import { artRecord, shapeProperties, words } from '../../../support/documents/office-art.ts';
import { propertyStream } from '../../../support/documents/ole-properties.ts';
import { docxWithBody, filled, paragraph, zip } from '../../../support/documents/packages.ts';
import {
  pptFile,
  pptStreams,
  pptString,
  slide,
  textBytes,
  textCharacters,
} from '../../../support/documents/ppt.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const { bounds } = DEFAULT_EXTRACTION;
const read = (bytes: Uint8Array, limits = bounds) =>
  extract({ name: 'talk.ppt', mimeType: null, bytes }, limits);

const available = (text: string) => ({ state: 'available', format: 'ppt', text, reason: null });

const placeholder = (kind: number) => artRecord(0x0bc3, Buffer.from([0, 0, 0, 0, kind, 0, 0, 0]));
const box = (...records: Uint8Array[]) => artRecord(0xf004, records);

test('texts of slides are read, in both encodings', async () => {
  const file = pptFile([slide(textCharacters('Größe\rзначение'), textBytes('caf\xe9\vbar'))]);
  expect(await read(file)).toEqual(available('Größe\nзначение\ncafé\nbar'));
});

const tag = (name: string, data: Buffer) =>
  artRecord(0x1388, [artRecord(0x138a, [pptString(name, 0), artRecord(0x138b, data)])]);

test('of strings those are read that are words for people', async () => {
  const file = pptFile([
    artRecord(0x03e8, [
      artRecord(0x0fd9, [pptString('May 2004', 0), pptString('Head', 1), pptString('Foot', 2)]),
      artRecord(0x0fd7, [
        pptString('our page', 0),
        pptString('https://example.org/', 1),
        pptString('spot', 3),
      ]),
      tag(
        '___PPT10',
        artRecord(0x2ee0, [pptString('Ann', 0), pptString('Needs work', 1), pptString('A', 2)]),
      ),
      tag('SOMEBODY', textCharacters('bytes of somebody else')),
      artRecord(0x0fcc, [pptString('Microsoft Chart', 1)]),
      pptString('Default Design', 3),
    ]),
  ]);
  expect(await read(file)).toEqual(available('May 2004\nHead\nFoot\nhttps://example.org/\nAnn\nNeeds work'));
});

test('masters give their own words, not their prompts', async () => {
  const master = artRecord(0x03f8, [
    box(placeholder(1), textCharacters('Click to edit the title')),
    box(placeholder(9), textCharacters('Master footer')),
    box(textCharacters('Words on every slide')),
  ]);
  const notes = artRecord(0x03f0, [
    box(artRecord(0x0420, Buffer.from([10])), textCharacters('Printed head')),
    box(artRecord(0x0420, Buffer.from([9])), textCharacters('Printed foot')),
  ]);
  expect(await read(pptFile([master, notes]))).toEqual(
    available('Master footer\nWords on every slide\nPrinted foot'),
  );
});

test('alternative texts, WordArt and SmartArt are read', async () => {
  const diagram = zip({ 'drs/diagrams/data1.xml': '<dgm:pt><a:t>Step one</a:t></dgm:pt>' });
  const file = pptFile([
    slide(box(shapeProperties({ 192: words('Curved'), 897: words('A map'), 937: diagram }))),
  ]);
  expect(await read(file)).toEqual(available('Curved\nA map\nStep one'));
});

test('a deleted slide is read; text that a save repeats is not read twice', async () => {
  const title = slide(textCharacters('Title'));
  const file = pptFile([title], [slide(textCharacters('Deleted slide'), textCharacters('Title'))]);
  expect(await read(file)).toEqual(available('Title\nDeleted slide'));
});

test('without its current user all of a presentation is read', async () => {
  const { presentation } = pptStreams([slide(textCharacters('Title'))]);
  expect(await read(compoundFile({ 'PowerPoint Document': presentation }))).toEqual(available('Title'));
});

test('a file for two versions is read as the newer one', async () => {
  const { presentation, user } = pptStreams([slide(textCharacters('Newer'))]);
  const file = compoundFile({
    'PowerPoint Document': 'older',
    'PP97_DUALSTORAGE/PowerPoint Document': presentation,
    'PP97_DUALSTORAGE/Current User': user,
  });
  expect(await read(file)).toEqual(available('Newer'));
});

function packed(bytes: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return artRecord(0x1011, Buffer.concat([size, zlibSync(bytes)]), 1);
}

test('embedded files are read, deflated or not, and properties', async () => {
  const inner = docFile({ pieces: [{ text: 'Inner document\r' }] });
  const wrapped = compoundFile({ Package: docxWithBody(paragraph('Newer document')) });
  const file = pptFile([slide(textCharacters('Title')), packed(inner), artRecord(0x1011, wrapped)], [], {
    '\x05SummaryInformation': propertyStream({ 4: 'Ann' }),
  });
  expect(await read(file)).toMatchObject({
    state: 'available',
    text: 'Title\nAnn\nInner document\nNewer document',
    contains: [expect.any(String), expect.any(String)],
  });
});

test('a broken object costs itself; a bomb meets the bound', async () => {
  const whole = packed(docFile({ pieces: [{ text: 'Inner document\r' }] }));
  const broken = Buffer.from(whole);
  broken.fill(0xff, 12);
  expect(await read(pptFile([slide(textCharacters('Title')), broken, whole]))).toMatchObject({
    state: 'partial',
    reason: 'damaged',
    text: 'Title\nInner document',
  });
  const bomb = packed(filled('x', 'x', 3_000_000));
  const outcome = await read(pptFile([slide(textCharacters('Title')), bomb]), {
    ...bounds,
    maxInflatedBytes: 1_000_000,
  });
  expect(outcome).toMatchObject({ state: 'partial', reason: 'member_bound', text: 'Title' });
});

test('records nested deeper than any application does end the descent, not the program', async () => {
  let record = textCharacters('deep');
  for (let depth = 0; depth < 2_000; depth++) record = artRecord(0x03ee, [record]);
  expect(await read(pptFile([record, slide(textCharacters('Title'))]))).toMatchObject({ text: 'Title' });
});

test('whatever happens to its bytes, a presentation ends in an outcome', async () => {
  const valid = pptFile(
    [
      slide(box(shapeProperties({ 897: words('A map') })), textCharacters('Title')),
      packed(docFile({ pieces: [{ text: 'Inner\r' }] })),
    ],
    [slide(textBytes('Deleted'))],
    { '\x05SummaryInformation': propertyStream({ 4: 'Ann' }, { Client: 'Bob' }) },
  );
  const flips = fc.array(fc.record({ at: fc.nat(valid.length - 1), value: fc.nat(255) }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(flips, fc.option(fc.nat(valid.length)), async (changes, length) => {
      const bytes = new Uint8Array(valid);
      for (const { at, value } of changes) bytes[at] = value;
      const before = cpuMs();
      const { state } = await read(bytes.subarray(0, length ?? valid.length));
      expect(['available', 'partial', 'unsupported', 'failed']).toContain(state);
      expect(cpuMs() - before).toBeLessThan(2_000);
    }),
    { numRuns: propertyRuns(300) },
  );
});
