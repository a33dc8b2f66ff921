import { sql } from '../../core/db/sql.ts';
import { type Db, type Tx, withProvisioningTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import { createTenant } from '../../core/people/create-tenant.sql.ts';
import { DEVELOPMENT_TAXONOMY, type SeedDomain } from './fixture/development-taxonomy.ts';
import {
  ORGANIZATION_PROFILE,
  OWNER_ASSIGNMENTS,
  PERSONAS,
  type Persona,
  PROFILE_AUTHOR,
  type SeedOwnerAssignment,
} from './fixture/development-tenant.ts';
import { storeFixture } from './fixture/fixture-store.sql.ts';
import type { Fixture } from './fixture/fixture-store.ts';
import { FIXTURE_SEED, seedFixture } from './fixture/seed-fixture.ts';

/** The content of a tenant before its first scan. All of it is approved. */
export type SeedTenant = {
  tenantId: TenantId;
  name: string;
  personas: readonly Persona[];
  taxonomy: readonly SeedDomain[];
  assignments: readonly SeedOwnerAssignment[];
  /** The organization profile. Null for a tenant without one. */
  profile: typeof ORGANIZATION_PROFILE | null;
  /** The data of the mock connector. Null for a tenant without a fixture. */
  fixture: Fixture | null;
};

export const DEVELOPMENT_TENANT_ID = 'dev' as TenantId;

/**
 * Creates the development tenant unless it exists.
 * @param db pool of the login that owns the schema
 * @param now milliseconds
 */
export function seedDevelopmentTenant(db: Db, now: number): Promise<boolean> {
  return seedTenant(
    db,
    {
      tenantId: DEVELOPMENT_TENANT_ID,
      name: 'Development tenant',
      personas: PERSONAS,
      taxonomy: DEVELOPMENT_TAXONOMY,
      assignments: OWNER_ASSIGNMENTS,
      profile: ORGANIZATION_PROFILE,
      fixture: seedFixture(FIXTURE_SEED),
    },
    now,
  );
}

/**
 * Creates a tenant in one transaction. An existing tenant stays unchanged.
 * @param db pool of the login that owns the schema
 * @returns whether this call created it
 */
export function seedTenant(db: Db, tenant: SeedTenant, now: number): Promise<boolean> {
  const at = new Date(now);
  return withProvisioningTx(db, tenant.tenantId, async (tx) => {
    if (!(await createTenant(tx, { name: tenant.name, issuer: null }, now))) return false;
    await insertPeople(tx, tenant.personas);
    await insertTaxonomy(tx, tenant.taxonomy, at);
    await insertAssignments(tx, tenant.assignments, at);
    if (tenant.profile !== null) await insertProfile(tx, tenant.profile, at);
    if (tenant.fixture !== null) await storeFixture(tx, tenant.fixture);
    return true;
  });
}

/** The directory of the fixture knows them by the same ids. */
async function insertPeople(tx: Tx, personas: readonly Persona[]): Promise<void> {
  await tx.query(sql`
    insert into principals (tenant_id, principal_id, directory_id, display_name, title, department)
    select ${tx.tenantId}, p ->> 'id', p ->> 'id', p ->> 'displayName', p ->> 'title', p ->> 'department'
      from jsonb_array_elements(${sql.json(personas)}::jsonb) as p`);
  const grants = personas.flatMap(({ id, roles }) => roles.map((role: Role) => ({ id, role })));
  await tx.query(sql`
    insert into principal_roles (tenant_id, principal_id, role)
    select ${tx.tenantId}, g ->> 'id', g ->> 'role' from jsonb_array_elements(${sql.json(grants)}::jsonb) as g`);
}

async function insertTaxonomy(tx: Tx, taxonomy: readonly SeedDomain[], at: Date): Promise<void> {
  await tx.query(sql`
    insert into domains (tenant_id, domain_id, name, description, inclusion, exclusion, status, created_at, updated_at)
    select ${tx.tenantId}, d ->> 'id', d ->> 'name', d ->> 'description', d ->> 'inclusion', d ->> 'exclusion',
           'approved', ${at}, ${at}
      from jsonb_array_elements(${sql.json(taxonomy)}::jsonb) as d`);
  await tx.query(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, definition, sensitivity_rationale,
                                   expected_location_note, sensitivity, indicators, status, created_at, updated_at)
    select ${tx.tenantId}, t ->> 'id', d ->> 'id', t ->> 'name', t ->> 'definition', t ->> 'sensitivityRationale',
           t ->> 'expectedLocationNote', t ->> 'sensitivity', t -> 'indicators', 'approved', ${at}, ${at}
      from jsonb_array_elements(${sql.json(taxonomy)}::jsonb) as d,
           jsonb_array_elements(d -> 'informationTypes') as t`);
}

async function insertAssignments(
  tx: Tx,
  assignments: readonly SeedOwnerAssignment[],
  at: Date,
): Promise<void> {
  const rows = assignments.map((assignment, index) => ({ ...assignment, id: `own_seed_${index}` }));
  await tx.query(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, attestation_days, created_at)
    select ${tx.tenantId}, o ->> 'id', o ->> 'principalId', o ->> 'domainId', o ->> 'kind',
           (o ->> 'attestationDays')::int, ${at}
      from jsonb_array_elements(${sql.json(rows)}::jsonb) as o`);
}

async function insertProfile(tx: Tx, profile: typeof ORGANIZATION_PROFILE, at: Date): Promise<void> {
  await tx.query(sql`
    insert into organization_profiles (tenant_id, profile_id, name, industries, geographies, description, updated_by,
                                       created_at, updated_at)
    values (${tx.tenantId}, 'prf_seed', ${profile.name}, ${profile.industries}::text[], ${profile.geographies}::text[],
            ${profile.description}, ${PROFILE_AUTHOR}, ${at}, ${at})`);
}
