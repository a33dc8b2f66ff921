import type { Db } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { DEVELOPMENT_TAXONOMY } from '../../infra/local/fixture/development-taxonomy.ts';
import { OWNER_ASSIGNMENTS, PERSONAS } from '../../infra/local/fixture/development-tenant.ts';
import {
  DEVELOPMENT_TENANT_ID,
  type SeedTenant,
  seedDevelopmentTenant,
  seedTenant,
} from '../../infra/local/seed.ts';

export const DEV = DEVELOPMENT_TENANT_ID;
export const OTHER = 'other' as TenantId;

/** The people as whom tests sign in. */
export const PERSONA = {
  platformAdmin: 'pri_priya_nair',
  governanceAdmin: 'pri_helena_brandt',
  secondGovernanceAdmin: 'pri_tomas_ibarra',
  financeOwner: 'pri_amara_okafor',
  peopleOwner: 'pri_lena_vogel',
  legalOwner: 'pri_daniel_whitcombe',
  approver: 'pri_ingrid_solberg',
  auditor: 'pri_marcus_bell',
  nobody: 'pri_noor_haddad',
} as const;

/** The person with the same role in the second tenant. */
export const inOther = (principalId: string) => principalId.replace(/^pri_/, 'pri_other_');

/**
 * A second tenant with the same domain and type ids as the first, so that a query without a tenant predicate would
 * find its rows. Its people have other ids, because principal ids are unique over all tenants.
 */
const SECOND_TENANT: SeedTenant = {
  tenantId: OTHER,
  name: 'Second tenant',
  personas: PERSONAS.map((persona) => ({ ...persona, id: inOther(persona.id) })),
  taxonomy: DEVELOPMENT_TAXONOMY,
  assignments: OWNER_ASSIGNMENTS.map((assignment) => ({
    ...assignment,
    principalId: inOther(assignment.principalId),
  })),
  profile: null,
  fixture: null,
};

/** Seeds the development tenant with its fixture, and the second tenant. */
export async function seedTenants(db: Db, now: number = Date.now()): Promise<void> {
  await seedDevelopmentTenant(db, now);
  await seedTenant(db, SECOND_TENANT, now);
}
