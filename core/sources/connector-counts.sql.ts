import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** Scopes of one instance of a family. `instance`: null if no instance of the configuration selects them any more. */
export type ConnectorCounts = {
  family: SourceFamily;
  instance: string | null;
  scopes: number;
  selected: number;
  /** Of scopes that are not selected. */
  assetsNotSelected: number;
  /** When a scan last listed a whole scope of it. */
  lastContactAt: Date | null;
};

/** @param owners the instance of each scope, of the families that have several */
export async function connectorCounts(
  tx: Tx,
  owners: readonly { family: SourceFamily; instance: string; externalId: string }[],
): Promise<ConnectorCounts[]> {
  return tx.query<ConnectorCounts>(sql`
    select s.family, o.instance, count(*)::int as scopes, count(*) filter (where s.selected)::int as selected,
           coalesce(sum(s.asset_count) filter (where not s.selected), 0)::int as "assetsNotSelected",
           max(l.at) as "lastContactAt"
      from scopes s
      left join jsonb_to_recordset(${sql.json(owners)}::jsonb) as o (family text, instance text, "externalId" text)
        on o.family = s.family and o."externalId" = s.external_id
      left join (select scope_id, max(finished_at) as at from campaigns
                  where tenant_id = ${tx.tenantId} and status = 'completed' and kind in ('inventory', 'delta')
                    and listing_units_dead = 0
                  group by scope_id) l on l.scope_id = s.scope_id
     where s.tenant_id = ${tx.tenantId}
     group by s.family, o.instance`);
}
