import { expect, test } from 'vitest';
import type { DeltaChange, SourceItem } from '../../../core/connectors/connector.ts';
import { latestChanges } from '../../../core/connectors/latest-changes.ts';

const upsert = (externalId: string, name: string): DeltaChange => ({
  type: 'upsert',
  item: { externalId, name } as SourceItem,
});
const folder = (externalId: string): DeltaChange => ({
  type: 'folder',
  folder: { externalId, parentExternalId: null, name: externalId },
});
const gone = (externalId: string): DeltaChange => ({ type: 'delete', externalId });

test('of several reports of an item or a folder, the last counts', () => {
  expect(latestChanges([upsert('a', 'old'), gone('b'), upsert('a', 'new'), upsert('b', 'b')])).toEqual([
    upsert('a', 'new'),
    upsert('b', 'b'),
  ]);
  expect(latestChanges([gone('f'), folder('f')])).toEqual([folder('f')]);
});

test('what is an item and a folder at once is both, and a deletion is of both', () => {
  const notebook = [folder('n'), upsert('n', 'n')];
  expect(latestChanges(notebook)).toEqual(notebook);
  expect(latestChanges([...notebook, gone('n')])).toEqual([gone('n')]);
  expect(latestChanges([gone('n'), ...notebook])).toEqual(notebook);
});
