import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { similarDomains } from './similar-names.ts';
import type { Domain, InformationType, ListedDomain } from './taxonomy-schema.ts';

/** The tables whose objects are approved one by one. */
type Table = 'domains' | 'information_types';
const KEY = { domains: 'domain_id', information_types: 'information_type_id' } as const;

/** A timestamp in the format of the API. */
export const instant = (column: Statement) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const provenance = sql`
  status, origin, provider, model, created_by as "createdBy", approved_by as "approvedBy",
  ${instant(sql`approved_at`)} as "approvedAt", revision, ${instant(sql`updated_at`)} as "updatedAt"`;
const COLUMNS = {
  domains: sql`domain_id as id, name, description, inclusion, exclusion, ${provenance}`,
  information_types: sql`
    information_type_id as id, domain_id as "domainId", name, definition,
    sensitivity_rationale as "sensitivityRationale", expected_location_note as "expectedLocationNote", sensitivity,
    indicators, ${provenance}`,
};

/**
 * Domains that the reader may see, drafts included, ordered by name: at most `domains` domains with at most `types`
 * types in all. A draft is compared only with these, so that nobody learns the names of other domains.
 */
export async function listTaxonomy(
  tx: Tx,
  visibility: Visibility,
  limits: { domains: number; types: number },
): Promise<{ items: ListedDomain[]; truncated: boolean }> {
  const rows = await tx.query<Omit<ListedDomain, 'informationTypes' | 'similarTo'>>(sql`
    select ${COLUMNS.domains},
           (select jsonb_build_object('draft', count(*) filter (where m.status = 'draft'),
                                      'approved', count(*) filter (where m.status = 'approved'))
              from regulatory_mappings m
             where m.tenant_id = domains.tenant_id and m.domain_id = domains.domain_id and m.status <> 'rejected') as "regulatoryMappings"
      from domains
     where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
     order by lower(name), domain_id limit ${limits.domains + 1}`);
  const domains = rows.slice(0, limits.domains);
  const types = await tx.query<InformationType>(sql`
    select ${COLUMNS.information_types} from information_types
     where tenant_id = ${tx.tenantId} and domain_id = any(${domains.map((domain) => domain.id)}::text[])
     order by lower(name), information_type_id limit ${limits.types + 1}`);
  const byDomain = Map.groupBy(types.slice(0, limits.types), (type) => type.domainId);
  const drafts = new Set(domains.filter(({ status }) => status === 'draft').map(({ id }) => id));
  const similar = similarDomains(
    domains.map(({ id: domainId, name }) => ({ domainId, name })),
    (domainId) => drafts.has(domainId),
  );
  return {
    items: domains.map((domain) => ({
      ...domain,
      similarTo: similar.get(domain.id) ?? [],
      informationTypes: byDomain.get(domain.id) ?? [],
    })),
    truncated: rows.length > limits.domains || types.length > limits.types,
  };
}

const lockRow = <Row extends object>(tx: Tx, table: Table, id: string): Promise<Row[]> =>
  tx.query<Row>(sql`
    select ${COLUMNS[table]} from ${sql.ident(table)}
     where tenant_id = ${tx.tenantId} and ${sql.ident(KEY[table])} = ${id} for no key update`);

/** A domain, locked until the transaction ends, or null. */
export const lockDomain = async (tx: Tx, id: string): Promise<Domain | null> =>
  (await lockRow<Domain>(tx, 'domains', id))[0] ?? null;

/** An information type, locked until the transaction ends, or null. */
export const lockInformationType = async (tx: Tx, id: string): Promise<InformationType | null> =>
  (await lockRow<InformationType>(tx, 'information_types', id))[0] ?? null;

/** Violates `domains_name` if another domain has the name. */
export const updateDomain = (tx: Tx, domain: Domain, now: number) =>
  tx.execute(sql`
    update domains
       set name = ${domain.name}, description = ${domain.description}, inclusion = ${domain.inclusion},
           exclusion = ${domain.exclusion}, revision = revision + 1, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and domain_id = ${domain.id}`);

/** Violates `information_types_name` if another type of the domain has the name. */
export const updateInformationType = (tx: Tx, type: InformationType, now: number) =>
  tx.execute(sql`
    update information_types
       set name = ${type.name}, definition = ${type.definition}, sensitivity_rationale = ${type.sensitivityRationale},
           expected_location_note = ${type.expectedLocationNote}, sensitivity = ${type.sensitivity},
           indicators = ${sql.json(type.indicators)}::jsonb, revision = revision + 1, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and information_type_id = ${type.id}`);

export const markApproved = (tx: Tx, table: Table, id: string, by: PrincipalId, now: number) =>
  tx.execute(sql`
    update ${sql.ident(table)}
       set status = 'approved', approved_by = ${by}, approved_at = ${new Date(now)}, revision = revision + 1,
           updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and ${sql.ident(KEY[table])} = ${id}`);
