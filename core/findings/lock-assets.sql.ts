import { isOneOf } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * Locks the rows of assets until the transaction ends, so that scans, decisions and assessments wait. All who lock
 * several take them in the same order, to avoid a deadlock.
 */
export const lockAssets = (tx: Tx, assetIds: readonly string[]): Promise<unknown> =>
  tx.execute(sql`
    select from assets where tenant_id = ${tx.tenantId} and ${isOneOf(sql`asset_id`, assetIds)}
     order by asset_id for no key update`);
