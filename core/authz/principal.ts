import type { DomainId, PrincipalId, TenantId } from '../kernel/ids.ts';
import type { Role } from '../kernel/vocabulary.ts';
import { CAPABILITIES, type Capability, GRANTS, HUMAN_ONLY } from './capabilities.ts';

export type AuthMode = 'dev' | 'idp';

/** A person, or an application that calls the API in its own name. */
export const PRINCIPAL_KINDS = ['person', 'service'] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

/** Who makes the request, as the database says at this moment. Nothing in it comes from the caller. */
export type Principal = {
  tenantId: TenantId;
  principalId: PrincipalId;
  kind: PrincipalKind;
  authMode: AuthMode;
  displayName: string;
  title: string;
  department: string;
  roles: readonly Role[];
  ownedDomains: readonly DomainId[];
};

/** Of a principal, what says which acts are permitted, and where. */
export type Grantee = Pick<Principal, 'kind' | 'roles' | 'ownedDomains'>;

/** Which rows a grant reaches: all of the tenant, or those of some domains. */
export type Visibility = { kind: 'tenant' } | { kind: 'domains'; domainIds: readonly DomainId[] };

/** How far the grantee holds the capability, or null when not at all. The widest of its roles counts. */
export function visibilityOf(
  { kind, roles, ownedDomains }: Grantee,
  capability: Capability,
): Visibility | null {
  if (kind === 'service' && HUMAN_ONLY.has(capability)) return null;
  const scopes = roles.map((role) => GRANTS[capability][role]);
  if (scopes.includes('tenant')) return { kind: 'tenant' };
  if (scopes.includes('domain')) return { kind: 'domains', domainIds: ownedDomains };
  return null;
}

/** What the grantee may do somewhere: in the whole tenant, or in domains that they own. */
export const capabilitiesOf = (grantee: Grantee): Capability[] =>
  CAPABILITIES.filter((capability) => visibilityOf(grantee, capability) !== null);

/** Who was given domains and has lost the role since owns nothing any more. */
export const granteeOf = (
  kind: PrincipalKind,
  roles: readonly Role[],
  assigned: readonly DomainId[],
): Grantee => ({
  kind,
  roles,
  ownedDomains: roles.includes('domain_owner') ? assigned : [],
});
