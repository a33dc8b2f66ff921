import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Taxonomy, TaxonomyDomain, TaxonomyInformationType } from './taxonomy-index.ts';

/** The taxonomy that inference uses: approved domains and their approved types. */
export async function loadApprovedTaxonomy(tx: Tx): Promise<Taxonomy> {
  const domains = await tx.query<TaxonomyDomain>(sql`
    select domain_id as "domainId", name, description, inclusion, exclusion from domains
     where tenant_id = ${tx.tenantId} and status = 'approved' order by domain_id`);
  const informationTypes = await tx.query<TaxonomyInformationType>(sql`
    select t.information_type_id as "informationTypeId", t.domain_id as "domainId", t.name, t.definition, t.sensitivity,
           t.indicators
      from information_types t join domains d using (tenant_id, domain_id)
     where t.tenant_id = ${tx.tenantId} and t.status = 'approved' and d.status = 'approved'
     order by t.information_type_id`);
  return { domains, informationTypes };
}
