import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryOf } from '../../../../core/connectors/m365/drive-items.ts';
import {
  CatalogueLabel,
  DriveItemPage,
  ExtractedLabels,
  page,
} from '../../../../core/connectors/m365/graph-answers.ts';

const FILE = { id: '01A', name: 'a.txt', eTag: 'e', cTag: 'c', file: {} };
const entriesOf = (...value: unknown[]) => DriveItemPage.parse({ value }).value.map(entryOf);

test.each<[string, object]>([
  ['a size below zero', { size: -1 }],
  ['a size with a fraction', { size: 1.5 }],
  ['a size beyond what a number holds', { size: '9223372036854775807' }],
  ['no date for a date', { createdDateTime: '2024-02-30T00:00:00Z', lastModifiedDateTime: 5 }],
  ['the smallest date', { lastModifiedDateTime: '0001-01-01T00:00:00Z' }],
  ['people of another type', { lastModifiedBy: 'Ada' }],
  ['a folder of another type', { parentReference: [] }],
  ['hashes of another type', { file: { mimeType: 1, hashes: 'x' } }],
  ['a facet of another type', { file: true }],
])('a file with %s is listed without it', (_what, odd) => {
  expect(entriesOf({ ...FILE, ...odd }, { ...FILE, id: '01B' })).toMatchObject([
    { item: { externalId: '01A', sizeBytes: 0, modifiedAt: null, mimeType: null, contentVersion: 'c' } },
    { item: { externalId: '01B' } },
  ]);
});

test('an entry without an id is left out with a reason, and its page is kept', () => {
  expect(entriesOf(null, 'x', { name: 'a' }, { ...FILE, id: 7 }, FILE).map(({ type }) => type)).toEqual([
    ...['left_out', 'left_out', 'left_out', 'left_out'],
    'item',
  ]);
});

test('names that the database cannot store are repaired', () => {
  expect(entriesOf({ ...FILE, name: 'a\0b\ud800.txt' })).toMatchObject([{ item: { name: 'a�b�.txt' } }]);
});

test('no entry of any shape loses the page', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      expect(entriesOf(...value, FILE).at(-1)).toMatchObject({ type: 'item' });
    }),
  );
});

test('labels that cannot be read are unknown, and none is none', () => {
  const read = (body: unknown) => {
    const { labels, value } = ExtractedLabels.parse(body);
    return labels ?? value?.labels ?? null;
  };
  expect(read({ labels: [] })).toEqual([]);
  expect(read({ value: { labels: [{ sensitivityLabelId: 'AB-1' }] } })).toEqual([
    { sensitivityLabelId: 'ab-1' },
  ]);
  for (const odd of [
    undefined,
    'x',
    { labels: [{}] },
    { labels: [{ sensitivityLabelId: '' }] },
    { value: [] },
  ])
    expect(read(odd)).toBeNull();
});

test('an odd label of the catalogue loses itself alone', () => {
  const value = [{ id: 1 }, { id: 'A', name: 'Public', priority: 'low', sublabels: [3, { id: 'B' }] }];
  expect(page(CatalogueLabel).parse({ value }).value).toEqual([
    { id: 'a', name: 'Public', priority: null, sublabels: [{ id: 'b' }] },
  ]);
});
