import {
  type Acted,
  type Asked,
  isText,
  NEW_TEXT,
  type ShownItem,
  type ShownLibrary,
} from '../../local-clouds/acts.ts';
import type { Grant } from '../grants.ts';
import type { FakeLibrary, GraphFake } from '../graph-fake.ts';
import type { Drive, Item, Refusal, Tenant } from '../state.ts';

/** What a person can do in the libraries of the fake, by the page or by JSON. */
const USER_ACTS = [
  'add',
  'edit',
  'share',
  'restrict',
  'rename',
  'label',
  'unlabel',
  'delete',
  'lock',
  'unlock',
  'remove_library',
  'restore_library',
] as const;
export type UserAct = (typeof USER_ACTS)[number];

/** The libraries of everybody, with their items in the order of their paths. */
function shownLibraries(tenant: Tenant): ShownLibrary<UserAct>[] {
  return tenant.sites
    .filter(({ personal }) => !personal)
    .flatMap((site) =>
      site.drives.map((drive) => ({
        libraryId: drive.id,
        name: `${site.name} / ${drive.name}`,
        answers: drive.refusal,
        acts: libraryActs(drive),
        items: [...drive.items.values()]
          .filter(({ parentId }) => parentId !== null)
          .map((item) => shown(tenant, drive, item))
          .sort((a, b) => a.path.localeCompare(b.path, 'en')),
      })),
    );
}

function shown(tenant: Tenant, { items, refusal }: Drive, item: Item): ShownItem<UserAct> {
  const names: string[] = [];
  for (let at: Item | undefined = item; at?.parentId; at = items.get(at.parentId)) names.unshift(at.name);
  const label = tenant.labels.find(({ id }) => id === item.label?.labelId)?.name ?? null;
  return {
    ...{ itemId: item.id, path: names.join('/'), kind: item.kind, label },
    ...{ sharedWith: item.grants.map((grant) => sharedWith(tenant, grant)), deleted: item.deleted },
    acts: item.deleted || refusal !== null ? [] : actsFor(item),
  };
}

const sharedWith = (tenant: Tenant, grant: Grant): string =>
  grant.to === 'link'
    ? `${grant.scope} link (${grant.type})`
    : grant.to === 'person'
      ? (tenant.people.get(grant.personId)?.displayName ?? 'deleted user')
      : grant.to === 'group'
        ? (tenant.groups.get(grant.groupId)?.displayName ?? 'deleted group')
        : grant.to === 'invited'
          ? grant.email
          : 'name' in grant
            ? grant.name
            : grant.to;

/** A library that is locked or removed takes nothing else. */
const libraryActs = ({ refusal }: Drive): UserAct[] =>
  refusal === null
    ? ['add', 'lock', 'remove_library']
    : [refusal === 'locked' ? 'unlock' : 'restore_library'];

const REFUSAL_AFTER: Partial<Record<UserAct, Refusal | null>> = {
  lock: 'locked',
  unlock: null,
  remove_library: 'gone',
  restore_library: null,
};

function actsFor({ kind, name, grants, label }: Item): UserAct[] {
  const always: UserAct[] = [grants.length > 0 ? 'restrict' : 'share', 'rename', 'delete'];
  if (kind === 'folder') return ['add', ...always];
  if (kind !== 'file') return always;
  return [...(isText(name) ? (['edit'] as const) : []), label === null ? 'label' : 'unlabel', ...always];
}

/** The acts of people in the fake. */
export const graphActs = (fake: GraphFake): Acted<UserAct> => ({
  name: 'Microsoft 365',
  hint: 'The service is notified of each change, and reads what changed.',
  acts: USER_ACTS,
  libraries: () => shownLibraries(fake.tenant()),
  act: (asked) => actAsUser(fake, asked),
});

/** `itemId` is the folder of `add`; without one, the file is added at the top. */
function actAsUser(fake: GraphFake, { libraryId, itemId, act }: Asked<UserAct>): string | null {
  const tenant = fake.tenant();
  const library = libraryOf(fake, tenant, libraryId);
  const item = library?.drive.items.get(itemId ?? library.drive.rootId);
  if (library === undefined || item === undefined || item.deleted) return null;
  const refusal = REFUSAL_AFTER[act];
  if (refusal !== undefined) {
    if (itemId !== undefined || !libraryActs(library.drive).includes(act)) return null;
    library.drive.refusal = refusal;
    return library.drive.rootId;
  }
  if (library.drive.refusal !== null) return null;
  if (act === 'add') return library.addTo(item.id, `New invoice ${fake.now()}.txt`, NEW_TEXT);
  if (item.parentId === null || !actsFor(item).includes(act)) return null;
  switch (act) {
    case 'edit':
      library.edit(item.id, `${Buffer.from(item.content?.bytes() ?? [])}\n${NEW_TEXT}\n`);
      break;
    case 'share':
      library.share(item.id, { to: 'link', scope: 'anonymous', type: 'view' });
      break;
    case 'restrict':
      for (const { id } of [...item.grants]) library.unshare(item.id, id);
      break;
    case 'rename':
      library.rename(item.id, `Renamed ${item.name}`);
      break;
    case 'label':
    case 'unlabel':
      library.label(item.id, act === 'label' ? (tenant.labels.at(-1)?.id ?? null) : null);
      break;
    case 'delete':
      library.remove(item.id);
  }
  return item.id;
}

function libraryOf(fake: GraphFake, tenant: Tenant, libraryId: string): FakeLibrary | undefined {
  for (const site of tenant.sites)
    for (const drive of site.drives)
      if (drive.id === libraryId && !site.personal) return fake.library(site.name, drive.name);
  return undefined;
}
