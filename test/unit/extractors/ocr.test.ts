import { zipSync, zlibSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../core/config.ts';
import { extract } from '../../../core/extractors/extract.ts';
import { createExtractionPool, DEFAULT_EXTRACTION } from '../../../core/extractors/extraction-pool.ts';
import { createOcr } from '../../../core/extractors/ocr.ts';
import { ocrLanguageFile } from '../../../core/extractors/ocr-language.ts';
import { ocrWords } from '../../../core/extractors/ocr-words.ts';
import { pictureHead } from '../../../core/extractors/picture-head.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { compose } from '../../../core/runtime.ts';
import { pdfOf, pdfText } from '../../support/documents/pdf.ts';
import { bmpOf, drawn, faxOf, pngOf, tiffOf } from '../../support/documents/picture.ts';

const off = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1 });
const on = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1, ocrLanguages: ['eng'] });
afterAll(() => Promise.all([off.close(), on.close()]));

const read = (pool: typeof on, bytes: Uint8Array, name = 'file') =>
  pool.extract({ name, mimeType: null, bytes: new Uint8Array(bytes) });

const letters = drawn('THE LOCAL HOTEL');
const picture = bmpOf(letters);

/** A page with a few words of its own, and a picture that it shows. */
function scan(own: string, image: { dictionary: string; stream: Uint8Array }, rotate = 0): Uint8Array {
  const show = `q 500 0 0 100 20 400 cm /Im1 Do Q ${pdfText(own).content}`;
  const pages = pdfOf(
    [{ content: show }, pdfText('the second page has words of its own, and enough of them')],
    {
      objects: [image],
    },
  );
  // The picture is the object after both pages and their contents.
  const text = Buffer.from(pages).toString('latin1');
  const named = text.replace('/Resources<<', `/Rotate ${rotate}/Resources<</XObject<</Im1 8 0 R>>`);
  return new Uint8Array(Buffer.from(named, 'latin1'));
}

const imageOf = (more: string, stream: Uint8Array) => ({
  dictionary: `/Type/XObject/Subtype/Image/Width ${letters.width}/Height ${letters.height}/Filter/FlateDecode${more}`,
  stream: zlibSync(stream),
});
const grey = imageOf('/ColorSpace/DeviceGray/BitsPerComponent 8', letters.grey);

describe('a picture', () => {
  test('is unsupported where nobody asks for its text', async () => {
    expect(await read(off, picture)).toMatchObject({
      state: 'unsupported',
      format: 'image',
      reason: 'unknown_format',
    });
  });

  test('is read, by its content and not its name', async () => {
    expect(await read(on, picture, 'notes.txt')).toMatchObject({
      state: 'available',
      format: 'image',
      text: 'THE LOCAL HOTEL',
      reason: null,
    });
  });

  test('in an archive is read too, one beside it that is broken costs only itself', async () => {
    const archive = zipSync({
      'a.bmp': picture.subarray(0, 400),
      'b.png': pngOf(letters),
      'c.txt': Buffer.from('and text'),
    });
    expect(await read(on, archive)).toMatchObject({
      state: 'available',
      text: expect.stringMatching(/b\.png\nTHE LOCAL HOTEL\nc\.txt\nand text$/),
    });
  });

  test('of several pages is read page by page', async () => {
    const pages = tiffOf([letters, drawn('THE HOTEL'), drawn('TEA')]);
    expect(await read(on, pages)).toMatchObject({
      state: 'available',
      text: 'THE LOCAL HOTEL\nTHE HOTEL\nTEA',
    });
    const looping = Buffer.from(pages);
    looping.writeUInt32LE(8, 8 + 2 + 8 * 12);
    expect(await read(on, looping)).toMatchObject({ state: 'available', text: 'THE LOCAL HOTEL' });
  });

  test('of too many pixels has failed', async () => {
    const large = Buffer.from(picture);
    large.writeInt32LE(600_000, 18);
    expect(await read(on, large)).toMatchObject({ state: 'failed', format: 'image', reason: 'size_bound' });
  });

  test('that takes too long costs no text beside it', async () => {
    const ocr = createOcr({ languages: ['eng'], memoryMb: 128, pictureMs: 1 });
    const bytes = zipSync({ 'a.bmp': picture, 'b.bmp': picture, 'c.txt': Buffer.from('and text') });
    const archive = { name: '', mimeType: null, bytes };
    for (let run = 0; run < 2; run++) {
      expect(await extract(archive, DEFAULT_EXTRACTION.bounds, ocr.forFile())).toMatchObject({
        state: 'partial',
        reason: 'member_bound',
        text: 'a.bmp\nb.bmp\nc.txt\nand text',
      });
    }
  });

  test('that needs too much memory has failed, and the next one is read', async () => {
    const ocr = createOcr({ languages: ['eng'], memoryMb: 22, pictureMs: 20_000 }).forFile();
    const blank = { width: 1_500, height: 1_500, grey: new Uint8Array(2_250_000).fill(255) };
    expect(await ocr.read(bmpOf(blank), 1)).toEqual({ failed: 'memory_bound' });
    expect(await ocr.read(picture, 1)).toEqual({ text: 'THE LOCAL HOTEL' });
  });
});

