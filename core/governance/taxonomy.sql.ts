import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Sensitivity } from '../scan/taxonomy-index.ts';
import { withinDomains } from './within-domains.ts';

export type GovernanceStatus = 'draft' | 'approved';

export type ListedInformationType = {
  id: string;
  name: string;
  definition: string;
  sensitivityRationale: string;
  expectedLocationNote: string;
  sensitivity: Sensitivity;
  indicators: { detectors: string[]; keywords: string[] };
  status: GovernanceStatus;
};

export type ListedDomain = {
  id: string;
  name: string;
  description: string;
  inclusion: string;
  exclusion: string;
  status: GovernanceStatus;
  informationTypes: ListedInformationType[];
};

/** Domains that the reader may see, by name, drafts included; at most `domains` of them with `types` types in all. */
export async function listTaxonomy(
  tx: Tx,
  visibility: Visibility,
  limits: { domains: number; types: number },
): Promise<{ items: ListedDomain[]; truncated: boolean }> {
  const rows = await tx.query<Omit<ListedDomain, 'informationTypes'>>(sql`
    select domain_id as id, name, description, inclusion, exclusion, status from domains
     where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
     order by lower(name), domain_id limit ${limits.domains + 1}`);
  const domains = rows.slice(0, limits.domains);
  const types = await tx.query<ListedInformationType & { domainId: string }>(sql`
    select information_type_id as id, domain_id as "domainId", name, definition,
           sensitivity_rationale as "sensitivityRationale", expected_location_note as "expectedLocationNote",
           sensitivity, indicators, status
      from information_types
     where tenant_id = ${tx.tenantId} and domain_id = any(${domains.map((domain) => domain.id)}::text[])
     order by lower(name), information_type_id limit ${limits.types + 1}`);
  const byDomain = Map.groupBy(types.slice(0, limits.types), (type) => type.domainId);
  return {
    items: domains.map((domain) => ({ ...domain, informationTypes: byDomain.get(domain.id) ?? [] })),
    truncated: rows.length > limits.domains || types.length > limits.types,
  };
}
