import type { Grant, Permissions } from '../connector.ts';
import { type IdentitySet, type Permission, Permission as PermissionSchema, page } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import {
  accountOf,
  claimOf,
  filled,
  granteesOf,
  groupIdOf,
  isExternal,
  isGroup,
  isInvitedFromOutside,
  type OwnDomains,
} from './identities.ts';
import { pagesOf } from './pages.ts';
import { assertServed } from './scope-refusal.ts';

/**
 * Graph reports nothing of this item and would not at another try. The item itself was read, so the token and the request
 * are sound.
 */
const REFUSED = [400, 401, 403, 405, 422, 423, 501] as const;
/** Of one item. Items with more permissions than these pages hold do not exist: SharePoint allows 5,000. */
const MAX_PAGES = 100;
const PermissionPage = page(PermissionSchema);

type Known = { ownDomains: OwnDomains; now: number };

/**
 * Who has access to an item. Graph does not report every grant (members of SharePoint groups, some changes), so the list
 * is never complete. An item that is gone has none. Throws `ScopeRefused` if the library is.
 */
export async function readPermissions(
  client: GraphClient,
  values: { driveId: string; itemId: string },
  known: Known,
  signal: AbortSignal,
): Promise<Permissions | 'denied'> {
  const answer = await pagesOf(client, 'permissions', values, {
    by: 'batched',
    maxPages: MAX_PAGES,
    schema: PermissionPage,
    signal,
    expect: [...REFUSED, 404, 410],
  });
  if (!answer.ok) {
    if (answer.status !== 404 && answer.status !== 410) return 'denied';
    await assertServed(client, values.driveId, signal);
  }
  const permissions = answer.ok ? answer.body : [];
  return { grants: consistent(permissions.flatMap((each) => grantsOf(each, known))), complete: false };
}

/** The grants of one permission. Empty for one that has expired, or gives no access to this item. */
function grantsOf(permission: Permission, { ownDomains, now }: Known): Grant[] {
  const role = roleOf(permission);
  if (role === null || hasExpired(permission, now)) return [];
  // Present, even empty, it means inherited. Some answers leave it out, so without it the source does not say.
  const inherited = permission.inheritedFrom ? true : null;
  const invitedAs = permission.invitation?.email || null;
  const terms = { role, inherited };
  const grantees = granteesOf(permission);
  const from = { invitedAs: grantees.length === 1 ? invitedAs : null, ownDomains };
  const found = grantees.flatMap((grantee) => grantTo(grantee, terms, from));
  const named = found.length > 0 || invitedAs === null ? found : [invited(invitedAs, terms, ownDomains)];
  const { link } = permission;
  return link ? grantsByLink(link.scope?.toLowerCase() ?? null, named, terms) : named;
}

/** Somebody who has not accepted yet. */
const invited = (email: string, terms: Terms, own: OwnDomains): Grant => ({
  ...terms,
  principal: email,
  principalKind: 'user',
  external: isInvitedFromOutside(email, own),
});

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

/** `user` and `siteUser` are the same, as the directory and as the site know them; for a group `siteUser` may stand alone. */
function grantTo(
  grantee: IdentitySet,
  terms: Terms,
  { invitedAs, ownDomains }: { invitedAs: string | null; ownDomains: OwnDomains },
): Grant[] {
  const claim = claimOf(grantee);
  if (claim !== null) {
    const principal = claim === 'everyone' ? 'Everyone' : 'Everyone except external users';
    return [{ ...terms, principal, principalKind: 'organization', external: claim === 'everyone' }];
  }
  const { user, siteUser, group, siteGroup, sharePointGroup, application, device } = grantee;
  const of = (principalKind: Grant['principalKind'], principal: string | null, external = false): Grant[] =>
    principal === null ? [] : [{ ...terms, principal, principalKind, external }];
  const person = filled(user, siteUser);
  const asGroup = group ?? siteGroup ?? sharePointGroup ?? (person && isGroup(person) ? person : null);
  if (asGroup) {
    const groupId = groupIdOf(grantee);
    const named = of('group', asGroup.displayName || accountOf(asGroup));
    return groupId === null ? named : named.map((grant) => ({ ...grant, groupId }));
  }
  const asApplication = application ?? device;
  if (asApplication && !user) return of('user', accountOf(asApplication));
  return person ? of('user', accountOf(person), isExternal(person, invitedAs, ownDomains)) : [];
}

/**
 * The grants, each once. Whom one permission shows as external is external in the others too, which may show less of the
 * same person.
 */
function consistent(grants: readonly Grant[]): Grant[] {
  const outside = new Set(grants.flatMap((grant) => (isPersonOutside(grant) ? [grant.principal] : [])));
  const distinct = grants.map((grant) =>
    grant.principalKind === 'user' && outside.has(grant.principal) ? { ...grant, external: true } : grant,
  );
  return [...new Map(distinct.map((grant) => [JSON.stringify(grant), grant])).values()];
}

const isPersonOutside = ({ principalKind, external }: Grant): boolean => principalKind === 'user' && external;
