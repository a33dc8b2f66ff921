import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Connector,
  ConnectorError,
  type ContentRead,
  type DeltaChange,
  type SourceItem,
} from '../../core/connectors/connector.ts';
import { TABLE_SAMPLE_TYPE, TableSample } from '../../core/kernel/table-sample.ts';

/** One connector over a source that the exercise may change. The scope starts with more than one page of items. */
export type Subject = {
  connector: Connector;
  scopeExternalId: string;
  /** Names and paths of the source: no error may hold one of them. */
  canaries: readonly string[];
  /** How the source behaves to its own users. Ids are those of the items after the act. */
  act: {
    add(name: string, text: string): Promise<string>;
    edit(externalId: string, text: string): Promise<void>;
    rename(externalId: string, name: string): Promise<string>;
    remove(externalId: string): Promise<void>;
  };
  close(): Promise<void>;
};

const SAFE_DIAGNOSTIC = /^[a-z0-9_]{1,60}$/;
const MAX_PAGE = 200;
const ENOUGH = 10 * 1024 * 1024;

/** Registers the tests that every connector must pass. */
export function exerciseConnector(name: string, open: () => Promise<Subject>): void {
  describe(`${name}: what every connector does`, () => {
    const live = new AbortController().signal;
    let subject: Subject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    const walk = () => walkAll(subject.connector, subject.scopeExternalId, live);
    const get = (id: string) => subject.connector.getItem(subject.scopeExternalId, id, live);
    const read = (id: string, maxBytes = ENOUGH) =>
      subject.connector.readContent(subject.scopeExternalId, id, maxBytes, live);
    const textOf = async (id: string) => {
      const content = await read(id);
      return content.state === 'available' ? new TextDecoder().decode(content.bytes) : content.state;
    };

    it('lists its scopes in a stable order, the exercised one among them', async () => {
      const page = await subject.connector.listScopes(null, live);
      const { scopes } = page;
      expect(await subject.connector.listScopes(null, live)).toEqual(page);
      expect(scopes.map((scope) => scope.externalId)).toContain(subject.scopeExternalId);
      expect(new Set(scopes.map((scope) => scope.externalId)).size).toBe(scopes.length);
    });

    it('lists its labels in a stable order, each once', async () => {
      const labels = await subject.connector.listLabels(live);
      expect(await subject.connector.listLabels(live)).toEqual(labels);
      expect(new Set(labels.map((label) => label.guid)).size).toBe(labels.length);
    });

    it('walks in bounded pages, each item once, in the same order each time', async () => {
      const first = await walk();
      const ids = first.items.map((item) => item.externalId);
      expect(first.pages.length).toBeGreaterThan(1);
      expect(Math.max(...first.pages.map((page) => page.items.length))).toBeLessThanOrEqual(MAX_PAGE);
      expect(new Set(ids).size).toBe(ids.length);
      expect((await walk()).items).toEqual(first.items);
    });

    it('goes on from a page token as often as asked', async () => {
      const { pages } = await walk();
      const token = pages[0]?.nextPageToken ?? null;
      expect(token).not.toBeNull();
      const again = await subject.connector.listItems(subject.scopeExternalId, token, live);
      expect(again.items).toEqual(pages[1]?.items);
    });

    it('counts no fewer bytes than it lists, if the source has a counter', async () => {
      const listed = (await walk()).items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const counted = (await subject.connector.countedBytes?.(subject.scopeExternalId, live)) ?? listed;
      expect(counted).toBeGreaterThanOrEqual(listed);
    });

    it('gives the cursor of a feed on the last page only, and none without a feed', async () => {
      const cursors = (await walk()).pages.map((page) => page.deltaCursor);
      const last = cursors.pop();
      expect(cursors.every((cursor) => cursor === null)).toBe(true);
      expect(typeof last === 'string').toBe(subject.connector.delta === 'feed');
    });

    it('shows an item alone as the walk shows it', async () => {
      const { items } = await walk();
      // The service derives the path of an item that names its folder.
      const shown = (item: SourceItem) => (item.parentExternalId ? { ...item, path: '' } : item);
      for (const item of items.slice(0, 25))
        expect(shown(await itemAt(get, item.externalId))).toEqual(shown(item));
    });

    it('answers for an item that never was', async () => {
      for (const id of ['', 'nobody', '../../etc/passwd', 'Li4vLi4', '\0', 'x'.repeat(20_000)]) {
        expect(await get(id)).toBeNull();
        expect(await read(id)).toEqual({ state: 'inaccessible' });
        const permissions = await subject.connector.getPermissions(subject.scopeExternalId, id, live);
        expect(permissions).toEqual({ grants: [], complete: false });
        const label = await subject.connector.getLabel(subject.scopeExternalId, id, live);
        expect(label).toEqual({ state: 'unknown' });
      }
    });

    it('changes both versions on an edit, and reads the new content', async () => {
      const id = await subject.act.add('Exercise.txt', 'before the edit');
      const before = await itemAt(get, id);
      expect(await textOf(id)).toContain('before the edit');
      await subject.act.edit(id, 'after the edit, and longer');
      const after = await itemAt(get, id);
      expect(after.sourceVersion).not.toBe(before.sourceVersion);
      expect(after.contentVersion).not.toBe(before.contentVersion);
      expect(await textOf(id)).toContain('after the edit');
    });

    it('keeps the content version through a rename', async () => {
      const id = await subject.act.add('Old name.txt', 'the same words');
      const before = await itemAt(get, id);
      const renamed = await subject.act.rename(id, 'New name.txt');
      const after = await itemAt(get, renamed);
      expect(after.name).toBe('New name.txt');
      expect(after.contentVersion).toBe(before.contentVersion);
      expect(after.sourceVersion).not.toBe(before.sourceVersion);
      if (renamed !== id) expect(await get(id)).toBeNull();
    });

    it('leaves versions alone when nothing happens', async () => {
      const before = (await walk()).items;
      const added = await subject.act.add('Unrelated.txt', 'another file');
      const after = (await walk()).items.filter((item) => item.externalId !== added);
      expect(after).toEqual(before);
    });

    it('reports exactly what was added, edited, renamed and removed', async () => {
      const kept = await subject.act.add('Kept.txt', 'kept');
      const edited = await subject.act.add('Edited.txt', 'edited');
      const renamed = await subject.act.add('Renamed.txt', 'renamed');
      const removed = await subject.act.add('Removed.txt', 'removed');
      const before = await walk();

      const added = await subject.act.add('Added.txt', 'added');
      await subject.act.edit(edited, 'edited, now longer');
      const moved = await subject.act.rename(renamed, 'Moved.txt');
      await subject.act.remove(removed);

      const changes = await changesSince(subject, before, live);
      const upserts = changes.flatMap((change) => (change.type === 'upsert' ? [change.item.externalId] : []));
      const deletions = changes.flatMap((change) => (change.type === 'delete' ? [change.externalId] : []));
      expect(upserts.toSorted()).toEqual([added, edited, moved].toSorted());
      expect(deletions.toSorted()).toEqual([removed, ...(moved === renamed ? [] : [renamed])].toSorted());
      expect(upserts).not.toContain(kept);
      expect(await get(removed)).toBeNull();
      expect(await read(removed)).toEqual({ state: 'inaccessible' });
      expect(await changesSince(subject, await walk(), live)).toEqual([]);
    });

    it('reads nothing of an item that is larger than asked for, and rows of a table', async () => {
      const text = 'twenty bytes of text';
      const id = await subject.act.add('Bound.txt', text);
      const { kind, sizeBytes } = await itemAt(get, id);
      if (kind === 'table') return expectBoundedRows((maxBytes) => read(id, maxBytes));
      expect(await read(id, sizeBytes - 1)).toEqual({ state: 'too_large', sizeBytes });
      expect(await read(id, sizeBytes)).toMatchObject({ state: 'available' });
    });

    it('reads as many bytes as the listing says, of a table a sample', async () => {
      for (const item of (await walk()).items.slice(0, 10)) {
        const content = await read(item.externalId);
        if (item.kind === 'table') {
          expect(item.mimeType).toBe(TABLE_SAMPLE_TYPE);
          expect(sampleIn(content)).toMatchObject({ table: item.name });
          continue;
        }
        expect(content.state === 'available' ? content.bytes.length : item.sizeBytes).toBe(item.sizeBytes);
      }
    });

    it('throws connector errors that tell nothing of the source', async () => {
      const { connector, scopeExternalId: scope } = subject;
      const attempts = [
        () => connector.listItems('no such scope', null, live),
        () => connector.getItem('no such scope', 'x', live),
        () => connector.readContent('no such scope', 'x', ENOUGH, live),
        () => connector.listItems(scope, 'no such token', live),
        () => connector.listItems(scope, '../../..', live),
        ...(connector.delta === 'feed'
          ? [() => connector.listDelta(scope, 'no such cursor', null, live)]
          : []),
        () => connector.listScopes('no such page', live),
      ];
      for (const attempt of attempts) expectSafe(await refusal(attempt()), subject.canaries);
    });

    it('rejects at once when the signal has fired', async () => {
      const { connector, scopeExternalId: scope } = subject;
      const id = (await walk()).items[0]?.externalId ?? '';
      const fired = AbortSignal.abort();
      const attempts = [
        () => connector.listScopes(null, fired),
        () => connector.listItems(scope, null, fired),
        () => connector.getItem(scope, id, fired),
        () => connector.getPermissions(scope, id, fired),
        () => connector.getLabel(scope, id, fired),
        () => connector.readContent(scope, id, ENOUGH, fired),
        ...(connector.delta === 'feed' ? [() => connector.listDelta(scope, '1.1', null, fired)] : []),
      ];
      for (const attempt of attempts) {
        const error = await refusal(attempt());
        expectSafe(error, subject.canaries);
        expect(error).toMatchObject({ safeDiagnostic: 'aborted', retryClass: 'transient' });
      }
    });

    it('rejects when the signal fires in mid-call', async () => {
      const stop = new AbortController();
      const listing = subject.connector.listItems(subject.scopeExternalId, null, stop.signal);
      stop.abort();
      expect(await refusal(listing)).toMatchObject({ safeDiagnostic: 'aborted' });
    });
  });
}

