import { guidOf, tokenOf } from './ids.ts';
import type {
  IdentitySetJson,
  ItemReferenceJson,
  PermissionJson,
  SharePointIdentitySetJson,
} from './schemas.ts';
import type { Person, Tenant } from './state.ts';

type Role = 'read' | 'write' | 'owner';

/** Who may do what, in every form in which permissions come. */
export type GrantSpec =
  /** `acceptedAs`: the address of an invitation that the person has accepted. Recorded without what the site knows. */
  | { to: 'person'; personId: string; role: Role; acceptedAs?: string }
  | { to: 'group'; groupId: string; role: Role }
  /** A group of the site, which the directory does not know. */
  | { to: 'siteGroup'; name: string; role: Role }
  /** The claims that SharePoint gives to all. */
  | { to: 'everyoneExceptExternal' | 'everyone'; role: Role }
  | { to: 'application'; clientId: string; name: string; role: Role }
  /** Somebody outside who has not signed in yet. */
  | { to: 'invited'; email: string; role: Role }
  | {
      to: 'link';
      scope: 'anonymous' | 'organization' | 'users' | 'existingAccess';
      type: 'view' | 'edit' | 'blocksDownload';
      personIds?: readonly string[];
      /** Whom the link names by address, without an id or login name. */
      emails?: readonly string[];
    };

export type Grant = GrantSpec & { id: string; expiresAt: number | null };

const CLAIMS = {
  everyone: { displayName: 'Everyone', loginName: () => 'c:0(.s|true' },
  everyoneExceptExternal: {
    displayName: 'Everyone except external users',
    loginName: (tenantId: string) => `c:0-.f|rolemanager|spo-grid-all-users/${tenantId}`,
  },
} as const;

/** Small numbers, as SharePoint gives to the users and groups of a site. */
const siteIdOf = (key: string): string => String(Number.parseInt(guidOf(key).slice(0, 4), 16) + 3);

const personSet = (person: Person): SharePointIdentitySetJson => ({
  user: { id: person.id, displayName: person.displayName },
  siteUser: {
    id: siteIdOf(person.id),
    displayName: person.displayName,
    loginName: `i:0#.f|membership|${person.userPrincipalName}`,
  },
});

function granteeOf(tenant: Tenant, grant: Grant): SharePointIdentitySetJson {
  switch (grant.to) {
    case 'person': {
      const person = tenant.people.get(grant.personId);
      // The account is gone, the grant is not: SharePoint still shows the login.
      if (person === undefined) return { user: { id: grant.personId, displayName: 'Deleted user' } };
      return personSet(person);
    }
    case 'group': {
      const displayName = tenant.groups.get(grant.groupId)?.displayName ?? 'Deleted group';
      return {
        group: { id: grant.groupId, displayName },
        siteUser: {
          id: siteIdOf(grant.groupId),
          displayName,
          loginName: `c:0t.c|tenant|${grant.groupId}`,
        },
      };
    }
    case 'siteGroup':
      return {
        siteGroup: { id: siteIdOf(grant.name), displayName: grant.name, loginName: grant.name },
      };
    case 'application':
      return { application: { id: grant.clientId, displayName: grant.name } };
    case 'everyone':
    case 'everyoneExceptExternal': {
      const { displayName, loginName } = CLAIMS[grant.to];
      return {
        user: { displayName },
        siteUser: { id: siteIdOf(displayName), displayName, loginName: loginName(tenant.id) },
      };
    }
    case 'invited':
    case 'link':
      return {};
  }
}

const LINK_ROLES = { view: 'read', edit: 'write', blocksDownload: 'read' } as const;

/** A permission as `/permissions` lists it. `from` is the ancestor that has the grant, null on the item itself. */
export function permissionJson(tenant: Tenant, grant: Grant, from: ItemReferenceJson | null): PermissionJson {
  const shell = {
    id: grant.id,
    ...(grant.expiresAt === null ? {} : { expirationDateTime: new Date(grant.expiresAt).toISOString() }),
    ...inheritance(tenant, from),
  };
  if (grant.to === 'link') return { ...shell, ...linkJson(tenant, grant) };
  if (grant.to === 'invited') {
    return {
      ...{ ...shell, roles: [grant.role], shareId: `u!${tokenOf(grant.id)}` },
      invitation: { email: grant.email, signInRequired: true },
    };
  }
  const acceptedAs = grant.to === 'person' ? grant.acceptedAs : undefined;
  const grantee = granteeOf(tenant, grant);
  const grantedToV2 = acceptedAs === undefined ? grantee : { user: grantee.user };
  const { user, application } = grantedToV2;
  const grantedTo: IdentitySetJson = { ...(user && { user }), ...(application && { application }) };
  return {
    ...{ ...shell, roles: [grant.role], grantedToV2 },
    ...(Object.keys(grantedTo).length === 0 ? {} : { grantedTo }),
    ...(acceptedAs === undefined ? {} : { invitation: { email: acceptedAs, signInRequired: true } }),
  };
}

function inheritance(
  { quirks }: Tenant,
  from: ItemReferenceJson | null,
): Pick<PermissionJson, 'inheritedFrom'> {
  if (from === null || quirks.inherited === 'absent') return {};
  return { inheritedFrom: quirks.inherited === 'reference' ? from : {} };
}

function linkJson(
  tenant: Tenant,
  { id, scope, type, personIds = [], emails = [] }: Grant & { to: 'link' },
): Pick<PermissionJson, 'roles' | 'link' | 'shareId' | 'hasPassword' | 'grantedToIdentitiesV2'> {
  const people = personIds.flatMap((personId) => {
    const person = tenant.people.get(personId);
    return person === undefined ? [] : [personSet(person)];
  });
  const addressed = emails.map((email) => ({ user: { displayName: email.split('@')[0] ?? email, email } }));
  return {
    roles: [LINK_ROLES[type]],
    shareId: `u!${tokenOf(id)}`,
    hasPassword: false,
    ...(scope === 'users' ? { grantedToIdentitiesV2: [...people, ...addressed] } : {}),
    link: {
      ...{ scope, type, webUrl: `https://${tenant.hostName}/:b:/s/${tokenOf(id)}` },
      preventsDownload: type === 'blocksDownload',
    },
  };
}
