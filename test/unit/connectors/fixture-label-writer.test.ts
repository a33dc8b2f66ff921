import { beforeEach, expect, test } from 'vitest';
import type { LabelWriter } from '../../../core/connectors/label-writer.ts';
import { applyFixtureAction } from '../../../infra/local/fixture/fixture-action.ts';
import { createFixtureConnector } from '../../../infra/local/fixture/fixture-connector.ts';
import {
  createFixtureLabelWriter,
  REMEDIATION_IDENTITY,
} from '../../../infra/local/fixture/fixture-label-writer.ts';
import type { FixtureStore } from '../../../infra/local/fixture/fixture-store.ts';
import { LABEL_CATALOG } from '../../../infra/local/fixture/label-catalog.ts';
import { memoryFixtureStore } from '../../support/memory-fixture-store.ts';

const WHERE = { scopeExternalId: 'site', externalId: 'item' };
const { guid } = LABEL_CATALOG[2];
const { signal } = new AbortController();
const wanted = (labelGuid: string | null) => ({ labelGuid, justification: 'It holds invoices.' });
const at = '2026-03-01T10:00:00.000Z';

let store: FixtureStore;
let writer: LabelWriter;
beforeEach(() => {
  const scope = { externalId: 'site', name: 'Site', kind: 'site', changeSeq: 0, cursorEpoch: 1 } as const;
  const facts = { at, newExternalId: 'item' };
  const added = applyFixtureAction(
    scope,
    null,
    { action: 'add', name: 'A note.txt', content: 'A note' },
    facts,
  );
  store = memoryFixtureStore({ scopes: [added.scope], items: added.item === null ? [] : [added.item] });
  writer = createFixtureLabelWriter({ store, clock: () => Date.parse(at) });
});
const connector = () => createFixtureConnector({ store });

test('a label is set and removed as a change of the item, and nothing else of it', async () => {
  const before = await connector().getItem('site', 'item', signal);
  expect(await writer.writeLabel({ ...WHERE, ifSourceVersion: '1.1' }, wanted(guid), signal)).toEqual({
    state: 'written',
  });
  expect(await connector().getLabel('site', 'item', signal)).toMatchObject({ labelGuid: guid });
  expect(await connector().getItem('site', 'item', signal)).toEqual({
    ...(before as object),
    sourceVersion: '2.1',
    modifiedAt: at,
    modifiedBy: REMEDIATION_IDENTITY,
  });
  expect(await store.changes('site', 1, 10)).toHaveLength(1);
  expect(await writer.writeLabel({ ...WHERE, ifSourceVersion: '2.1' }, wanted(null), signal)).toEqual({
    state: 'written',
  });
  expect(await connector().getLabel('site', 'item', signal)).toEqual({ state: 'unlabeled' });
});

test('nothing is written on another version, on what is gone, or after the signal', async () => {
  expect(await writer.writeLabel({ ...WHERE, ifSourceVersion: '1.0' }, wanted(guid), signal)).toEqual({
    state: 'changed',
  });
  const missing = { ...WHERE, externalId: 'none', ifSourceVersion: '1.1' };
  expect(await writer.writeLabel(missing, wanted(guid), signal)).toEqual({ state: 'gone' });
  await expect(
    writer.writeLabel({ ...WHERE, ifSourceVersion: '1.1' }, wanted(guid), AbortSignal.abort()),
  ).rejects.toMatchObject({ retryClass: 'transient' });
  await expect(
    writer.writeLabel({ ...WHERE, scopeExternalId: 'none', ifSourceVersion: '1.1' }, wanted(guid), signal),
  ).rejects.toMatchObject({ safeDiagnostic: 'scope_unknown' });
  expect(await store.item('site', 'item')).toMatchObject({ labelGuid: null, metadataRevision: 1 });
  expect(await store.changes('site', 1, 10)).toEqual([]);
});
