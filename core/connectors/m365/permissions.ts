import type { Grant, Permissions } from '../connector.ts';
import {
  type Identity,
  type IdentitySet,
  type Permission,
  Permission as PermissionSchema,
  page,
} from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { accountOf, claimOf, isGroup, isGuest } from './identities.ts';
import { pagesOf } from './pages.ts';

/**
 * Graph tells nothing of this item and would not at another try. The item itself was read, so the token and the request
 * are sound.
 */
const REFUSED = [400, 401, 403, 405, 422, 423, 501] as const;
/** Of one item. Items with more permissions than these pages hold do not exist: SharePoint allows 5,000. */
const MAX_PAGES = 100;
const PermissionPage = page(PermissionSchema);

/**
 * Who has access to an item. Graph does not tell of every grant (members of SharePoint groups, some changes), so the list
 * is never complete.
 */
export async function readPermissions(
  client: GraphClient,
  values: { driveId: string; itemId: string },
  now: number,
  signal: AbortSignal,
): Promise<Permissions | 'denied'> {
  const answer = await pagesOf(client, 'permissions', values, {
    ...{ by: 'batched', maxPages: MAX_PAGES, schema: PermissionPage, signal },
    expect: [...REFUSED, 404, 410],
  });
  if (!answer.ok && answer.status !== 404 && answer.status !== 410) return 'denied';
  const permissions = answer.ok ? answer.body : [];
  return { grants: distinct(permissions.flatMap((each) => grantsOf(each, now))), complete: false };
}

/** The grants of one permission. Empty for one that has expired, or gives no access to this item. */
function grantsOf(permission: Permission, now: number): Grant[] {
  const role = roleOf(permission);
  if (role === null || hasExpired(permission, now)) return [];
  // An empty object stands beside direct grants too.
  const inherited = Object.values(permission.inheritedFrom ?? {}).some((value) => value !== null);
  const terms = { role, inherited };
  const named = identitiesOf(permission).flatMap((identities) => grantTo(identities, terms));
  const { link, invitation } = permission;
  if (link) return grantsByLink(link.scope?.toLowerCase() ?? null, named, terms);
  if (named.length > 0 || !invitation?.email) return named;
  return [{ ...terms, principal: invitation.email, principalKind: 'user', external: true }];
}

const hasExpired = ({ expirationDateTime }: Permission, now: number): boolean =>
  Boolean(expirationDateTime) && Date.parse(expirationDateTime ?? '') <= now;

/** `sp.limited access` opens the way to something deeper, not this item. */
function roleOf({ roles, link }: Permission): Grant['role'] | null {
  const given = new Set((roles ?? []).map((role) => role.toLowerCase()));
  if (given.has('owner') || given.has('sp.full control')) return 'owner';
  if (given.has('write') || link?.type === 'edit') return 'write';
  const others = [...given].filter((role) => role !== 'sp.limited access');
  return others.length > 0 || link ? 'read' : null;
}

type Terms = Pick<Grant, 'role' | 'inherited'>;

/**
 * The grants of a link, which may name people. One for those who have access already (`existingaccess`) grants nothing.
 * The vendor documents links without a scope: one that names nobody works for anyone.
 */
function grantsByLink(scope: string | null, named: readonly Grant[], terms: Terms): Grant[] {
  const isForAnyone = scope === 'anonymous' || (scope === null && named.length === 0);
  if (isForAnyone)
    return [...named, { ...terms, principal: 'anonymous link', principalKind: 'anyone', external: true }];
  switch (scope) {
    case 'existingaccess':
      return [];
    case 'organization':
      return [
        ...named,
        { ...terms, principal: 'organization link', principalKind: 'organization', external: false },
      ];
    case 'users':
    case null:
      return [...named];
    default:
      return [...named, { ...terms, principal: 'link', principalKind: 'link', external: false }];
  }
}

/** The older properties have what the newer ones lack. */
const identitiesOf = (permission: Permission): IdentitySet[] => {
  const { grantedToV2, grantedTo, grantedToIdentitiesV2, grantedToIdentities } = permission;
  const one = [grantedToV2, grantedTo].find((set) => Object.values(set ?? {}).some(Boolean));
  const several = [grantedToIdentitiesV2, grantedToIdentities].find((sets) => sets?.length) ?? [];
  return [...(one ? [one] : []), ...several];
};

/** `user` and `siteUser` are the same, as the directory and as the site know them; for a group `siteUser` may stand alone. */
function grantTo(identities: IdentitySet, terms: Terms): Grant[] {
  const claim = claimOf(identities);
  if (claim !== null) {
    const principal = claim === 'everyone' ? 'Everyone' : 'Everyone except external users';
    return [{ ...terms, principal, principalKind: 'organization', external: claim === 'everyone' }];
  }
  const { user, siteUser, group, siteGroup, sharePointGroup, application, device } = identities;
  const of = (principalKind: Grant['principalKind'], principal: string | null, external = false): Grant[] =>
    principal === null ? [] : [{ ...terms, principal, principalKind, external }];
  const person = user || siteUser ? { ...told(siteUser), ...told(user) } : null;
  const asGroup = group ?? siteGroup ?? sharePointGroup ?? (person && isGroup(person) ? person : null);
  if (asGroup) return of('group', asGroup.displayName || accountOf(asGroup));
  const asApplication = application ?? device;
  if (asApplication && !user) return of('user', accountOf(asApplication));
  return person ? of('user', accountOf(person), isGuest(person)) : [];
}

/** The fields that say something, so that none of them hides another. */
const told = (identity: Identity | null | undefined): Identity =>
  Object.fromEntries(Object.entries(identity ?? {}).filter(([, value]) => Boolean(value)));

const distinct = (grants: readonly Grant[]): Grant[] => [
  ...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values(),
];
