import { type Statement, sql } from '../db/sql.ts';

/** The signals of an asset that count, after suppressions. `asset` is a row with `tenant_id` and `asset_id`. */
export const standingSignals = (asset: Statement): Statement => sql`coalesce(
  (select x.signals from asset_suppressions x
    where x.tenant_id = ${asset}.tenant_id and x.asset_id = ${asset}.asset_id),
  (select y.features -> 'signals' from asset_features y
    where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id),
  '[]')`;
