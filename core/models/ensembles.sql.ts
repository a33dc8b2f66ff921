import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Ensemble, EnsembleValues, Thresholds } from '../inference/inference.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { EnsembleRelease } from './release-schema.ts';

const THRESHOLDS = sql`
  version, candidate_threshold as "candidateThreshold", review_low_threshold as "reviewLowThreshold",
  review_high_threshold as "reviewHighThreshold", near_dup_confirmed_boost as "nearDupConfirmedBoost",
  exact_dup_confirmed_boost as "exactDupConfirmedBoost"`;
const COLUMNS = sql`${THRESHOLDS}, learned`;

/** The thresholds of a version. */
export const thresholdsOf = ({ version: _, learned: __, ...thresholds }: Ensemble): Thresholds => thresholds;

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
 * Makes the next version of the thresholds and weights and puts it in force. Former versions stay as they were. The
 * caller has locked the version in force.
 * @param releaseId the release that causes it; null for none
 * @returns the new version
 */
export async function advanceEnsemble(
  tx: Tx,
  values: EnsembleValues,
  releaseId: string | null,
  now: number,
): Promise<number> {
  await tx.execute(sql`update ensembles set active = false where tenant_id = ${tx.tenantId} and active`);
  const [next] = await tx.query<{ version: number }>(sql`
    insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                           near_dup_confirmed_boost, exact_dup_confirmed_boost, learned, active, created_at,
                           release_id)
    select ${tx.tenantId}, max(version) + 1, ${values.candidateThreshold}::double precision,
           ${values.reviewLowThreshold}::double precision, ${values.reviewHighThreshold}::double precision,
           ${values.nearDupConfirmedBoost}::double precision, ${values.exactDupConfirmedBoost}::double precision,
           ${values.learned && sql.json(values.learned)}::jsonb, true, ${new Date(now)}::timestamptz, ${releaseId}::text
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
        select ${THRESHOLDS}, case when learned is null then 'hand_set' else 'learned' end as weights, active, release_id as "releaseId", created_at as "createdAt" from ensembles
         where tenant_id = ${tx.tenantId} order by version desc limit ${limit}
      ) e left join model_releases r on r.tenant_id = ${tx.tenantId} and r.release_id = e."releaseId"
     order by e.version desc`);
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
