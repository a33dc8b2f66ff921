import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Ensemble } from '../scan/inference.ts';
import type { Taxonomy, TaxonomyDomain, TaxonomyInformationType } from '../scan/taxonomy-index.ts';

/** What takes part in inference: approved domains and the approved types in them. */
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

/** The thresholds in force. */
export async function loadActiveEnsemble(tx: Tx): Promise<Ensemble> {
  const [ensemble] = await tx.query<Ensemble>(sql`
    select version, candidate_threshold as "candidateThreshold", review_low_threshold as "reviewLowThreshold",
           review_high_threshold as "reviewHighThreshold", near_dup_confirmed_boost as "nearDupConfirmedBoost",
           exact_dup_confirmed_boost as "exactDupConfirmedBoost"
      from ensembles where tenant_id = ${tx.tenantId} and active`);
  if (ensemble === undefined) throw new Error('The tenant has no active ensemble');
  return ensemble;
}