/** A sample has as many rows as there is room for, and a bound without room for any has none of it. */
async function expectBoundedRows(read: (maxBytes: number) => Promise<ContentRead>): Promise<void> {
  const whole = await read(ENOUGH);
  expect(sampleIn(whole).rows.length).toBeGreaterThan(0);
  const size = whole.state === 'available' ? whole.bytes.length : 0;
  expect(await read(size)).toEqual(whole);
  const smaller = await read(size - 1);
  expect(sampleIn(smaller).rows.length).toBeLessThan(sampleIn(whole).rows.length);
  expect(await read(1)).toMatchObject({ state: 'too_large' });
}

const sampleIn = (content: ContentRead): TableSample =>
  content.state === 'available'
    ? TableSample.parse(JSON.parse(new TextDecoder().decode(content.bytes)))
    : expect.unreachable(content.state);

type Walk = {
  pages: { items: SourceItem[]; nextPageToken: string | null; deltaCursor: string | null }[];
  items: SourceItem[];
};

/** All pages of a scope, at most a thousand. */
export async function walkAll(connector: Connector, scopeId: string, signal: AbortSignal): Promise<Walk> {
  const pages: Walk['pages'] = [];
  let token: string | null = null;
  do {
    const page = await connector.listItems(scopeId, token, signal);
    pages.push(page);
    token = page.nextPageToken;
  } while (token !== null && pages.length < 1000);
  return { pages, items: pages.flatMap((page) => page.items) };
}

