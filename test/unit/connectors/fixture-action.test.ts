import { describe, expect, it } from 'vitest';
import { DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { applyFixtureAction, FIXTURE_ACTIONS } from '../../../infra/local/fixture/fixture-action.ts';
import { createFixtureConnector } from '../../../infra/local/fixture/fixture-connector.ts';
import { fixtureBytes } from '../../../infra/local/fixture/fixture-content.ts';
import type { FixtureItem, FixtureScope } from '../../../infra/local/fixture/fixture-store.ts';
import { LABEL_CATALOG } from '../../../infra/local/fixture/label-catalog.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';
import { refusal, walkAll } from '../../contract/connector.exercise.ts';
import { memoryFixtureStore } from '../../support/memory-fixture-store.ts';

const FACTS = { at: '2026-01-02T03:04:05.000Z', newExternalId: 'itm-new' };
const live = new AbortController().signal;
const fixture = seedFixture('actions');
const [scope, item] = firstOf(fixture.scopes, fixture.items);

function firstOf(scopes: FixtureScope[], items: FixtureItem[]): [FixtureScope, FixtureItem] {
  const [first] = scopes;
  const own = items.find((candidate) => candidate.scopeExternalId === first?.externalId);
  return first !== undefined && own !== undefined ? [first, own] : expect.unreachable('An empty fixture.');
}

const apply = (
  request: Parameters<typeof applyFixtureAction>[2],
  to: FixtureItem | null = item,
): FixtureItem =>
  applyFixtureAction(scope, to, request, FACTS).item ?? expect.unreachable('No item came of it.');

describe('actions on the fixture tenant', () => {
  it('are those of the specification', () => {
    expect(FIXTURE_ACTIONS.join(' ')).toBe(
      'add edit rename overshare restrict set_label clear_label delete request_resync',
    );
  });

  it('number every change, and touch neither of the rows given', () => {
    const before = structuredClone([scope, item]);
    for (const action of FIXTURE_ACTIONS.filter((name) => name !== 'request_resync')) {
      const change = applyFixtureAction(scope, item, { action }, FACTS);
      expect(change.scope.changeSeq).toBe(scope.changeSeq + 1);
      expect(change.item?.changeSeq).toBe(change.scope.changeSeq);
    }
    expect([scope, item]).toEqual(before);
  });

  it.each(['rename', 'overshare', 'restrict', 'set_label', 'clear_label'] as const)(
    '%s leaves the content alone',
    (action) => {
      const changed = apply({ action });
      expect(changed.metadataRevision).toBe(item.metadataRevision + 1);
      expect(changed.contentRevision).toBe(item.contentRevision);
      expect(fixtureBytes(changed)).toEqual(fixtureBytes(item));
    },
  );

  it('edit changes the bytes and the size with them, with and without new text', () => {
    const amended = apply({ action: 'edit' });
    const rewritten = apply({ action: 'edit', content: 'Title\nAll new' });
    expect(fixtureBytes(amended)).not.toEqual(fixtureBytes(item));
    for (const changed of [amended, rewritten]) expect(changed.sizeBytes).toBe(fixtureBytes(changed).length);
    expect(Buffer.from(fixtureBytes(rewritten)).includes('All new')).toBe(true);
  });

  it('add makes a readable note by default, and the format of the name that is given', () => {
    expect(apply({ action: 'add' }, null)).toMatchObject({
      externalId: 'itm-new',
      format: 'txt',
      deleted: false,
    });
    expect(apply({ action: 'add', name: 'Plan.xlsx', content: 'x' }, null)).toMatchObject({ format: 'xlsx' });
  });

  it('overshare opens an item to anyone once, restrict closes it again', () => {
    const open = apply({ action: 'overshare' }, apply({ action: 'overshare' }));
    expect(open.grants.filter((grant) => grant.principalKind === 'anyone')).toHaveLength(1);
    const closed = apply({ action: 'restrict' }, open);
    expect(closed.grants.length).toBeGreaterThan(0);
    expect(closed.grants.every((grant) => !grant.external && grant.principalKind === 'group')).toBe(true);
  });

  it('sets a label of the catalog and no other, and clears it', () => {
    const [label] = LABEL_CATALOG;
    expect(apply({ action: 'set_label', labelGuid: label.guid }).labelGuid).toBe(label.guid);
    expect(apply({ action: 'clear_label' }).labelGuid).toBeNull();
    expect(() => apply({ action: 'set_label', labelGuid: 'no-label' })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });

  it('refuses names that are none, and items that are not there', () => {
    for (const name of ['', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(256)])
      expect(() => apply({ action: 'rename', name })).toThrow(
        expect.objectContaining({ code: 'validation_failed' }),
      );
    const gone = apply({ action: 'delete' });
    for (const missing of [null, gone])
      expect(() => apply({ action: 'edit' }, missing)).toThrow(
        expect.objectContaining({ code: 'not_found' }),
      );
  });
});

describe('the feed of the fixture tenant', () => {
  const open = () => {
    const store = memoryFixtureStore(fixture);
    const act = (id: string | null, request: Parameters<typeof applyFixtureAction>[2]) =>
      store.update(scope.externalId, id, (row, of) => applyFixtureAction(row, of, request, FACTS));
    return { connector: createFixtureConnector({ store }), act };
  };

  it('forgets its cursors on request, and knows those of the next walk', async () => {
    const { connector, act } = open();
    const stale = (await walkAll(connector, scope.externalId, live)).pages.at(-1)?.deltaCursor ?? '';
    await act(null, { action: 'request_resync' });
    const error = await refusal(connector.listDelta(scope.externalId, stale, null, live));
    expect(error).toBeInstanceOf(DeltaCursorInvalid);
    const fresh = (await walkAll(connector, scope.externalId, live)).pages.at(-1)?.deltaCursor ?? '';
    const delta = await connector.listDelta(scope.externalId, fresh, null, live);
    expect(delta).toEqual({ changes: [], nextPageToken: null, deltaCursor: fresh });
  });

  it('reports what changed behind a walk while it went on', async () => {
    const { connector, act } = open();
    const first = await connector.listItems(scope.externalId, null, live);
    const walked = first.items[0]?.externalId ?? '';
    await act(walked, { action: 'edit' });
    const rest = await connector.listItems(scope.externalId, first.nextPageToken, live);
    const delta = await connector.listDelta(scope.externalId, rest.deltaCursor ?? '', null, live);
    expect(delta.changes).toMatchObject([{ type: 'upsert', item: { externalId: walked } }]);
  });

  it('tells the labels and the grants of an item', async () => {
    const { connector, act } = open();
    await act(item.externalId, { action: 'set_label', labelGuid: LABEL_CATALOG[3].guid });
    expect(await connector.getLabel(scope.externalId, item.externalId, live)).toEqual({
      state: 'labeled',
      labelGuid: LABEL_CATALOG[3].guid,
      labelName: 'Highly Confidential',
    });
    await act(item.externalId, { action: 'clear_label' });
    expect(await connector.getLabel(scope.externalId, item.externalId, live)).toEqual({ state: 'unlabeled' });
    const permissions = await connector.getPermissions(scope.externalId, item.externalId, live);
    expect(permissions).toEqual({ grants: item.grants, complete: true });
  });

  it('refuses the content of what is locked, and declares what is too large', async () => {
    const { connector } = open();
    const locked = fixture.items.filter((row) => !row.readable);
    const states = await Promise.all(
      locked.map((row) => connector.readContent(row.scopeExternalId, row.externalId, 2 ** 20, live)),
    );
    expect(states.map((content) => content.state).toSorted()).toEqual(['inaccessible', 'too_large']);
  });
});
