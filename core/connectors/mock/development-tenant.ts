import { COMPANY } from './people.ts';

/**
 * The people of the development tenant, the owners of its domains, and the expected domains of its sites. Pure data.
 */
type SeedRole = 'platform_admin' | 'governance_admin' | 'domain_owner' | 'remediation_approver' | 'auditor';

export type Persona = {
  id: string;
  displayName: string;
  title: string;
  department: string;
  roles: readonly SeedRole[];
};

export type SeedOwnerAssignment = {
  principalId: string;
  domainId: string;
  kind: 'owner' | 'delegate' | 'steward';
  attestationDays: number | null;
};

const persona = (
  id: string,
  displayName: string,
  title: string,
  department: string,
  ...roles: SeedRole[]
): Persona => ({
  id,
  displayName,
  title,
  department,
  roles,
});

export const PERSONAS: readonly Persona[] = [
  persona('pri_priya_nair', 'Priya Nair', 'Platform Engineer', 'Information Technology', 'platform_admin'),
  persona('pri_helena_brandt', 'Helena Brandt', 'Chief Data Officer', 'Data Office', 'governance_admin'),
  persona('pri_tomas_ibarra', 'Tomás Ibarra', 'Data Governance Lead', 'Data Office', 'governance_admin'),
  persona('pri_amara_okafor', 'Amara Okafor', 'Head of Accounting', 'Finance', 'domain_owner'),
  persona('pri_lena_vogel', 'Lena Vogel', 'Head of People', 'Human Resources', 'domain_owner'),
  persona('pri_daniel_whitcombe', 'Daniel Whitcombe', 'General Counsel', 'Legal', 'domain_owner'),
  persona('pri_yuki_tanaka', 'Yuki Tanaka', 'Chief Information Security Officer', 'Security', 'domain_owner'),
  persona('pri_sofia_marchetti', 'Sofia Marchetti', 'Head of Sales', 'Sales', 'domain_owner'),
  persona('pri_rafael_duarte', 'Rafael Duarte', 'Head of Engineering', 'Engineering', 'domain_owner'),
  persona('pri_agnes_lindqvist', 'Agnes Lindqvist', 'Safety Officer', 'Operations', 'domain_owner'),
  persona('pri_ingrid_solberg', 'Ingrid Solberg', 'Information Risk Manager', 'Risk', 'remediation_approver'),
  persona('pri_marcus_bell', 'Marcus Bell', 'Internal Auditor', 'Internal Audit', 'auditor'),
  persona('pri_noor_haddad', 'Noor Haddad', 'Office Assistant', 'Facilities'),
];

/** The profile of the development tenant, written by `PROFILE_AUTHOR`. */
export const ORGANIZATION_PROFILE = {
  name: COMPANY,
  industries: ['Manufacturing'],
  geographies: ['Germany', 'United Kingdom', 'France', 'Spain'],
  description: 'Makes sensors and gateways for industrial plants, and sells and maintains them in Europe.',
} as const;
export const PROFILE_AUTHOR = 'pri_helena_brandt';

const owns = (
  principalId: string,
  domainId: string,
  kind: SeedOwnerAssignment['kind'] = 'owner',
  attestationDays: number | null = 180,
): SeedOwnerAssignment => ({ principalId, domainId, kind, attestationDays });

/** Every domain has one owner. Two people own two domains each. */
export const OWNER_ASSIGNMENTS: readonly SeedOwnerAssignment[] = [
  owns('pri_amara_okafor', 'dom_finance'),
  owns('pri_lena_vogel', 'dom_human_resources'),
  owns('pri_lena_vogel', 'dom_health_and_safety', 'owner', 365),
  owns('pri_daniel_whitcombe', 'dom_legal'),
  owns('pri_yuki_tanaka', 'dom_information_security'),
  owns('pri_sofia_marchetti', 'dom_customers'),
  owns('pri_rafael_duarte', 'dom_product'),
  owns('pri_rafael_duarte', 'dom_information_security', 'steward', null),
  owns('pri_agnes_lindqvist', 'dom_health_and_safety', 'delegate', null),
];

/** The expected domain of each site. Null for sites that serve everybody. */
export const SCOPE_EXPECTATIONS: readonly { scopeExternalId: string; domainId: string | null }[] = [
  { scopeExternalId: 'site-finance', domainId: 'dom_finance' },
  { scopeExternalId: 'site-people', domainId: 'dom_human_resources' },
  { scopeExternalId: 'site-legal', domainId: 'dom_legal' },
  { scopeExternalId: 'site-engineering', domainId: 'dom_product' },
  { scopeExternalId: 'site-sales', domainId: 'dom_customers' },
  { scopeExternalId: 'site-operations', domainId: 'dom_health_and_safety' },
  { scopeExternalId: 'site-support', domainId: 'dom_customers' },
  { scopeExternalId: 'site-general', domainId: null },
];
