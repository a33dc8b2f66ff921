import type { Grant, Permissions } from '../connector.ts';
import { type IdentitySet, type Permission, Permission as PermissionSchema, page } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { accountOf, claimOf, isGuest } from './identities.ts';
import { pagesOf } from './pages.ts';

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
    expect: [403, 404, 410, 423],
  });
  if (!answer.ok && (answer.status === 403 || answer.status === 423)) return 'denied';
  const permissions = answer.ok ? answer.body : [];
  return { grants: distinct(permissions.flatMap((each) => grantsOf(each, now))), complete: false };
}

/** The grants of one permission. Empty for one that has expired, or gives no access to this item. */
function grantsOf(permission: Permission, now: number): Grant[] {
  const role = roleOf(permission);
  if (role === null || hasExpired(permission, now)) return [];
  // An empty object stands beside direct grants too.
  const inherited = Object.keys(permission.inheritedFrom ?? {}).length > 0;
  const terms = { role, inherited };
  const { link } = permission;
  if (link?.scope === 'anonymous')
    return [{ ...terms, principal: 'anonymous link', principalKind: 'anyone', external: true }];
  if (link?.scope === 'organization')
    return [{ ...terms, principal: 'organization link', principalKind: 'organization', external: false }];
  const invited = permission.invitation?.email;
  const named = identitiesOf(permission).flatMap((identities) => grantTo(identities, terms, Boolean(link)));
  if (named.length > 0 || !invited) return named;
  return [{ ...terms, principal: invited, principalKind: 'user', external: true }];
}

const hasExpired = ({ expirationDateTime }: Permission, now: number): boolean =>
  Boolean(expirationDateTime) && Date.parse(expirationDateTime ?? '') <= now;

/** `sp.limited access` opens the way to something deeper, not this item. */
function roleOf({ roles, link }: Permission): Grant['role'] | null {
  const given = new Set(roles ?? []);
  if (given.has('owner') || given.has('sp.full control')) return 'owner';
  if (given.has('write') || link?.type === 'edit') return 'write';
  const others = [...given].filter((role) => role !== 'sp.limited access');
  return others.length > 0 || link?.type ? 'read' : null;
}

const identitiesOf = (permission: Permission): IdentitySet[] => {
  const one = permission.grantedToV2 ?? permission.grantedTo;
  const several = permission.grantedToIdentitiesV2 ?? permission.grantedToIdentities ?? [];
  return [...(one ? [one] : []), ...several];
};

function grantTo(
  identities: IdentitySet,
  terms: Pick<Grant, 'role' | 'inherited'>,
  byLink: boolean,
): Grant[] {
  const claim = claimOf(identities);
  if (claim !== null) {
    const principal = claim === 'everyone' ? 'Everyone' : 'Everyone except external users';
    return [{ ...terms, principal, principalKind: 'organization', external: claim === 'everyone' }];
  }
  const { user, siteUser, group, siteGroup, application } = identities;
  const person = user ?? siteUser;
  const of = (principalKind: Grant['principalKind'], principal: string | null, external = false): Grant[] =>
    principal === null ? [] : [{ ...terms, principal, principalKind, external }];
  const everyGroup = group ?? siteGroup;
  if (everyGroup) return of('group', everyGroup.displayName ?? accountOf(everyGroup));
  if (person) {
    const both = { ...siteUser, ...user } as typeof person;
    return of('user', accountOf(both), isGuest(both));
  }
  if (application) return of('user', accountOf(application));
  return byLink ? of('link', 'link') : [];
}

const distinct = (grants: readonly Grant[]): Grant[] => [
  ...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values(),
];
