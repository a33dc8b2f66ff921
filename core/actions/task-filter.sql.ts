import { z } from 'zod';
import { type ListReader, visibleAction } from '../authz/action-visibility.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { idsUpTo } from '../kernel/list.ts';
import { orderedBy } from './action-filter.sql.ts';
import { TASK_STATUSES } from './task-states.ts';

/** The list, its facets and its export have the same filter. */
export const TaskFilterSchema = z.strictObject({
  status: z.enum(TASK_STATUSES).optional(),
  mine: z
    .enum(['assigned', 'requested'])
    .optional()
    .describe('`assigned`: the caller is an assignee. `requested`: the caller requested its action'),
  domainId: z.string().max(64).optional(),
  ids: idsUpTo(200).optional().describe('Ids of at most 200 tasks, separated by commas'),
});
export type TaskFilter = z.infer<typeof TaskFilterSchema>;

export const taskOrder = orderedBy(sql`t.created_at`, sql`t.updated_at`, sql`t.task_id`);

/** Selects the ids of the present owners of the domains of `tasks t`, as far as the reader may see the domains. */
export const ownersOf = (visibility: Visibility): Statement => sql`
  select o.principal_id from action_domains d
    join owner_assignments o using (tenant_id, domain_id)
   where d.tenant_id = t.tenant_id and d.action_id = t.action_id and o.ended_at is null
     and ${withinDomains(visibility, sql`d.domain_id`)}`;

/** Selects `tasks t` that the reader may see under a filter. */
export async function foundTasks(tx: Tx, reader: ListReader, filter: TaskFilter): Promise<Statement> {
  const { status, mine, ids } = filter;
  const seen = await withinAskedDomains(tx, reader.actions, filter);
  const isMine =
    mine === undefined
      ? sql`true`
      : mine === 'requested'
        ? sql`a.requested_by = ${reader.principalId}`
        : sql`${reader.principalId} in (${ownersOf(reader.actions)})`;
  return sql`
    select t.* from tasks t join actions a on a.tenant_id = t.tenant_id and a.action_id = t.action_id
     where t.tenant_id = ${tx.tenantId} and ${visibleAction(seen)} and ${isMine}
       and ${equal(sql`t.status`, status)}
       and ${ids === undefined ? sql`true` : sql`t.task_id = any(${ids}::text[])`}`;
}
