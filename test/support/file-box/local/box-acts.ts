import { type Acted, type Asked, isText, NEW_TEXT, type ShownItem } from '../../local-clouds/acts.ts';
import type { BoxWorld, FakeItem } from '../box-world.ts';

const BOX_ACTS = [
  'add',
  'edit',
  'share',
  'restrict',
  'rename',
  'classify',
  'unclassify',
  'trash',
  'restore',
] as const;
export type BoxAct = (typeof BOX_ACTS)[number];

/** The acts of people in the fake, in folders of Box. */
export const boxActs = (world: BoxWorld, folders: readonly string[]): Acted<BoxAct> => ({
  name: 'Box',
  hint: 'The service asks for events every half minute, and reads what changed.',
  acts: BOX_ACTS,
  libraries: () =>
    folders.map((id) => ({
      libraryId: id,
      name: world.item('folder', id).name,
      answers: null,
      acts: ['add'] as const,
      items: [...world.items.values()]
        .filter((item) => isIn(world, item, id))
        .map((item) => shown(world, item))
        .sort((a, b) => a.path.localeCompare(b.path, 'en')),
    })),
  act: (asked) => actAsUser(world, folders, asked),
});

/** A web link is none of the service's items. */
const isIn = (world: BoxWorld, item: FakeItem, folderId: string): boolean =>
  item.type !== 'web_link' && world.above(item).some(({ id }) => id === folderId);

function shown(world: BoxWorld, item: FakeItem): ShownItem<BoxAct> {
  const path = [item, ...world.above(item)].map(({ name }) => name).reverse();
  return {
    ...{ itemId: itemIdOf(item), path: path.slice(1).join('/'), label: item.classification },
    ...{ kind: item.type === 'folder' ? 'folder' : 'file', sharedWith: sharedWith(world, item) },
    ...{ deleted: world.isTrashed(item), acts: actsFor(world, item) },
  };
}

/** As the service names it. */
const itemIdOf = ({ type, id }: FakeItem): string => (type === 'folder' ? `folder:${id}` : id);

function sharedWith(world: BoxWorld, { link, collaborations }: FakeItem): string[] {
  const links = link === null ? [] : [`${link.access} link${link.password ? ' with a password' : ''}`];
  return [
    ...links,
    ...collaborations.map(
      ({ userId, inviteEmail, role, status }) =>
        `${world.users.get(userId ?? '')?.login ?? inviteEmail} (${role}${status === 'pending' ? ', invited' : ''})`,
    ),
  ];
}

function actsFor(world: BoxWorld, item: FakeItem): BoxAct[] {
  if (world.isTrashed(item)) return item.trashed ? ['restore'] : [];
  const always: BoxAct[] = [item.link === null ? 'share' : 'restrict', 'rename', 'trash'];
  if (item.type === 'folder') return ['add', ...always];
  const labels: BoxAct[] = [item.classification === null ? 'classify' : 'unclassify'];
  return [...(isText(item.name) ? (['edit'] as const) : []), ...labels, ...always];
}

/** `itemId` is the folder of `add`; without one, the file is added at the top. */
function actAsUser(
  world: BoxWorld,
  folders: readonly string[],
  { libraryId, itemId, act }: Asked<BoxAct>,
): string | null {
  if (!folders.includes(libraryId)) return null;
  const name = `New invoice ${world.items.size}.txt`;
  if (itemId === undefined) return act === 'add' ? world.addFile(name, libraryId, NEW_TEXT) : null;
  const [, isFolder, id = ''] = /^(folder:)?(.*)$/s.exec(itemId) ?? [];
  const item = world.items.get(`${isFolder ? 'folder' : 'file'}/${id}`);
  if (item === undefined || !isIn(world, item, libraryId) || !actsFor(world, item).includes(act)) return null;
  const { type } = item;
  switch (act) {
    case 'add':
      return world.addFile(name, id, NEW_TEXT);
    case 'edit':
      world.edit(id, `${item.bytes}\n${NEW_TEXT}\n`);
      break;
    case 'share':
      world.share(type, id, { access: 'open' });
      break;
    case 'restrict':
      world.share(type, id, null);
      break;
    case 'rename':
      world.rename(type, id, `Renamed ${item.name}`);
      break;
    case 'classify':
    case 'unclassify':
      world.classify(id, act === 'classify' ? (world.classifications.at(-1) ?? null) : null);
      break;
    case 'trash':
      world.remove(type, id);
      break;
    case 'restore':
      world.restore(type, id);
  }
  return itemId;
}
