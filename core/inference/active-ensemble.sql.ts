import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Ensemble } from './inference.ts';

/** The thresholds and weights in force. Throws if the tenant has no active ensemble. */
export async function loadActiveEnsemble(tx: Tx): Promise<Ensemble> {
  const [ensemble] = await tx.query<Ensemble>(sql`
    select version, candidate_threshold as "candidateThreshold", review_low_threshold as "reviewLowThreshold",
           review_high_threshold as "reviewHighThreshold", near_dup_confirmed_boost as "nearDupConfirmedBoost",
           exact_dup_confirmed_boost as "exactDupConfirmedBoost", learned
      from ensembles where tenant_id = ${tx.tenantId} and active`);
  if (ensemble === undefined) throw new Error('The tenant has no active ensemble');
  return ensemble;
}
