import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FEATURE_VERSION } from '../inference/features.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Suppression } from '../signals/suppression.ts';

/** Whether a rule of a domain is about a scope that another domain is expected to be in: it changes no asset there. */
export async function isOfAnotherDomain(tx: Tx, rule: Suppression): Promise<boolean> {
  if (rule.kind !== 'detector_in_scope' || rule.domainId === null) return false;
  const rows = await tx.query(sql`
    select 1 from scopes
     where tenant_id = ${tx.tenantId} and scope_id = ${rule.scopeId} and expected_domain_id <> ${rule.domainId}`);
  return rows.length > 0;
}

/**
 * Of these assets: how many are of the rule's domain alone, by their questions, answers and scopes; how many of those
 * can be scored again; and how many of those have finds that no other rule has taken.
 */
export async function countReachable(
  tx: Tx,
  { suppressionId, detectorId, domainId }: Suppression,
  assetIds: readonly AssetId[],
): Promise<{ ofDomain: number; scored: number; left: number }> {
  const [counted] = await tx.query<{ ofDomain: number; scored: number; left: number }>(sql`
    select count(*)::int as "ofDomain", count(*) filter (where is_scored)::int as scored,
           count(*) filter (where is_scored and not is_taken)::int as left
      from (
        select (f.features -> 'featureVersion') = to_jsonb(${FEATURE_VERSION}::int) as is_scored,
               coalesce(jsonb_path_exists(x.suppressed,
                 '$[*] ? (@.detectorId == $detector && @.remaining == 0 && @.suppressionId != $own)',
                 jsonb_build_object('detector', ${detectorId}::text, 'own', ${suppressionId}::text)), false) as is_taken
          from assets a
          join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
          join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
          left join asset_suppressions x on x.tenant_id = a.tenant_id and x.asset_id = a.asset_id
          cross join lateral (
            select array_agg(k.domain_id) as ids from candidates k
             where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
               and k.status in ('pending', 'deferred', 'confirmed')) tied
         where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${assetIds}::text[])
           and (${domainId}::text is null
                or (array_remove(tied.ids || s.expected_domain_id, null) <@ array[${domainId}]::text[]
                    and array_remove(tied.ids || s.expected_domain_id, null) <> '{}'))
      ) reached`);
  return counted ?? { ofDomain: 0, scored: 0, left: 0 };
}
