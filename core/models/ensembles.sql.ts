import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Makes the next version of the thresholds with the values of those in force, and puts it in force. Former versions stay
 * as they were. Throws `conflict` when somebody else has put another version in force meanwhile.
 * @returns the new version
 */
export async function advanceEnsemble(tx: Tx, now: number): Promise<number> {
  const [former] = await tx.query<{ version: number }>(sql`
    update ensembles set active = false where tenant_id = ${tx.tenantId} and active returning version`);
  if (former === undefined)
    throw new ServiceError('conflict', 'Another version of the model has just come into force.');
  const [next] = await tx.query<{ version: number }>(sql`
    insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                           near_dup_confirmed_boost, exact_dup_confirmed_boost, active, created_at)
    select tenant_id, (select max(version) + 1 from ensembles where tenant_id = ${tx.tenantId}), candidate_threshold,
           review_low_threshold, review_high_threshold, near_dup_confirmed_boost, exact_dup_confirmed_boost, true,
           ${new Date(now)}
      from ensembles where tenant_id = ${tx.tenantId} and version = ${former.version}
    returning version`);
  return next?.version ?? former.version;
}
