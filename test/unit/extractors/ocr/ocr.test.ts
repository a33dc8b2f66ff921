import { zipSync, zlibSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../core/config/config.ts';
import { extract } from '../../../../core/extractors/extract.ts';
import { pictureHead } from '../../../../core/extractors/image/picture-head.ts';
import { createOcr } from '../../../../core/extractors/ocr/ocr.ts';
import { ocrLanguageFile } from '../../../../core/extractors/ocr/ocr-language.ts';
import { ocrWords } from '../../../../core/extractors/ocr/ocr-words.ts';
import { openPdfPainter } from '../../../../core/extractors/pdf/pdf-painter.ts';
import {
  createExtractionPool,
  DEFAULT_EXTRACTION,
} from '../../../../core/extractors/pool/extraction-pool.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { compose } from '../../../../core/runtime.ts';
import { jbig2Of } from '../../../support/documents/jbig2.ts';
import {
  CMYK,
  GREY,
  interchangedOf,
  jpegOf,
  RGB,
  stripsOf,
  tilesOf,
  YCBCR,
} from '../../../support/documents/jpeg.ts';
import { JPEG2000 } from '../../../support/documents/jpeg2000.ts';
import { pdfOf, pdfText } from '../../../support/documents/pdf.ts';
import {
  bmpOf,
  cut,
  drawn,
  faxOf,
  laid,
  type Picture,
  pngOf,
  tiffOf,
} from '../../../support/documents/picture.ts';
import { NIGHTLY } from '../../../support/property-runs.ts';

const off = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1 });
const on = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1, ocrLanguages: ['eng'] });
afterAll(() => Promise.all([off.close(), on.close()]));

const read = (pool: typeof on, bytes: Uint8Array, name = 'file') =>
  pool.extract({ name, mimeType: null, bytes: new Uint8Array(bytes) });

const letters = drawn('THE LOCAL HOTEL');
const picture = bmpOf(letters);
/** Too little to be sure how it lies: no other turn of it is taken. */
const little = drawn('TEA');
/** With dots of eight pixels, as the tests' JPEGs need it. */
const large = drawn('THE LOCAL HOTEL', 8);

/** What EXIF says of how a picture lies. */
const exifOf = (orientation: number) =>
  Buffer.from(`49492a0008000000010012010300010000000${orientation}00000000000000`, 'hex');

type Image = { dictionary: string; stream: Uint8Array };

/** A page with a few words of its own, and a picture that it shows. @param matrix where, as PDF says it */
function scan(
  own: string,
  images: Image | Image[],
  rotate = 0,
  matrix = '520 0 0 105 20 400',
  more: { over?: string; catalog?: string } = {},
): Uint8Array {
  const show = `q ${matrix} cm /Im1 Do Q ${more.over ?? ''} ${pdfText(own).content}`;
  const pages = pdfOf(
    [{ content: show }, pdfText('the second page has words of its own, and enough of them')],
    { objects: [images].flat(), catalog: more.catalog ?? '' },
  );
  // The picture is the object after both pages and their contents.
  const text = Buffer.from(pages).toString('latin1');
  const named = text.replace('/Resources<<', `/Rotate ${rotate}/Resources<</XObject<</Im1 8 0 R>>`);
  return new Uint8Array(Buffer.from(named, 'latin1'));
}

