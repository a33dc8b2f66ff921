import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Ensemble, Thresholds } from '../inference/inference.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { EnsembleRelease } from './release-schema.ts';

const COLUMNS = sql`
  version, candidate_threshold as "candidateThreshold", review_low_threshold as "reviewLowThreshold",
  review_high_threshold as "reviewHighThreshold", near_dup_confirmed_boost as "nearDupConfirmedBoost",
  exact_dup_confirmed_boost as "exactDupConfirmedBoost"`;

/** The thresholds of a version. */
export const thresholdsOf = ({ version: _, ...thresholds }: Ensemble): Thresholds => thresholds;

/**
 * The version in force, locked until the transaction ends, so that nobody else puts another one in force. Throws
 * `conflict` if somebody just has.
 */
export async function lockActiveEnsemble(tx: Tx): Promise<Ensemble> {
  const [active] = await tx.query<Ensemble>(sql`
    select ${COLUMNS} from ensembles where tenant_id = ${tx.tenantId} and active for no key update`);
  if (active === undefined)
    throw new ServiceError('conflict', 'Another version of the model has just come into force.');
  return active;
}

/** A version, whether it is in force or not. */
export async function loadEnsemble(tx: Tx, version: number): Promise<Ensemble> {
  const [ensemble] = await tx.query<Ensemble>(sql`
    select ${COLUMNS} from ensembles where tenant_id = ${tx.tenantId} and version = ${version}`);
  if (ensemble === undefined) throw new Error('The tenant has no such version of the thresholds');
  return ensemble;
}

/**
 * Makes the next version of the thresholds and puts it in force. Former versions stay as they were. The caller has locked
 * the version in force.
 * @param releaseId the release that causes it; null for none
 * @returns the new version
 */
export async function advanceEnsemble(
  tx: Tx,
  thresholds: Thresholds,
  releaseId: string | null,
  now: number,
): Promise<number> {
  await tx.execute(sql`update ensembles set active = false where tenant_id = ${tx.tenantId} and active`);
  const [next] = await tx.query<{ version: number }>(sql`
    insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                           near_dup_confirmed_boost, exact_dup_confirmed_boost, active, created_at, release_id)
    select ${tx.tenantId}, max(version) + 1, ${thresholds.candidateThreshold}::double precision,
           ${thresholds.reviewLowThreshold}::double precision, ${thresholds.reviewHighThreshold}::double precision,
           ${thresholds.nearDupConfirmedBoost}::double precision, ${thresholds.exactDupConfirmedBoost}::double precision,
           true, ${new Date(now)}::timestamptz, ${releaseId}::text
      from ensembles where tenant_id = ${tx.tenantId}
    returning version`);
  if (next === undefined) throw new Error('The tenant has no version of the thresholds');
  return next.version;
}

/** The newest versions; at most `limit`. */
export async function listEnsembles(tx: Tx, limit: number): Promise<EnsembleRelease[]> {
  const rows = await tx.query<Omit<EnsembleRelease, 'createdAt'> & { createdAt: Date }>(sql`
    select e.*, case when e."releaseId" is not null then
                       case when r.promoted_version = e.version then 'promotion' else 'rollback' end
                     when e.version = 1 then 'first' else 'rescore' end as cause
      from (
        select ${COLUMNS}, active, release_id as "releaseId", created_at as "createdAt" from ensembles
         where tenant_id = ${tx.tenantId} order by version desc limit ${limit}
      ) e left join model_releases r on r.tenant_id = ${tx.tenantId} and r.release_id = e."releaseId"
     order by e.version desc`);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
