import type { Grant, Permissions } from '../connector.ts';
import type { BoxCollaboration, BoxPerson, SharedLink } from './box-answers.ts';

/** How one file or folder is shared, without what its folders add. */
export type BoxSharing = {
  owner: BoxPerson | null;
  isOwnedOutside: boolean;
  link: SharedLink | null;
  /** Null if Box refuses to list them, or one of them cannot be read. */
  collaborations: readonly BoxCollaboration[] | null;
};

type Known = {
  /** Sign-in names of the enterprise in lower case. Null if Box does not list them. */
  colleagues: ReadonlySet<string> | null;
  /** The account that reads. */
  callerId: string | null;
  now: number;
};

/**
 * Who has access to an item: by itself, and by the folders above it. A collaborator sees the collaborations and not those
 * of folders above what was shared with it, and one who knows an item by its link sees an empty list. So the list is
 * complete only for the owner.
 * @param above null for a folder that Box does not show
 */
export function permissionsOf(
  own: BoxSharing,
  above: readonly (BoxSharing | null)[],
  known: Known,
): Permissions {
  const grants = [
    ...ownerOf(own),
    ...grantsOf(own, false, known),
    ...above.flatMap((folder) => (folder === null ? [] : grantsOf(folder, true, known))),
  ];
  const complete =
    known.colleagues !== null &&
    known.callerId !== null &&
    own.owner?.id === known.callerId &&
    [own, ...above].every((sharing) => sharing !== null && sharing.collaborations !== null);
  return { grants: distinct(grants), complete };
}

function ownerOf({ owner, isOwnedOutside }: BoxSharing): Grant[] {
  const principal = owner && nameOf(owner);
  if (!principal) return [];
  return [{ principal, principalKind: 'user', external: isOwnedOutside, role: 'owner', inherited: null }];
}

const nameOf = ({ login, name, id }: BoxPerson): string | null => login || name || id || null;

const grantsOf = ({ link, collaborations }: BoxSharing, inherited: boolean, known: Known): Grant[] => [
  ...linkGrants(link, inherited, known.now),
  ...(collaborations ?? []).flatMap((each) => collaborationGrants(each, inherited, known)),
];

const hasEnded = (at: string | null | undefined, now: number): boolean =>
  Boolean(at) && Date.parse(at ?? '') <= now;

/** `effective_access` is what is left of the link after the rules of the enterprise. */
function linkGrants(link: SharedLink | null, inherited: boolean, now: number): Grant[] {
  if (link === null || hasEnded(link.unshared_at, now)) return [];
  if (link.effective_permission === 'no_access' || link.effective_access === 'collaborators') return [];
  const terms = { role: link.effective_permission === 'can_edit' ? 'write' : 'read', inherited } as const;
  switch (link.effective_access) {
    case 'open':
      return [
        link.is_password_enabled
          ? { ...terms, principal: 'link with a password', principalKind: 'link', external: true }
          : { ...terms, principal: 'open link', principalKind: 'anyone', external: true },
      ];
    case 'company':
      return [{ ...terms, principal: 'company link', principalKind: 'organization', external: false }];
    default:
      return [{ ...terms, principal: 'link', principalKind: 'link', external: false, unconfirmed: true }];
  }
}

function collaborationGrants(each: BoxCollaboration, inherited: boolean, known: Known): Grant[] {
  if (each.status === 'rejected' || hasEnded(each.expires_at, known.now)) return [];
  // Somebody who was invited to see the way to something may have access to that alone.
  const unconfirmed = inherited && each.is_access_only ? { unconfirmed: true as const } : {};
  const terms = { role: roleOf(each.role), inherited, ...unconfirmed };
  const { accessible_by: grantee, invite_email: invited } = each;
  if (grantee?.type === 'group') {
    const principal = grantee.name || grantee.id;
    if (grantee.group_type === 'all_users_group')
      return [
        {
          ...terms,
          principal: principal || 'all users',
          principalKind: 'organization',
          external: false,
        },
      ];
    if (!principal) return [];
    const groupId = grantee.id ? { groupId: grantee.id } : {};
    return [{ ...terms, principal, principalKind: 'group', external: false, ...groupId }];
  }
  const principal = (grantee && nameOf(grantee)) || invited;
  if (!principal) return [];
  return [
    { ...terms, principal, principalKind: 'user', external: isOutside(grantee?.login || invited, known) },
  ];
}

/** Without the people of the enterprise nobody knows who is outside, and the list says that it is incomplete. */
const isOutside = (address: string | null | undefined, { colleagues }: Known): boolean =>
  Boolean(address) && colleagues !== null && !colleagues.has((address ?? '').toLowerCase());

/** An uploader may add files and not read them. Roles that are not known read. */
function roleOf(role: string | null | undefined): Grant['role'] {
  if (role === 'owner') return 'owner';
  const writes = ['co-owner', 'editor', 'uploader', 'previewer uploader', 'viewer uploader'];
  return writes.includes(role ?? '') ? 'write' : 'read';
}

const distinct = (grants: readonly Grant[]): Grant[] => [
  ...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values(),
];
