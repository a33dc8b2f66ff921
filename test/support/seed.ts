import { DEVELOPMENT_TAXONOMY } from '../../core/connectors/mock/development-taxonomy.ts';
import { OWNER_ASSIGNMENTS, PERSONAS } from '../../core/connectors/mock/development-tenant.ts';
import type { Db } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import {
  DEVELOPMENT_TENANT_ID,
  type SeedTenant,
  seedDevelopmentTenant,
  seedTenant,
} from '../../infra/local/seed.ts';

export const DEV = DEVELOPMENT_TENANT_ID;
export const OTHER = 'other' as TenantId;

/** Who a test signs in as. */
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

/** The person of the second tenant who has the same part there. */
export const inOther = (principalId: string) => principalId.replace(/^pri_/, 'pri_other_');

/**
 * A second tenant with the same domain and type ids as the first, so that a query without a tenant predicate would
 * find its rows, and with people of its own, since a principal id is unique over all tenants.
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

/** The development tenant, with its fixture, and the second one. */
export async function seedTenants(db: Db, now: number = Date.now()): Promise<void> {
  await seedDevelopmentTenant(db, now);
  await seedTenant(db, SECOND_TENANT, now);
}
