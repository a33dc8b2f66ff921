import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import type { NamedDomain } from './similar-names.ts';
import type { InformationType } from './taxonomy-schema.ts';

/** Who drafts, and with which model, if any. */
export type Drafted = {
  origin: 'generated' | 'manual';
  provider: string | null;
  model: string | null;
  createdBy: PrincipalId;
};

export type DomainDraft = {
  id: string;
  name: string;
  description: string;
  inclusion: string;
  exclusion: string;
};

export type TypeDraft = Pick<
  InformationType,
  | 'id'
  | 'domainId'
  | 'name'
  | 'definition'
  | 'sensitivityRationale'
  | 'expectedLocationNote'
  | 'sensitivity'
  | 'indicators'
>;

/** A section of a version of a policy document, with the heading that it has there. */
export type Citation = { documentId: string; version: number; anchor: string; heading: string };

export type MappingDraft = {
  id: string;
  domainId: string;
  jurisdiction: string;
  regulation: string;
  rationale: string;
  citation: Citation | null;
};

// Each function inserts in the order of names. Two transactions that draft the same names then wait for each other
// and do not deadlock.

/** Adds drafts, except those whose name another domain has in any case. Returns the ids of those added. */
export async function insertDomains(
  tx: Tx,
  drafts: readonly DomainDraft[],
  { origin, provider, model, createdBy }: Drafted,
  now: number,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into domains (tenant_id, domain_id, name, description, inclusion, exclusion, status, origin, provider, model,
                         created_by, created_at, updated_at)
    select ${tx.tenantId}, d ->> 'id', d ->> 'name', d ->> 'description', d ->> 'inclusion', d ->> 'exclusion', 'draft',
           ${origin}, ${provider}, ${model}, ${createdBy}, ${new Date(now)}, ${new Date(now)}
      from jsonb_array_elements(${sql.json(drafts)}::jsonb) as d order by lower(d ->> 'name')
    on conflict (tenant_id, lower(name)) do nothing returning domain_id as id`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Adds drafts in the same way; a name is unique within its domain. Violates
 * `information_types_tenant_id_domain_id_fkey`.
 */
export async function insertInformationTypes(
  tx: Tx,
  drafts: readonly TypeDraft[],
  { origin, provider, model, createdBy }: Drafted,
  now: number,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, definition, sensitivity_rationale,
                                   expected_location_note, sensitivity, indicators, status, origin, provider, model,
                                   created_by, created_at, updated_at)
    select ${tx.tenantId}, t ->> 'id', t ->> 'domainId', t ->> 'name', t ->> 'definition', t ->> 'sensitivityRationale',
           t ->> 'expectedLocationNote', t ->> 'sensitivity', t -> 'indicators', 'draft', ${origin}, ${provider},
           ${model}, ${createdBy}, ${new Date(now)}, ${new Date(now)}
      from jsonb_array_elements(${sql.json(drafts)}::jsonb) as t order by t ->> 'domainId', lower(t ->> 'name')
    on conflict (tenant_id, domain_id, lower(name)) do nothing returning information_type_id as id`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Adds drafts in the same way; a regulation is mapped to a domain only once, unless it was rejected. Violates
 * `regulatory_mappings_tenant_id_domain_id_fkey`.
 */
export async function insertMappings(
  tx: Tx,
  drafts: readonly MappingDraft[],
  { origin, provider, model, createdBy }: Drafted,
  now: number,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into regulatory_mappings (tenant_id, mapping_id, domain_id, jurisdiction, regulation, rationale,
                                     cited_document_id, cited_version, cited_anchor, cited_heading, origin, provider,
                                     model, created_by, created_at, updated_at)
    select ${tx.tenantId}, m ->> 'id', m ->> 'domainId', m ->> 'jurisdiction', m ->> 'regulation', m ->> 'rationale',
           m #>> '{citation,documentId}', (m #>> '{citation,version}')::int, m #>> '{citation,anchor}',
           m #>> '{citation,heading}', ${origin}, ${provider}, ${model}, ${createdBy}, ${new Date(now)},
           ${new Date(now)}
      from jsonb_array_elements(${sql.json(drafts)}::jsonb) as m
     order by m ->> 'domainId', lower(m ->> 'jurisdiction'), lower(m ->> 'regulation')
    on conflict (tenant_id, domain_id, lower(jurisdiction), lower(regulation)) where status <> 'rejected' do nothing
    returning mapping_id as id`);
  return new Set(rows.map(({ id }) => id));
}

export async function countTaxonomy(tx: Tx): Promise<{ domains: number; types: number; mappings: number }> {
  const [counts] = await tx.query<{ domains: number; types: number; mappings: number }>(sql`
    select (select count(*)::int from domains where tenant_id = ${tx.tenantId}) as domains,
           (select count(*)::int from information_types where tenant_id = ${tx.tenantId}) as types,
           (select count(*)::int from regulatory_mappings where tenant_id = ${tx.tenantId}) as mappings`);
  return counts ?? { domains: 0, types: 0, mappings: 0 };
}

/** The names of all domains in their order; at most `limit`. */
export const listDomainNames = (tx: Tx, limit: number): Promise<NamedDomain[]> =>
  tx.query<NamedDomain>(sql`
    select domain_id as "domainId", name from domains
     where tenant_id = ${tx.tenantId} order by lower(name), domain_id limit ${limit}`);

/** The given names that a domain already has, in any case. */
export async function namesTaken(tx: Tx, names: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ name: string }>(sql`
    select n as name from unnest(${names}::text[]) as n
     where exists (select from domains where tenant_id = ${tx.tenantId} and lower(name) = lower(n))`);
  return new Set(rows.map(({ name }) => name));
}