/** A PDF with a title, and a page without links for each picture. */
function pictureOnlyPdf(images: readonly Image[]): Uint8Array {
  const pages = images.map(() => ({ content: 'q 520 0 0 105 20 400 cm /Im1 Do Q' }));
  let page = 0;
  const text = Buffer.from(pdfOf(pages, { title: 'Scan 1', objects: images }))
    .toString('latin1')
    .replaceAll(/\/Annots\[.*?\]\/Resources<</g, () => {
      const object = 4 + 2 * images.length + page++;
      return `/Resources<</XObject<</Im1 ${object} 0 R>>`;
    });
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

const codedOf = ({ width, height }: Picture, more: string, stream: Uint8Array): Image => ({
  dictionary: `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}${more}`,
  stream,
});
const imageOf = (more: string, stream: Uint8Array) =>
  codedOf(letters, `/Filter/FlateDecode${more}`, zlibSync(stream));
const greyOf = (picture: Picture) =>
  codedOf(picture, '/Filter/FlateDecode/ColorSpace/DeviceGray/BitsPerComponent 8', zlibSync(picture.grey));
const grey = greyOf(letters);
const bilevel = '/ColorSpace/DeviceGray/BitsPerComponent 1';
const jbig2 = codedOf(letters, `/Filter/JBIG2Decode${bilevel}`, jbig2Of(letters));

describe('a picture', () => {
  test('is unsupported where nobody asks for its text', async () => {
    expect(await read(off, picture)).toMatchObject({
      state: 'unsupported',
      format: 'image',
      reason: 'ocr_off',
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

  test.runIf(NIGHTLY)(
    'in an archive is read too, one beside it that is broken costs only itself',
    async () => {
      const archive = zipSync({
        'a.bmp': picture.subarray(0, 400),
        'b.png': pngOf(letters),
        'c.txt': Buffer.from('and text'),
      });
      expect(await read(on, archive)).toMatchObject({
        ...{ state: 'partial', reason: 'damaged', unreadParts: 1 },
        text: expect.stringMatching(/b\.png\nTHE LOCAL HOTEL\nc\.txt\nand text$/),
      });
    },
  );

  test.runIf(NIGHTLY)('of several pages is read page by page', async () => {
    const pages = tiffOf([letters, drawn('THE HOTEL'), drawn('TEA')]);
    expect(await read(on, pages)).toMatchObject({
      state: 'available',
      text: 'THE LOCAL HOTEL\nTHE HOTEL\nTEA',
    });
    const looping = Buffer.from(pages);
    looping.writeUInt32LE(8, 8 + 2 + 9 * 12);
    expect(await read(on, looping)).toMatchObject({ state: 'available', text: 'THE LOCAL HOTEL' });
  });

  test.runIf(NIGHTLY)('lies as EXIF says, in every coding that has it', async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const lying = laid(little, orientation);
      const exif = exifOf(orientation);
      for (const file of [pngOf(lying, exif), tiffOf([lying], orientation)]) {
        expect(await read(on, file), String(orientation)).toMatchObject({ text: 'TEA' });
      }
    }
  });

  test.runIf(NIGHTLY)('is read however it lies, and the next one as it lies', async () => {
    for (const orientation of [6, 3, 8]) {
      const pages = tiffOf([laid(letters, orientation), laid(little, orientation)]);
      expect(await read(on, pages)).toMatchObject({ state: 'available', text: 'THE LOCAL HOTEL\nTEA' });
    }
  });

  test.runIf(NIGHTLY)('that is full of words is read however it lies', async () => {
    const lines = Array.from({ length: 8 }, () => drawn('THE HOTEL AT THE LOCAL LAC', 4));
    const [line] = lines;
    if (line === undefined) throw new Error('no line');
    const full = {
      width: line.width,
      height: line.height * lines.length,
      grey: Uint8Array.from(lines.flatMap(({ grey }) => [...grey])),
    };
    for (const orientation of [6, 3]) {
      const { text } = (await read(on, pngOf(laid(full, orientation)))) as { text: string };
      expect(text.match(/THE HOTEL AT THE LOCAL/g)?.length, String(orientation)).toBeGreaterThan(5);
    }
  });

  test.runIf(NIGHTLY)('is read in JPEG 2000', async () => {
    expect(await read(on, JPEG2000)).toMatchObject({
      state: 'available',
      format: 'image',
      text: 'THE LOCAL HOTEL',
    });
    expect(await read(on, JPEG2000.subarray(0, 200))).toMatchObject({ state: 'failed', reason: 'corrupt' });
  });

  test.runIf(NIGHTLY).each([
    ['grey', { samples: GREY, photometric: 1 }],
    ['grey where white is zero', { samples: (shade: number) => [255 - shade], photometric: 0 }],
    ['light and hue', { samples: YCBCR, photometric: 6 }],
    ['red, green and blue', { samples: RGB, photometric: 2 }],
    ['inks', { samples: CMYK, photometric: 5 }],
  ])('is read in a TIFF of JPEGs in %s', async (_, how) => {
    for (const file of [stripsOf(large, 64, how), stripsOf(large, 8, how), tilesOf(large, 128, how)]) {
      expect(await read(on, file)).toMatchObject({ state: 'available', text: 'THE LOCAL HOTEL' });
    }
  });

  test.runIf(NIGHTLY)('is read in a TIFF of JPEGs that lies on its side, and of the older form', async () => {
    const how = { samples: GREY, photometric: 1, orientation: 7 };
    for (const file of [tilesOf(laid(large, 7), 64, how), interchangedOf(large)]) {
      expect(await read(on, file)).toMatchObject({ state: 'available', text: 'THE LOCAL HOTEL' });
    }
  });

  test.runIf(NIGHTLY)('is damaged where a strip of it is broken', async () => {
    const strips = Buffer.from(stripsOf(large, 56, { samples: GREY, photometric: 1 }));
    const last = strips.lastIndexOf(Buffer.of(0xff, 0xc0));
    expect(await read(on, strips.fill(0, last, last + 20))).toMatchObject({
      state: 'partial',
      reason: 'damaged',
      text: 'THE LOCAL HOTEL',
    });
  });

  test.runIf(NIGHTLY)('of too many pixels has failed', async () => {
    const large = Buffer.from(picture);
    large.writeInt32LE(600_000, 18);
    expect(await read(on, large)).toMatchObject({ state: 'failed', format: 'image', reason: 'size_bound' });
  });

  test.runIf(NIGHTLY)('that takes too long costs no text beside it', async () => {
    const ocr = createOcr({ languages: ['eng'], memoryMb: 128, painterMb: 128, pictureMs: 1 });
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

  test.runIf(NIGHTLY)('that needs too much memory has failed, and the next one is read', async () => {
    const ocr = createOcr({ languages: ['eng'], memoryMb: 22, painterMb: 128, pictureMs: 20_000 }).forFile();
    const blank = { width: 1_500, height: 1_500, grey: new Uint8Array(2_250_000).fill(255) };
    expect(await ocr.read(bmpOf(blank), 1)).toEqual({ failed: 'memory_bound' });
    expect(await ocr.read(picture, 1)).toEqual({ text: 'THE LOCAL HOTEL', isWhole: true });
  });
});

describe('a page that is a picture', () => {
  test('is counted as unread where nobody asks for its text', async () => {
    const outcome = await read(off, scan('7', grey));
    expect(outcome).toMatchObject({
      ...{ state: 'partial', reason: 'ocr_off', unreadParts: 1 },
      text: expect.not.stringContaining('HOTEL'),
    });
  });

  test.runIf(NIGHTLY)('makes a file without other pages unsupported', async () => {
    const image = imageOf('/ColorSpace/DeviceGray/BitsPerComponent 8', letters.grey);
    const bytes = pictureOnlyPdf([image, image]);
    expect(await read(off, bytes)).toMatchObject({
      ...{ state: 'unsupported', format: 'pdf', reason: 'ocr_off', unreadParts: 2 },
    });
    expect(await read(on, bytes)).toMatchObject({
      state: 'available',
      text: expect.stringContaining('HOTEL'),
    });
  });

  test('is read, in its place, with the stamp on it', async () => {
    expect(await read(on, scan('page 7', grey))).toMatchObject({
      state: 'available',
      text: expect.stringMatching(/^page 7\nTHE LOCAL HOTEL\n[\s\S]*the second page/),
    });
  });

  test.runIf(NIGHTLY)('is read in letters that are drawn', async () => {
    const dots: string[] = [];
    for (const [at, value] of letters.grey.entries()) {
      const [x, y] = [at % letters.width, Math.floor(at / letters.width)];
      if (value < 128) dots.push(`${20 + x} ${500 - y} 1 1 re`);
    }
    const bytes = pdfOf([{ content: `${dots.join('\n')} f` }]);
    expect(await read(off, bytes)).toMatchObject({ reason: 'ocr_off', unreadParts: 1 });
    expect(await read(on, bytes)).toMatchObject({
      ...{ state: 'available', text: expect.stringContaining('HOTEL') },
    });
  });

  test.runIf(NIGHTLY)('is read in colour, as bits and as a mask', async () => {
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

  test.runIf(NIGHTLY)('is turned as the page is, or as its own matrix says', async () => {
    for (const [orientation, rotate, matrix] of [
      [6, 90, '105 0 0 160 20 100'],
      [3, 180, '160 0 0 105 20 400'],
      [8, 270, '105 0 0 160 20 100'],
      [6, 0, '0 -105 160 0 20 400'],
      [3, 0, '-160 0 0 -105 540 505'],
      [8, 0, '0 105 -160 0 540 400'],
      [2, 0, '-160 0 0 105 540 400'],
    ] as const) {
      const file = scan('', greyOf(laid(little, orientation)), rotate, matrix);
      expect(await read(on, file), matrix).toMatchObject({
        state: 'available',
        text: expect.stringMatching(/^TEA$/m),
      });
    }
  });

  test.runIf(NIGHTLY)('is read though nothing says how it was scanned', async () => {
    for (const orientation of [3, 6, 8]) {
      const matrix = orientation === 3 ? undefined : '105 0 0 520 20 100';
      expect(await read(on, scan('', greyOf(laid(letters, orientation)), 0, matrix))).toMatchObject({
        state: 'available',
        text: expect.stringContaining('THE LOCAL HOTEL'),
      });
    }
  });

  test.runIf(NIGHTLY)('is read in JBIG2, JPEG 2000 and JPEG', async () => {
    const jpx = codedOf(letters, '/Filter/JPXDecode', JPEG2000);
    const dct = codedOf(
      large,
      '/Filter/DCTDecode/ColorSpace/DeviceRGB/BitsPerComponent 8',
      jpegOf(large, YCBCR),
    );
    for (const image of [jbig2, jpx, dct]) {
      expect(await read(on, scan('', image))).toMatchObject({
        state: 'available',
        text: expect.stringContaining('THE LOCAL HOTEL'),
      });
    }
  });

  test.runIf(NIGHTLY)('is read in its place among other pages, and in a form on the page', async () => {
    const form = {
      dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</Im2 9 0 R>>>>',
      stream: Buffer.from('q 520 0 0 105 20 400 cm /Im2 Do Q'),
    };
    expect(await read(on, scan('page 7', [form, jbig2], 0, '1 0 0 1 0 0'))).toMatchObject({
      state: 'available',
      text: expect.stringMatching(/^page 7\nTHE LOCAL HOTEL\n[\s\S]*the second page/),
    });
  });

  test.runIf(NIGHTLY)('is read where a finer picture needs more memory than there is', async () => {
    const fine = cut(drawn('THE LOCAL HOTEL', 36), 0, 0, { width: 4_000, height: 4_000 });
    const bytes = scan('', greyOf(fine), 0, '500 0 0 500 20 100');
    const readWith = (painterMb: number) => {
      const ocr = createOcr({ languages: ['eng'], memoryMb: 128, painterMb, pictureMs: 20_000 });
      return ocr.forFile().pdf(bytes).read(0, 1);
    };
    expect(await readWith(64)).toEqual({ text: 'THE LOCAL HOTEL', isWhole: true });
    expect(await readWith(32)).toEqual({ failed: 'memory_bound' });
  });

  test.runIf(NIGHTLY)('that takes too long is left out', async () => {
    const ocr = createOcr({ languages: ['eng'], memoryMb: 128, painterMb: 128, pictureMs: 1 });
    expect(await ocr.forFile().pdf(scan('', grey)).read(0, 1)).toEqual({ failed: 'time_bound' });
    const painter = await openPdfPainter(scan('', grey), 128);
    expect(painter.paint(0, 1_000_000, 0)).toBeNull();
    expect(painter.paint(0, 1_000_000, Number.POSITIVE_INFINITY)).toMatchObject({ isWhole: true });
  });

  test.runIf(NIGHTLY)('is read as a fax', async () => {
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

  test.runIf(NIGHTLY)('is read where it is covered, on a hidden layer or beyond the edge', async () => {
    const cover = { over: '1 1 1 rg 0 0 600 800 re f' };
    const layer = { dictionary: '/Type/OCG/Name(notes)', stream: new Uint8Array() };
    const hidden = { ...grey, dictionary: `${grey.dictionary}/OC 9 0 R` };
    const catalog = '/OCProperties<</OCGs[9 0 R]/D<</OFF[9 0 R]>>>>';
    for (const file of [
      scan('', grey, 0, undefined, cover),
      scan('', [hidden, layer], 0, undefined, { catalog }),
      scan('', grey, 0, '520 0 0 105 20 1000'),
    ]) {
      expect(await read(on, file)).toMatchObject({
        state: 'available',
        text: expect.stringContaining('THE LOCAL HOTEL'),
      });
    }
  });

  test.runIf(NIGHTLY)('whose picture is too large is partial', async () => {
    const dictionary = grey.dictionary.replace(/Width \d+/, 'Width 600000');
    expect(await read(on, scan('', { ...grey, dictionary }))).toMatchObject({
      state: 'partial',
      reason: 'member_bound',
    });
  });

  test.runIf(NIGHTLY)('whose picture nobody decodes is partial, with no text too', async () => {
    for (const coding of ['JBIG2Decode', 'JPXDecode', 'DCTDecode']) {
      const broken = { ...grey, dictionary: grey.dictionary.replace('FlateDecode', coding) };
      expect(await read(on, scan('', broken)), coding).toMatchObject({
        state: 'partial',
        reason: 'member_bound',
        text: expect.stringContaining('the second page'),
      });
    }
  });

  test.runIf(NIGHTLY)('whose picture is white is all there', async () => {
    const white = { ...letters, grey: letters.grey.map(() => 255) };
    expect(await read(on, scan('', greyOf(white)))).toMatchObject({ state: 'available' });
  });
});

test.runIf(NIGHTLY)('words of a region that is not believable are left out', () => {
  const row = (block: number, line: number, confidence: number, text: string) =>
    `5\t1\t${block}\t1\t${line}\t1\t0\t0\t9\t9\t${confidence}\t${text}`;
  const table = [
    '4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t',
    row(1, 1, 90, 'one'),
    row(1, 1, 30, 'two'),
    row(1, 2, 95, 'three'),
    row(2, 1, 40, 'noise'),
  ].join('\n');
  expect(ocrWords(table)).toMatchObject({ text: 'one two\nthree', isSure: true });
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
  const chunk = `${Buffer.from('ICCP').toString('hex')}0100000000004558494620000000`;
  expect(
    pictureHead(webp('VP8X', `0a000000080000001f00000f0000${chunk}${exifOf(6).toString('hex')}`)),
  ).toEqual({
    ...size,
    orientation: 6,
  });
  expect(pictureHead(JPEG2000)).toEqual({ width: letters.width, height: letters.height, orientation: 1 });
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

test.runIf(NIGHTLY)('a process does not start with a language that is not installed', async () => {
  const config = (languages: string) =>
    loadConfig({
      SVC_DATABASE_URL: 'postgres://none',
      SVC_ENV: 'development',
      SVC_OCR: 'true',
      SVC_OCR_LANGUAGES: languages,
    });
  for (const languages of ['eng,xxx', ',']) {
    await expect(compose(config(languages), systemClock)).rejects.toThrow(/SVC_OCR_LANGUAGES/);
  }
});
