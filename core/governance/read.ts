import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Ensemble } from '../scan/inference.ts';
import type { Taxonomy, TaxonomyDomain, TaxonomyInformationType } from '../scan/taxonomy-index.ts';
import { withinDomains } from './within-domains.ts';

export { AttestationSchema } from './attestation.ts';
export { loadEnabledDetectors } from './custom-detectors.sql.ts';
export { countDrafts } from './drafts.sql.ts';
export { loadProfile } from './organization-profile.ts';
export { attestationsOf, hasOwner, OWNER_KINDS } from './owners.sql.ts';
export { withinDomains, withinDomainsUnpeeked } from './within-domains.ts';

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

export async function isApprovedDomain(tx: Tx, domainId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from domains where tenant_id = ${tx.tenantId} and domain_id = ${domainId} and status = 'approved'`);
  return rows.length > 0;
}

/** The domain of an approved information type that the reader's grant reaches, or null. */
export async function domainOfApprovedType(
  tx: Tx,
  visibility: Visibility,
  informationTypeId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ domain_id: string }>(sql`
    select t.domain_id from information_types t join domains d using (tenant_id, domain_id)
     where t.tenant_id = ${tx.tenantId} and t.information_type_id = ${informationTypeId}
       and t.status = 'approved' and d.status = 'approved' and ${withinDomains(visibility, sql`t.domain_id`)}`);
  return row?.domain_id ?? null;
}
