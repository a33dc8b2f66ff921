import type { Identity, IdentitySet } from './graph-answers.ts';

/** A claim of the Entra id, as SharePoint writes a login name: `i:0#.f|membership|ada@contoso.com`. */
const MEMBER = /\|membership\|(.+)$/;

/** How a person is called: by address, else by the name of the account, else by display name or id. */
export function accountOf(identity: Identity | undefined): string | null {
  if (identity === undefined) return null;
  const member = MEMBER.exec(identity.loginName ?? '')?.[1];
  const { email, userPrincipalName, displayName, title, id } = identity;
  return [email, userPrincipalName, member, displayName, title, id].find(Boolean) ?? null;
}

/** Guests have `#EXT#` in the name of their account, or one that SharePoint made for an outsider. */
const GUEST = /#ext#|urn:spo:guest|urn%3aspo%3aguest/i;
export const isGuest = ({ loginName, userPrincipalName, email }: Identity): boolean =>
  [loginName, userPrincipalName, email].some((account) => GUEST.test(account ?? ''));

/** SharePoint writes a login name as a claim: `i:` of a person or an application, `c:` of a group. */
export const isGroup = ({ loginName }: Identity): boolean => /^c:/i.test(loginName ?? '');

/** Whom a SharePoint claim stands for, if it is no single person or group. */
export type Claim = 'everyone' | 'organization';

/**
 * "Everyone except external users" is `c:0-.f|rolemanager|spo-grid-all-users/<tenant>`, "Everyone" is `c:0(.s|true` and
 * "All Users" `c:0!.s|windows`.
 */
export function claimOf({ siteUser, user, group }: IdentitySet): Claim | null {
  const login = [siteUser, user, group].map((identity) => identity?.loginName).find(Boolean) ?? '';
  if (login.includes('|spo-grid-all-users/')) return 'organization';
  return login === 'c:0(.s|true' || login === 'c:0!.s|windows' ? 'everyone' : null;
}