describe('a page that is a picture', () => {
  test('is left as it is where nobody asks for its text', async () => {
    const outcome = await read(off, scan('7', grey));
    expect(outcome).toMatchObject({ state: 'available', text: expect.not.stringContaining('HOTEL') });
  });

  test('is read, in its place, with the stamp on it', async () => {
    expect(await read(on, scan('page 7', grey))).toMatchObject({
      state: 'available',
      text: expect.stringMatching(/^page 7\nTHE LOCAL HOTEL\n[\s\S]*the second page/),
    });
  });

  test('is read in colour, as bits and as a mask', async () => {
    const rgb = letters.grey.reduce(
      (all, value, at) => all.fill(value, at * 3, at * 3 + 3),
      new Uint8Array(letters.grey.length * 3),
    );
    const rowBytes = Math.ceil(letters.width / 8);
    const bits = new Uint8Array(rowBytes * letters.height);
    for (const [at, value] of letters.grey.entries()) {
      const x = at % letters.width;
      const byte = Math.floor(at / letters.width) * rowBytes + (x >> 3);
      if (value > 0) bits[byte] = (bits[byte] ?? 0) | (0x80 >> (x & 7));
    }
    for (const image of [
      imageOf('/ColorSpace/DeviceRGB/BitsPerComponent 8', rgb),
      imageOf('/ColorSpace/DeviceGray/BitsPerComponent 1', bits),
      imageOf('/ImageMask true/BitsPerComponent 1', bits),
    ]) {
      expect(await read(on, scan('', image))).toMatchObject({
        text: expect.stringContaining('THE LOCAL HOTEL'),
      });
    }
  });

  test('is turned as the page is', async () => {
    const { width, height } = letters;
    const turned = new Uint8Array(letters.grey.length);
    for (const [at, value] of letters.grey.entries()) {
      turned[(width - 1 - (at % width)) * height + Math.floor(at / width)] = value;
    }
    const size = `/Width ${height}/Height ${width}`;
    const image = {
      dictionary: `/Type/XObject/Subtype/Image${size}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode`,
      stream: zlibSync(turned),
    };
    expect(await read(on, scan('', image, 90))).toMatchObject({
      text: expect.stringContaining('THE LOCAL HOTEL'),
    });
    expect(await read(on, scan('', image))).toMatchObject({
      text: expect.not.stringContaining('THE LOCAL HOTEL'),
    });
  });

  test('is read as a fax, which needs another reader', async () => {
    const size = `/Width ${letters.width}/Height ${letters.height}`;
    const fax = {
      dictionary: `/Type/XObject/Subtype/Image${size}/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns ${letters.width}>>`,
      stream: faxOf(letters),
    };
    expect(await read(on, scan('', fax))).toMatchObject({
      state: 'available',
      text: expect.stringContaining('THE LOCAL HOTEL'),
    });
  });

  test('whose picture is too large is partial', async () => {
    const dictionary = grey.dictionary.replace(/Width \d+/, 'Width 600000');
    expect(await read(on, scan('', { ...grey, dictionary }))).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
    });
  });

  test('whose picture nobody decodes is partial, with no text too', async () => {
    const broken = { ...grey, dictionary: grey.dictionary.replace('FlateDecode', 'JBIG2Decode') };
    expect(await read(on, scan('', broken))).toMatchObject({ state: 'partial', reason: 'member_bound' });
  });
});

test('words of a region that is not believable are left out', () => {
  const row = (block: number, line: number, confidence: number, text: string) =>
    `5\t1\t${block}\t1\t${line}\t1\t0\t0\t9\t9\t${confidence}\t${text}`;
  const table = [
    '4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t',
    row(1, 1, 90, 'one'),
    row(1, 1, 30, 'two'),
    row(1, 2, 95, 'three'),
    row(2, 1, 40, 'noise'),
  ].join('\n');
  expect(ocrWords(table)).toBe('one two\nthree');
});

test('the head of a picture tells its size and how it lies', () => {
  expect(pictureHead(picture)).toEqual({ width: letters.width, height: letters.height, orientation: 1 });
  const exif = '45786966000049492a00080000000100' + '1201030001000000' + '06000000';
  const jpeg = Buffer.from(`ffd8ffe1001e${exif}ffc0000b08001000200101110000`, 'hex');
  expect(pictureHead(jpeg)).toEqual({ width: 32, height: 16, orientation: 6 });
  const webp = (coding: string, more: string) =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${coding}`), Buffer.from(more, 'hex')]);
  const size = { width: 32, height: 16, orientation: 1 };
  expect(pictureHead(webp('VP8X', '0a000000000000001f00000f0000'))).toEqual(size);
  expect(pictureHead(webp('VP8L', '0d0000002f1fc00300'))).toEqual(size);
  expect(pictureHead(webp('VP8 ', '0a0000000000009d012a20001000'))).toEqual(size);
  for (const text of ['GIF89a is a format', 'BMW and others', 'RIFF of a guitar', 'II* and III']) {
    expect(pictureHead(Buffer.from(text.padEnd(100, '.')))).toBeNull();
  }
  for (let end = 0; end < 40; end++) expect(pictureHead(jpeg.subarray(0, end))).toBeNull();
});

test('only installed languages have a file', () => {
  expect(ocrLanguageFile('eng')).toMatch(/eng\.traineddata\.gz$/);
  expect(ocrLanguageFile('xxx')).toBeNull();
  expect(ocrLanguageFile('../eng')).toBeNull();
});

test('a process does not start with a language that is not installed', () => {
  const config = (languages: string) =>
    loadConfig({
      SVC_DATABASE_URL: 'postgres://none',
      SVC_ENV: 'development',
      SVC_OCR: 'true',
      SVC_OCR_LANGUAGES: languages,
    });
  for (const languages of ['eng,xxx', ',']) {
    expect(() => compose(config(languages), systemClock)).toThrow(/SVC_OCR_LANGUAGES/);
  }
});
