import type { Identity, IdentitySet, Permission } from './graph-answers.ts';

/** A claim of the Entra id, as SharePoint writes a login name: `i:0#.f|membership|ada@contoso.com`. */
const MEMBER = /\|membership\|(.+)$/;
const memberOf = ({ loginName }: Identity): string | undefined => MEMBER.exec(loginName ?? '')?.[1];

/** How a person is called: by address, else by the name of the account, else by display name or id. */
export function accountOf(identity: Identity | undefined): string | null {
  if (identity === undefined) return null;
  const { email, userPrincipalName, displayName, title, id } = identity;
  return [email, userPrincipalName, memberOf(identity), displayName, title, id].find(Boolean) ?? null;
}

/** Domains of our organization in lower case. Null if the directory does not say. */
export type OwnDomains = ReadonlySet<string> | null;

/** Guests have `#EXT#` in the name of their account, or one that SharePoint made for an outsider. */
const GUEST = /#ext#|urn:spo:guest|urn%3aspo%3aguest/i;

/**
 * Whether a person is from outside. The account decides where it is known: accounts of members are in a domain of ours.
 * Else an invitation does, also one that was accepted, and else the address. An address alone is external only if all our
 * domains are known.
 * @param invitedAs the address of the invitation that gave the access; null without one
 */
export function isExternal(person: Identity, invitedAs: string | null, own: OwnDomains): boolean {
  const { loginName, userPrincipalName, email } = person;
  if ([loginName, userPrincipalName, email].some((account) => GUEST.test(account ?? ''))) return true;
  const account = isOurs(memberOf(person) || userPrincipalName, own);
  if (account !== null) return !account;
  return invitedAs === null ? isOurs(email, own) === false : isInvitedFromOutside(invitedAs, own);
}

/** An invitation is for somebody outside, unless it names an address of ours. */
export const isInvitedFromOutside = (email: string, own: OwnDomains): boolean => isOurs(email, own) !== true;

/** Null if it is no address, or our domains are not known. */
export function isOurs(address: string | null | undefined, own: OwnDomains): boolean | null {
  const [, domain] = /@([^@\s]+)$/.exec(address ?? '') ?? [];
  return domain === undefined || own === null ? null : own.has(domain.toLowerCase());
}

/** SharePoint writes a login name as a claim: `i:` of a person or an application, `c:` of a group. */
export const isGroup = ({ loginName }: Identity): boolean => /^c:/i.test(loginName ?? '');

const GUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A security group, or a group of Microsoft 365: `_o` are its owners. */
const GROUP_CLAIM = new RegExp(`\\|(?:tenant|federateddirectoryclaimprovider)\\|(${GUID})(?:_o)?$`, 'i');
const DIRECTORY_ID = new RegExp(`^${GUID}$`, 'i');

/** The id of a group in the directory. Groups of a site have none. */
export function groupIdOf({ group, user, siteUser }: IdentitySet): string | null {
  const claimed = [group, siteUser, user].map((each) => GROUP_CLAIM.exec(each?.loginName ?? '')?.[1]);
  const named = [group?.id, user?.id].filter((id) => DIRECTORY_ID.test(id ?? ''));
  return [...claimed, ...named].find(Boolean)?.toLowerCase() ?? null;
}

/** Whom a SharePoint claim stands for, if it is no single person or group. */
export type Claim = 'everyone' | 'organization';

/**
 * "Everyone except external users" is `c:0-.f|rolemanager|spo-grid-all-users/<tenant>`, "Everyone" is `c:0(.s|true` and
 * "All Users" `c:0!.s|windows` or `c:0!.s|forms:membership`. Their display names are in the language of the site.
 */
export function claimOf(identities: IdentitySet): Claim | null {
  const claims = Object.values(identities).flatMap((each) => [each?.loginName ?? '', each?.id ?? '']);
  if (claims.some((claim) => /(?:^|\|)spo-grid-all-users(?:\/|$)/i.test(claim))) return 'organization';
  return claims.some((claim) => EVERYONE.test(claim)) ? 'everyone' : null;
}
const EVERYONE = /^c:0(?:\(\.s\|true|!\.s\|(?:windows|forms(?::|%3a)membership))$/i;

/**
 * The grantees of a permission, one by one. The newer and the older properties name the same ones, and each may lack what
 * the other has.
 */
export function granteesOf(permission: Permission): IdentitySet[] {
  const { grantedToV2, grantedTo, grantedToIdentitiesV2, grantedToIdentities } = permission;
  const one = merged(grantedToV2, grantedTo);
  const [newer, older] = [grantedToIdentitiesV2 ?? [], grantedToIdentities ?? []];
  const several =
    newer.length === older.length
      ? newer.map((set, at) => (contradict(set, older[at]) ? set : merged(set, older[at])))
      : newer.length > 0
        ? newer
        : older;
  return [one, ...several].filter((set) => Object.values(set).some(Boolean));
}

type Sets = IdentitySet | null | undefined;

/** The older properties write some groups and applications as users, so they add no user to such a grantee. */
function merged(newer: Sets, older: Sets): IdentitySet {
  const has = (kind: keyof IdentitySet) => Boolean(newer?.[kind]);
  const isPerson = has('user') || has('siteUser');
  const isNone = !Object.values(newer ?? {}).some(Boolean);
  const kinds = Object.keys({ ...(isPerson || isNone ? older : {}), ...newer }) as (keyof IdentitySet)[];
  return Object.fromEntries(kinds.map((kind) => [kind, filled(newer?.[kind], older?.[kind])])) as IdentitySet;
}

/** Whether two entries name different people. */
const contradict = (a: IdentitySet, b: Sets): boolean =>
  (['id', 'email', 'displayName'] as const).some((field) => {
    const [one, other] = [a.user?.[field], b?.user?.[field]];
    return Boolean(one && other && one !== other);
  });

/** One identity from two entries: a field that is missing in the first is taken from the second. */
export function filled(
  first: Identity | null | undefined,
  second: Identity | null | undefined,
): Identity | null {
  const namesOf = (identity: Identity | null | undefined) =>
    Object.entries(identity ?? {}).filter(([, value]) => Boolean(value));
  const fields = [...namesOf(second), ...namesOf(first)];
  return fields.length === 0 ? null : (Object.fromEntries(fields) as Identity);
}
