import { type Statement, sql } from '../db/sql.ts';
import { SURE_CONFIDENCE } from '../detectors/detector.ts';

/** The signals of an asset that count, after suppressions. `asset` is a row with `tenant_id` and `asset_id`. */
export const effectiveSignals = (asset: Statement): Statement => sql`coalesce(
  ${signalsLeft(asset)},
  (select y.features -> 'signals' from asset_features y
    where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id),
  '[]')`;

/** The same with `asset_features y` of the asset at hand. */
const effectiveOf = (asset: Statement): Statement =>
  sql`coalesce(${signalsLeft(asset)}, y.features -> 'signals', '[]')`;

/** What suppressions have left of the signals. Null if none was applied. */
const signalsLeft = (asset: Statement): Statement => sql`
  (select x.signals from asset_suppressions x
    where x.tenant_id = ${asset}.tenant_id and x.asset_id = ${asset}.asset_id)`;

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

/**
 * Condition: one of the detectors, or of those of the families, has at least `least` finds in the asset that count, or
 * sure ones. `asset` as above.
 */
export const holdsFindsOf = (
  asset: Statement,
  of: { detectorIds: readonly string[] } | { families: readonly string[] },
  { finds, least }: { finds: 'sure' | 'all'; least: number },
): Statement => sql`
  exists (
    select from asset_features y
     where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id
       and ${'detectorIds' in of ? sql`y.signal_kinds && ${of.detectorIds}::text[]` : sql`cardinality(y.signal_kinds) > 0`}
       and exists (
         select from jsonb_array_elements(${effectiveOf(asset)}) s
          where ${'detectorIds' in of ? sql`s ->> 'detectorId' = any(${of.detectorIds}::text[])` : sql`s ->> 'family' = any(${of.families}::text[])`}
            and (s ->> 'confidence')::float8 >= ${finds === 'sure' ? SURE_CONFIDENCE : 0}
            and (s ->> 'count')::int >= ${least}))`;

/**
 * Condition: the detector has finds in the asset that count, or sure ones. `asset` as above. A scalar subquery is one
 * lookup by id for each asset; of `exists`, the planner may make a scan of the whole tenant.
 */
export const holdsKind = (asset: Statement, detectorId: string, finds: 'sure' | 'all'): Statement => sql`
  coalesce((
    select true from asset_features y
     where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id and y.signal_kinds && array[${detectorId}]::text[]
       and jsonb_path_exists(${effectiveOf(asset)}, '$[*] ? (@.detectorId == $detector && @.confidence >= $least)',
             jsonb_build_object('detector', ${detectorId}::text,
                                'least', ${finds === 'sure' ? SURE_CONFIDENCE : 0}::float8))
     limit 1), false)`;
