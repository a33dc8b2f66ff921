import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareListing } from '../../../core/connectors/compare-listing.ts';
import type { SourceItem } from '../../../core/connectors/connector.ts';

const item = (externalId: string, sourceVersion: string): SourceItem => ({
  externalId,
  name: externalId,
  path: externalId,
  kind: 'file',
  sizeBytes: 0,
  mimeType: null,
  sourceUrl: null,
  sourceVersion,
  contentVersion: '1',
  createdAt: null,
  modifiedAt: null,
  modifiedBy: null,
});

it('tells new, changed, unchanged and missing items apart', () => {
  const known = new Map([
    ['same', '1'],
    ['changed', '1'],
    ['gone', '1'],
  ]);
  const [fresh, same, changed] = [item('new', '1'), item('same', '1'), item('changed', '2')];
  expect(compareListing(known, [fresh, same, changed])).toEqual([
    { type: 'upsert', item: fresh },
    { type: 'upsert', item: changed },
    { type: 'delete', externalId: 'gone' },
  ]);
});

it('gives changes that, once applied, leave nothing to report', () => {
  const versions = fc.dictionary(fc.stringMatching(/^[a-e]{1,2}$/), fc.constantFrom('1', '2', '3'));
  fc.assert(
    fc.property(versions, versions, (before, after) => {
      const known = new Map<string, string>(Object.entries(before));
      const listed = Object.entries(after).map(([id, version]) => item(id, version));
      for (const change of compareListing(known, listed)) {
        if (change.type === 'delete') known.delete(change.externalId);
        else known.set(change.item.externalId, change.item.sourceVersion);
      }
      expect(known).toEqual(new Map(Object.entries(after)));
      expect(compareListing(known, listed)).toEqual([]);
    }),
  );
});
