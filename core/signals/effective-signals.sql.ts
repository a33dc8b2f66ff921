import { type Statement, sql } from '../db/sql.ts';
import { SURE_CONFIDENCE } from '../detectors/detector.ts';

/** The signals of an asset that count, after suppressions. `asset` is a row with `tenant_id` and `asset_id`. */
export const effectiveSignals = (asset: Statement): Statement => sql`coalesce(
  (select x.signals from asset_suppressions x
    where x.tenant_id = ${asset}.tenant_id and x.asset_id = ${asset}.asset_id),
  (select y.features -> 'signals' from asset_features y
    where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id),
  '[]')`;

/** Excerpts without those of detectors all of whose finds rules have taken. `asset` as above. */
export const effectiveExcerpts = (excerpts: Statement, asset: Statement): Statement => sql`coalesce(
  (select jsonb_agg(e.excerpt order by e.at)
     from jsonb_array_elements(${excerpts}) with ordinality as e (excerpt, at)
    where not exists (
      select from asset_suppressions x
       where x.tenant_id = ${asset}.tenant_id and x.asset_id = ${asset}.asset_id
         and jsonb_path_exists(x.suppressed, '$[*] ? (@.detectorId == $detector && @.remaining == 0)',
               jsonb_build_object('detector', e.excerpt -> 'detectorId')))),
  '[]')`;

/** Condition: one of the detectors has finds in the asset that count. `asset` as above. */
export const holdsFindsOf = (asset: Statement, detectorIds: readonly string[]): Statement => sql`
  exists (
    select from asset_features y
      left join asset_suppressions x on x.tenant_id = y.tenant_id and x.asset_id = y.asset_id
     where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id and y.signal_kinds && ${detectorIds}::text[]
       and (x.signals is null or jsonb_exists_any(jsonb_path_query_array(x.signals, '$[*].detectorId'), ${detectorIds}::text[])))`;

/**
 * Condition: the detector has finds in the asset that count, or sure ones. `asset` as above. A scalar subquery is one
 * lookup by id for each asset; of `exists`, the planner may make a scan of the whole tenant.
 */
export const holdsKind = (asset: Statement, detectorId: string, finds: 'sure' | 'all'): Statement => sql`
  coalesce((
    select true from asset_features y
     where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id and y.signal_kinds && array[${detectorId}]::text[]
       and jsonb_path_exists(${effectiveSignals(asset)}, '$[*] ? (@.detectorId == $detector && @.confidence >= $least)',
             jsonb_build_object('detector', ${detectorId}::text,
                                'least', ${finds === 'sure' ? SURE_CONFIDENCE : 0}::float8))
     limit 1), false)`;
