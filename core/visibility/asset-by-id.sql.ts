import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * The asset `a` of an id, to be joined by `cross join lateral`: looked up by it, whatever the planner knows of the tenant. Of
 * one that it knows nothing of yet, a join would go through all assets for every row.
 */
export const assetById = (tx: Tx, assetId: Statement): Statement => sql`(
  select * from assets where tenant_id = ${unpeeked(tx.tenantId)} and asset_id = ${assetId} ${FENCE}) a`;
