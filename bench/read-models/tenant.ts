import type { TenantId } from '../../core/kernel/ids.ts';
import type { SeedDomain } from '../../infra/local/fixture/development-taxonomy.ts';
import type { Persona, SeedOwnerAssignment } from '../../infra/local/fixture/development-tenant.ts';
import type { SeedTenant } from '../../infra/local/seed.ts';

export const TENANT_ID = 'large' as TenantId;
export const DOMAINS = 50;
export const TYPES_PER_DOMAIN = 5;
const OWNERS = 200;
export const SCOPES = 40;

export const domainIdOf = (index: number) => `dom_${index}`;
export const ownerIdOf = (index: number) => `pri_large_owner_${index}`;
/** One person of each role that sees the whole tenant. */
export const ADMIN = 'pri_large_admin';
export const APPROVER = 'pri_large_approver';
export const AUDITOR = 'pri_large_auditor';

const SUBJECTS = [
  'Invoices',
  'Contracts',
  'Payroll',
  'Designs',
  'Claims',
  'Audits',
  'Offers',
  'Incidents',
  'Budgets',
  'Training',
];
const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const;

const domain = (index: number): SeedDomain => ({
  id: domainIdOf(index),
  name: `${SUBJECTS[index % SUBJECTS.length]} of division ${Math.floor(index / SUBJECTS.length) + 1}`,
  description: 'A domain of the bench.',
  inclusion: '',
  exclusion: '',
  informationTypes: Array.from({ length: TYPES_PER_DOMAIN }, (_, type) => ({
    id: `ift_${index}_${type}`,
    name: `${SUBJECTS[(index + type) % SUBJECTS.length]} ${index}-${type}`,
    definition: 'A type of the bench.',
    sensitivityRationale: '',
    expectedLocationNote: '',
    sensitivity: SENSITIVITIES[type % SENSITIVITIES.length] ?? 'internal',
    indicators: { detectors: [], keywords: [] },
  })),
});

const persona = (id: string, ...roles: Persona['roles']): Persona => ({
  id,
  displayName: id,
  title: '',
  department: '',
  roles,
});

/**
 * Six owners in ten have one domain, two have two, one has three and one has four. Each domain has at least four
 * owners.
 */
const domainsOf = (owner: number): number[] => {
  const many = [1, 1, 1, 1, 1, 1, 2, 2, 3, 4][owner % 10];
  const owned = [owner, 7 * owner + 1, 3 * owner + 17, Math.floor(owner / 10) + 20];
  return [...new Set(owned.slice(0, many).map((at) => at % DOMAINS))];
};

/** The tenant before the first scan. */
export const LARGE_TENANT: SeedTenant = {
  tenantId: TENANT_ID,
  name: 'Large',
  personas: [
    ...Array.from({ length: OWNERS }, (_, owner) => persona(ownerIdOf(owner), 'domain_owner')),
    persona(ADMIN, 'governance_admin'),
    persona(APPROVER, 'remediation_approver'),
    persona(AUDITOR, 'auditor'),
  ],
  taxonomy: Array.from({ length: DOMAINS }, (_, index) => domain(index)),
  assignments: Array.from({ length: OWNERS }, (_, owner) =>
    domainsOf(owner).map(
      (owned): SeedOwnerAssignment => ({
        principalId: ownerIdOf(owner),
        domainId: domainIdOf(owned),
        kind: owner < DOMAINS ? 'owner' : 'delegate',
        attestationDays: owner % 3 === 0 ? 90 : null,
      }),
    ),
  ).flat(),
  profile: null,
  fixture: null,
};
