import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * The asset `a` with an id, for `cross join lateral`. The fence forces a lookup by id. Without statistics of the
 * tenant, the planner would otherwise read all assets for every row.
 */
export const assetById = (tx: Tx, assetId: Statement): Statement => sql`(
  select * from assets where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = ${assetId} ${FENCE}) a`;
