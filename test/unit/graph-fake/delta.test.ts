import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesTo } from '../../support/graph/drive-item-json.ts';
import { type GraphFake, startGraphFake } from '../../support/graph/graph-fake.ts';
import type { DriveItemJson } from '../../support/graph/schemas.ts';
import type { Drive, Quirks } from '../../support/graph/state.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const CLIENT = 'reader';
const PREFER = 'deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges';

const started = (quirks: Partial<Quirks> = {}) =>
  startGraphFake({
    tenants: [
      {
        name: 'Fixture',
        apps: [{ clientId: CLIENT, permissions: ['Sites.FullControl.All'] }],
        sites: [{ name: 'Finance', libraries: ['Documents'] }],
        quirks,
      },
    ],
  });

type Page = { value: DriveItemJson[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string };

/** Follows a delta by the rules for its readers: by id, the last occurrence wins, folders removed at the end. */
function reader(fake: GraphFake, headers: Record<string, string> = {}) {
  const known = new Map<string, { name: string; parentId: string | null }>();
  const authorization = `Bearer ${fake.token(CLIENT)}`;
  const fetched = async (link: string): Promise<Page> => {
    const response = await fetch(link, { headers: { ...headers, authorization } });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Page;
  };
  const pathOf = (id: string): string[] | null => {
    const item = known.get(id);
    if (item === undefined) return null;
    if (item.parentId === null) return [];
    const above = pathOf(item.parentId);
    return above === null ? null : [...above, item.name];
  };
  return {
    known,
    /** @returns the delta link */
    async round(link: string, between: () => void = () => undefined): Promise<string> {
      let next = link;
      const removed = new Set<string>();
      for (let pages = 0; pages < 500; pages++) {
        const page = await fetched(next);
        for (const item of page.value) {
          if (item.deleted === undefined) {
            removed.delete(item.id);
            const parentId = item.root === undefined ? (item.parentReference?.id ?? '') : null;
            known.set(item.id, { name: item.name ?? '', parentId });
          } else removed.add(item.id);
        }
        if (page['@odata.deltaLink'] !== undefined) {
          for (const id of removed) known.delete(id);
          for (const id of [...known.keys()]) if (pathOf(id) === null) known.delete(id);
          return page['@odata.deltaLink'];
        }
        next = page['@odata.nextLink'] ?? '';
        between();
      }
      throw new Error('The delta does not end.');
    },
    paths: () => [...known.keys()].map((id) => `${id} ${pathOf(id)?.join('/')}`).sort(),
  };
}

const pathsOf = (drive: Drive): string[] =>
  [...drive.items.values()]
    .filter(({ deleted }) => !deleted)
    .map((item) => `${item.id} ${namesTo(drive, item).join('/')}`)
    .sort();

type Act = {
  kind: 'add' | 'folder' | 'edit' | 'rename' | 'move' | 'remove' | 'share';
  at: number;
  to: number;
};

const acts = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind'][]>('add', 'add', 'folder', 'edit', 'rename', 'move', 'remove', 'share'),
    at: fc.nat(1000),
    to: fc.nat(1000),
  }),
  { minLength: 5, maxLength: 40 },
);

function perform(fake: GraphFake, { kind, at, to }: Act, count: { n: number }): void {
  const library = fake.library('Finance');
  const alive = [...library.drive.items.values()].filter((item) => !item.deleted);
  const folders = alive.filter((item) => item.kind === 'folder');
  const others = alive.filter((item) => item.parentId !== null);
  const folder = folders[at % folders.length];
  const item = others[to % Math.max(1, others.length)];
  const name = `Item ${count.n++}`;
  if (kind === 'add' && folder !== undefined) library.addTo(folder.id, `${name}.txt`, name);
  if (kind === 'folder' && folder !== undefined) {
    library.addFolder([...namesTo(library.drive, folder), name].join('/'));
  }
  if (item === undefined) return;
  if (kind === 'edit' && item.kind === 'file') library.edit(item.id, name);
  if (kind === 'rename') library.rename(item.id, name);
  if (kind === 'remove') library.remove(item.id);
  if (kind === 'share') library.share(item.id, { to: 'link', scope: 'organization', type: 'view' });
  if (kind === 'move' && folder !== undefined) {
    const way: string[] = [];
    for (let here = folder.id; here !== ''; here = library.drive.items.get(here)?.parentId ?? '')
      way.push(here);
    if (!way.includes(item.id)) library.move(item.id, folder.id);
  }
}

describe('the delta of the fake of Graph', () => {
  test.each<Partial<Quirks>>([
    {},
    { deletedFolderAlone: true, links: 'query' },
    { links: 'skiptoken', pageOverflow: 3, deltaShowsPath: true },
    { links: 'keys' },
  ])('a reader that follows the delta from any cursor knows what the library holds: %o', async (quirks) => {
    await fc.assert(
      fc.asyncProperty(acts, acts, acts, fc.integer({ min: 1, max: 7 }), fc.boolean(), async (...drawn) => {
        const [before, during, after, top, excludes] = drawn;
        const fake = await started(quirks);
        try {
          const count = { n: 0 };
          for (const act of before) perform(fake, act, count);
          const library = fake.library('Finance');
          const first = `${fake.graphOrigin}/v1.0/drives/${library.id}/root/delta?$top=${top}`;
          const follower = reader(fake, {
            prefer: PREFER,
            ...(excludes ? { deltaexcludeparent: 'true' } : {}),
          });
          fake.fail({ on: 'delta', after: 1, fault: { kind: 'emptyPage' } });
          fake.fail({ on: 'delta', after: 2, fault: { kind: 'repeatLink' } });
          fake.fail({ on: 'delta', times: 3, fault: { kind: 'repeatItems' } });
          const waiting = [...during];
          const cursor = await follower.round(first, () => {
            const act = waiting.shift();
            if (act !== undefined) perform(fake, act, count);
          });
          expect(follower.paths()).toEqual(pathsOf(library.drive));
          for (const act of [...waiting, ...after]) perform(fake, act, count);
          await follower.round(cursor);
          expect(follower.paths()).toEqual(pathsOf(library.drive));
          // From the same cursor once more, as after a crash: nothing is lost.
          await follower.round(cursor);
          expect(follower.paths()).toEqual(pathsOf(library.drive));
          expect(fake.violations).toEqual([]);
        } finally {
          await fake.close();
        }
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});
