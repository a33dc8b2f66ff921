import { expect, test } from 'vitest';
import { extract } from '../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../core/extractors/extraction-pool.ts';
import { pdfOf, pdfText } from '../../support/documents/pdf.ts';

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'file', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

test('pages, links, title', async () => {
  const bytes = pdfOf([pdfText('first page'), pdfText('second page')], { title: 'The title' });
  const link = 'https://example.org/offer';
  expect(await read(bytes)).toEqual({
    state: 'available',
    format: 'pdf',
    text: `first page\n${link}\nsecond page\n${link}\nThe title`,
    reason: null,
  });
  expect(bytes.length).toBeGreaterThan(0);
});

test('bytes before the header do no harm', async () => {
  const bytes = Buffer.concat([Buffer.alloc(128), pdfOf([pdfText('found')])]);
  expect(await read(bytes)).toMatchObject({ format: 'pdf', text: expect.stringContaining('found') });
});

test('pages and output are bounded', async () => {
  const pages = Array.from({ length: 5 }, (_, at) => pdfText(`page ${at}`));
  expect(await read(pdfOf(pages), { maxMembers: 2 })).toMatchObject({
    state: 'partial',
    reason: 'member_bound',
  });
  expect(await read(pdfOf(pages), { maxCharacters: 9 })).toEqual({
    state: 'partial',
    format: 'pdf',
    text: 'page 0\nht',
    reason: 'output_bound',
  });
});

test('a broken file has failed', async () => {
  expect(await read(Buffer.from('%PDF-1.7\nnothing'))).toEqual({
    state: 'failed',
    format: 'pdf',
    reason: 'corrupt',
  });
});
