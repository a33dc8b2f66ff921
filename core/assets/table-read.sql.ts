import { type Statement, sql } from '../db/sql.ts';

/** How much of a table was read, as `TableReadSchema`. Null for other assets. `asset` is a row of `assets`. */
export const tableReadOf = (asset: Statement): Statement => sql`
  case when ${asset}.kind = 'table' then
    (select y.features -> 'table' from asset_features y
      where y.tenant_id = ${asset}.tenant_id and y.asset_id = ${asset}.asset_id) end`;
