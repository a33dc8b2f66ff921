import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

export type DueScope = { tenantId: TenantId; scopeId: ScopeId };

/** Selected scopes with an inventory and without an active scan, by id, after the given one; at most `limit`. */
export async function dueScopes(tx: EngineTx, after: DueScope | null, limit: number): Promise<DueScope[]> {
  return tx.query<DueScope>(sql`
    select s.tenant_id as "tenantId", s.scope_id as "scopeId" from scopes s
     where (s.tenant_id, s.scope_id) > (${after?.tenantId ?? ''}, ${after?.scopeId ?? ''})
       and s.selected and s.coverage_state is not null
       and not exists (select 1 from campaigns c
                        where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id
                          and c.status in ${ACTIVE_STATUSES})
     order by s.tenant_id, s.scope_id limit ${limit}`);
}
