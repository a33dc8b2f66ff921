import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isLabelOf } from '../governance/labels.sql.ts';

/**
 * Selects `label_guid` and `name` of the weakest label that fits every level of the asset of `findings f`. No row for
 * other kinds than `label`, and if the level or the catalog is not known.
 */
export const requiredLabel = (tx: Tx): Statement => sql`
  select l.label_guid, l.name
    from (select (c ->> 'level')::integer as level from asset_risks r cross join jsonb_array_elements(r.components) c
           where r.tenant_id = ${unpeeked(tx.tenantId)} and r.asset_id = f.asset_id and c ->> 'name' = 'label') held
    cross join (select s.family from assets a join scopes s using (tenant_id, scope_id)
                 where a.tenant_id = ${unpeeked(tx.tenantId)} and a.asset_id = f.asset_id) source
    join sensitivity_labels l on l.tenant_id = ${tx.tenantId} and ${isLabelOf(sql`source.family`)}
   where f.kind = 'label' and l.rank >= ceil(held.level::double precision / 3 * (
           select max(l.rank) from sensitivity_labels l
            where l.tenant_id = ${tx.tenantId} and ${isLabelOf(sql`source.family`)}))
   order by l.rank, l.label_guid limit 1`;
