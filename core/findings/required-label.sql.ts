import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/**
 * Selects `label_guid` and `name` of the weakest label that fits every level of the asset of `findings f`. No row for
 * other kinds than `label`, and if the level or the catalog is not known.
 */
export const requiredLabel = (tx: Tx): Statement => sql`
  select l.label_guid, l.name
    from (select (c ->> 'level')::integer as level from asset_risks r cross join jsonb_array_elements(r.components) c
           where r.tenant_id = ${unpeeked(tx.tenantId)} and r.asset_id = f.asset_id and c ->> 'name' = 'label') held
    join sensitivity_labels l on l.tenant_id = ${tx.tenantId}
   where f.kind = 'label' and l.rank >= ceil(held.level::double precision / 3 * (
           select max(rank) from sensitivity_labels where tenant_id = ${tx.tenantId}))
   order by l.rank, l.label_guid limit 1`;