/** What happened since a walk: from the feed where there is one, by a second walk where there is none. */
async function changesSince(subject: Subject, before: Walk, signal: AbortSignal): Promise<DeltaChange[]> {
  const { connector, scopeExternalId } = subject;
  if (connector.delta === 'comparison') {
    const known = new Map(before.items.map((item) => [item.externalId, item.sourceVersion]));
    const { items } = await walkAll(connector, scopeExternalId, signal);
    const changed = items.filter(({ externalId, sourceVersion }) => known.get(externalId) !== sourceVersion);
    for (const { externalId } of items) known.delete(externalId);
    return [
      ...changed.map((item) => ({ type: 'upsert' as const, item })),
      ...Array.from(known.keys(), (externalId) => ({ type: 'delete' as const, externalId })),
    ];
  }
  const cursor = before.pages.at(-1)?.deltaCursor ?? '';
  const changes: DeltaChange[] = [];
  let token: string | null = null;
  do {
    const page = await connector.listDelta(scopeExternalId, cursor, token, signal);
    changes.push(...page.changes);
    token = page.nextPageToken;
  } while (token !== null);
  return changes;
}

async function itemAt(
  get: (id: string) => Promise<SourceItem | 'denied' | null>,
  id: string,
): Promise<SourceItem> {
  const item = await get(id);
  if (item === null || item === 'denied') throw new Error('The item is not there.');
  return item;
}

/** What a promise was rejected with; fails when it was not. */
export const refusal = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => expect.unreachable('It should have been refused.'),
    (error: unknown) => error,
  );

/** Holds an error to the rule: ours, with a diagnostic of safe characters, and not one canary in all that it says. */
export function expectSafe(error: unknown, canaries: readonly string[]): void {
  if (!(error instanceof ConnectorError)) throw new Error('Not a ConnectorError.', { cause: error });
  expect(error.safeDiagnostic).toMatch(SAFE_DIAGNOSTIC);
  expect(error.cause).toBeUndefined();
  const said = JSON.stringify([error.name, error.message, error.safeDiagnostic]);
  for (const canary of canaries) expect(said.includes(canary)).toBe(false);
}
