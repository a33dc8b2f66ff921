import type { BoxWorld, FakeCollaboration, FakeGroup, FakeItem, FakeUser } from './box-world.ts';

/** Whoever calls: the service account, or a person. */
export type Caller = { userId: string };

export const userMini = ({ id, name, login }: FakeUser) => ({ type: 'user', id, name, login });

export const groupMini = ({ id, name, isAllUsers }: FakeGroup) => ({
  type: 'group',
  id,
  name,
  group_type: isAllUsers ? 'all_users_group' : 'managed_group',
});

/** Whether an account has access by itself, by an invitation, or by a group; an invitation holds for all that is below. */
export function sees(world: BoxWorld, item: FakeItem, { userId }: Caller): boolean {
  return [item, ...world.above(item)].some(
    ({ ownerId, collaborations }) =>
      ownerId === userId ||
      collaborations.some(
        (each) =>
          each.status === 'accepted' &&
          (each.userId === userId || world.groups.get(each.groupId ?? '')?.members.includes(userId)),
      ),
  );
}

/** The folders above an item that the account sees, the outermost first: its own root, then the others. */
function path(world: BoxWorld, item: FakeItem, caller: Caller) {
  const seen = world
    .above(item)
    .filter((folder) => sees(world, folder, caller))
    .reverse();
  return [
    { type: 'folder', id: '0', sequence_id: null, etag: null, name: 'All Files' },
    ...seen.map(({ id, sequence, etag, name }) => ({
      type: 'folder',
      id,
      sequence_id: String(sequence),
      etag: String(etag),
      name,
    })),
  ];
}

function linkJson(item: FakeItem) {
  const { link } = item;
  if (link === null) return null;
  const permission = link.permission ?? 'can_download';
  return {
    url: `https://app.box.com/s/${item.id}`,
    download_url: null,
    vanity_url: null,
    vanity_name: null,
    access: link.access,
    effective_access: link.effective ?? link.access,
    effective_permission: permission,
    unshared_at: link.unsharedAt ?? null,
    is_password_enabled: link.password ?? false,
    permissions: {
      can_preview: permission !== 'no_access',
      can_download: permission === 'can_download' || permission === 'can_edit',
      can_edit: permission === 'can_edit',
    },
    download_count: 0,
    preview_count: 0,
  };
}

const withoutOwner = (world: BoxWorld, id: string) => {
  const user = world.users.get(id);
  if (user === undefined) throw new Error('An item has an owner');
  return userMini(user);
};

/** All that Box says of an item, of which `fields` chooses. */
function itemJson(world: BoxWorld, item: FakeItem, caller: Caller): Record<string, unknown> {
  const entries = path(world, item, caller);
  const isOwner = item.ownerId === caller.userId;
  const common = {
    type: item.type,
    id: item.id,
    etag: String(item.etag),
    sequence_id: String(item.sequence),
    name: item.name,
    created_at: item.createdAt,
    modified_at: item.modifiedAt,
    created_by: withoutOwner(world, item.ownerId),
    modified_by: withoutOwner(world, item.modifiedBy),
    owned_by: withoutOwner(world, item.ownerId),
    parent: entries.at(-1),
    path_collection: { total_count: entries.length, entries },
    item_status: world.isTrashed(item) ? 'trashed' : 'active',
    shared_link: linkJson(item),
  };
  if (item.type === 'web_link') return { ...common, url: 'https://example.test/' };
  const rights = {
    can_delete: isOwner,
    can_download: item.canDownload,
    can_invite_collaborator: isOwner,
    can_rename: isOwner,
    can_set_share_access: isOwner,
    can_share: isOwner,
  };
  const shared = {
    ...common,
    has_collaborations: item.collaborations.length > 0,
    is_externally_owned: world.users.get(item.ownerId)?.isOurs === false,
    classification:
      item.classification === null
        ? null
        : { name: item.classification, definition: 'As it says.', color: '#4f4f4f' },
    watermark_info: { is_watermarked: item.isWatermarked },
  };
  if (item.type === 'folder') return { ...shared, size: 0, permissions: { ...rights, can_upload: isOwner } };
  const lock = {
    type: 'lock',
    id: '9',
    created_by: withoutOwner(world, item.ownerId),
    created_at: item.modifiedAt,
    expired_at: item.lockedUntil ?? item.modifiedAt,
    is_download_prevented: false,
    app_type: null,
  };
  return {
    ...shared,
    sha1: world.sha1(item),
    size: item.bytes.length,
    file_version: { type: 'file_version', id: item.versionId, sha1: world.sha1(item) },
    permissions: {
      ...rights,
      can_annotate: false,
      can_comment: false,
      can_preview: true,
      can_upload: isOwner,
      can_view_annotations_all: false,
      can_view_annotations_self: false,
    },
    lock: item.lockedUntil === null ? null : lock,
  };
}

/** `fields` replaces the usual set, and never takes away type, id and etag. */
export function shownItem(world: BoxWorld, item: FakeItem, caller: Caller, fields: readonly string[]) {
  const all = itemJson(world, item, caller);
  const wanted = new Set(['type', 'id', 'etag', ...fields]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}

/** The root of an account, which has neither owner nor parent. */
export const rootJson = {
  type: 'folder',
  id: '0',
  etag: null,
  sequence_id: null,
  name: 'All Files',
  path_collection: { total_count: 0, entries: [] },
  parent: null,
  item_status: 'active',
  shared_link: null,
};

export function collaborationJson(world: BoxWorld, each: FakeCollaboration) {
  const user = world.users.get(each.userId ?? '');
  const group = world.groups.get(each.groupId ?? '');
  const grantee = group !== undefined ? groupMini(group) : user && { ...userMini(user), is_active: true };
  return {
    type: 'collaboration',
    id: each.id,
    // Somebody who has not accepted has no account yet.
    accessible_by: grantee ?? null,
    invite_email: each.inviteEmail ?? null,
    role: each.role,
    status: each.status,
    expires_at: each.expiresAt ?? null,
    is_access_only: each.isAccessOnly ?? false,
  };
}
