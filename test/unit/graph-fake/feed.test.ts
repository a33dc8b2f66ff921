import { afterEach, describe, expect, test } from 'vitest';
import { asker } from '../../support/graph/ask.ts';
import type { GraphFake } from '../../support/graph/graph-fake.ts';
import { REPORTS_SHARING } from '../../support/graph/permissions.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';
import type { Quirks } from '../../support/graph/state.ts';

const PREFER = { prefer: 'deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges' };

let fake: GraphFake;
afterEach(() => fake.close());

async function opened(quirks: Partial<Quirks> = {}, more: readonly string[] = []) {
  fake = await smallFake(quirks);
  fake.app(APP.clientId).permissions.push(...more);
  const library = fake.library('Finance');
  const ask = asker(fake, APP.clientId);
  const delta = `/drives/${library.id}/root/delta`;
  const latest = async (headers: Record<string, string> = {}) =>
    (await ask.get(`${delta}?token=latest`, headers)).body['@odata.deltaLink'];
  return { library, ask, delta, latest };
}

const withoutParents = { deltaexcludeparent: 'true' };

describe('pages of the delta of the fake of Graph', () => {
  test('a rename of a folder brings the folder and none of its descendants', async () => {
    const { library, ask, latest } = await opened();
    library.add('Reports/2025/January.txt', 'January');
    const cursor = await latest(withoutParents);
    library.rename(library.addFolder('Reports'), 'Accounts');
    const { body } = await ask.get(cursor, withoutParents);
    expect(body.value.map(({ name }) => name)).toEqual(['Accounts']);
    expect(body.value[0]?.parentReference).not.toHaveProperty('path');
  });

  test('folders above a change are told too, unless the call leaves them out', async () => {
    const { library, ask, latest } = await opened();
    const id = library.add('Reports/2025/January.txt', 'January');
    const cursor = await latest();
    library.edit(id, 'January, corrected');
    const told = async (headers = {}) => (await ask.get(cursor, headers)).body.value.map(({ name }) => name);
    expect(await told()).toEqual(['root', 'Reports', '2025', 'January.txt']);
    expect(await told(withoutParents)).toEqual(['January.txt']);
  });

  test('sharing shows with the headers and full control, and is marked on files', async () => {
    const { library, ask, latest } = await opened({}, [REPORTS_SHARING]);
    const id = library.add('Plan.txt', 'Plan');
    const folder = library.addFolder('Reports');
    const [plain, marked] = [await latest(withoutParents), await latest({ ...PREFER, ...withoutParents })];
    library.share(id, { to: 'link', scope: 'organization', type: 'view' });
    library.share(folder, { to: 'everyoneExceptExternal', role: 'read' });
    expect((await ask.get(plain, withoutParents)).body.value).toEqual([]);
    const { body } = await ask.get(marked, { ...PREFER, ...withoutParents });
    expect(body.value.map((item) => [item.id, item['@microsoft.graph.sharedChanged']])).toEqual([
      [id, true],
      [folder, undefined],
    ]);
  });

  test('a link leaves the eTag as it is, a grant to a person does not', async () => {
    const { library, ask } = await opened();
    const id = library.add('Plan.txt', 'Plan');
    const tags = async () => {
      const { eTag, cTag } = (await ask.get(`/drives/${library.id}/items/${id}`)).body;
      return { eTag, cTag };
    };
    const before = await tags();
    library.share(id, { to: 'link', scope: 'anonymous', type: 'view' });
    expect(await tags()).toEqual(before);
    library.share(id, { to: 'everyone', role: 'read' });
    expect((await tags()).eTag).not.toBe(before.eTag);
    expect((await tags()).cTag).toBe(before.cTag);
    library.edit(id, 'Plan B');
    expect((await tags()).cTag).not.toBe(before.cTag);
  });

  test('a part of the header set is refused, and another set than the cursor has is gone', async () => {
    const { ask, delta, latest } = await opened();
    expect((await ask.get(delta, { prefer: 'deltashowsharingchanges' })).status).toBe(400);
    expect(await ask.get(await latest(), PREFER)).toMatchObject({
      ...{ status: 410, body: { error: { code: 'resyncRequired' } } },
    });
  });

  test('a resync answers 410 with its code, and a link to begin again where it has one', async () => {
    const { library, ask, latest } = await opened();
    library.add('Plan.txt', 'Plan');
    const cursor = await latest();
    library.resync({ code: 'resyncChangesApplyDifferences' });
    const gone = await ask.get(cursor);
    expect(gone).toMatchObject({ status: 410, body: { error: { code: 'resyncChangesApplyDifferences' } } });
    expect((await ask.get(gone.location)).body.value.map(({ name }) => name)).toEqual(['root', 'Plan.txt']);
    library.resync({ code: 'SyncStateNotFound', withLocation: false });
    const again = await ask.get(cursor);
    expect([again.status, again.body.error.code, again.location]).toEqual([410, 'SyncStateNotFound', '']);
  });

  test('a token that is none is a bad request', async () => {
    const { ask, delta } = await opened();
    for (const token of ['nonsense', '', 'MzslMjM0OyUyMzE7Mw']) {
      expect((await ask.get(`${delta}?token=${token}`)).status).toBe(400);
    }
  });

  test('a deleted item has neither name nor cTag, and a later walk lacks it', async () => {
    const { library, ask, delta, latest } = await opened();
    const id = library.add('Plan.txt', 'Plan');
    const cursor = await latest();
    library.remove(id);
    const [item] = (await ask.get(cursor)).body.value;
    expect(item).toMatchObject({ id, deleted: { state: 'deleted' } });
    expect(item).not.toHaveProperty('name');
    expect(item).not.toHaveProperty('cTag');
    expect((await ask.get(delta)).body.value.map(({ name }) => name)).toEqual(['root']);
    expect((await ask.get(`/drives/${library.id}/items/${id}`)).status).toBe(404);
  });

  test('cTags are left out, and paths are told, where a tenant is so', async () => {
    const { library, ask, delta } = await opened({ deltaOmitsContentTag: true, deltaShowsPath: true });
    library.add('Reports/Plan.txt', 'Plan');
    const item = (await ask.get(delta)).body.value.find(({ name }) => name === 'Plan.txt');
    expect(item).not.toHaveProperty('cTag');
    expect(item?.parentReference).toMatchObject({ path: `/drives/${library.id}/root:/Reports` });
  });

  test('fields that no metadata has come along where they are asked for', async () => {
    const { library, ask, delta } = await opened({ withUnknownFields: true });
    library.add('Reports/Plan.txt', 'Plan');
    const { body } = await ask.get(delta);
    expect(body.value.find(({ name }) => name === 'Plan.txt')?.file).toMatchObject({ irmEnabled: false });
    const missing = await ask.get('/drives/b!none');
    expect(missing.body.error).toHaveProperty('innererror');
    expect(fake.violations).toEqual([]);
  });

  test('restored versions bring back the content and its hash, with another cTag', async () => {
    const { library, ask } = await opened();
    const id = library.add('Plan.txt', 'Plan');
    const at = `/drives/${library.id}/items/${id}`;
    const first = (await ask.get(at)).body;
    library.edit(id, 'Plan B');
    const { value } = (await ask.get(`${at}/versions`)).body;
    expect(value.map((version) => version.id)).toEqual(['2.0', '1.0']);
    library.restoreVersion(id, '1.0');
    const restored = (await ask.get(at)).body;
    expect(restored.file).toEqual(first.file);
    expect(restored.cTag).not.toBe(first.cTag);
  });
});
