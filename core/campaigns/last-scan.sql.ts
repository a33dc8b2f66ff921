import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** When the last complete scan of a scope ended; null if there was none. A scan with a dead unit of its listing is incomplete, and so is a narrowed one. */
export const lastScanOf = (tx: Tx, scopeId: Statement): Statement => sql`(
  select max(c.finished_at) from campaigns c
   where c.tenant_id = ${tx.tenantId} and c.scope_id = ${scopeId} and c.status = 'completed'
     and c.listing_units_dead = 0 and coalesce(jsonb_typeof(c.narrowing -> 'only'), 'null') = 'null')`;
