import { z } from 'zod';
import type { ListReader } from '../authz/action-visibility.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { type FacetRow, FacetValueSchema, facetedOf, MAX_FACETED } from '../kernel/facets.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { type ActionFilter, actionOrder, foundActions, preparedFor } from './action-filter.sql.ts';
import { foundTasks, type TaskFilter, taskOrder } from './task-filter.sql.ts';

const FacetedSchema = z.object({
  counted: z.int().nonnegative().describe('How many were counted: at most the 2,000 newest'),
  isExact: z.boolean().describe('False: older ones were not counted'),
});
const Values = z.array(FacetValueSchema);

export const ActionFacetsSchema = FacetedSchema.extend({
  facets: z.object({ status: Values, kind: Values, domainId: Values }),
});
export const TaskFacetsSchema = FacetedSchema.extend({
  facets: z.object({ status: Values, domainId: Values }),
});

/** How many actions the reader may see under a filter. */
export const countActions = async (tx: Tx, reader: ListReader, filter: ActionFilter): Promise<Total> =>
  countFound(tx, filter, await foundActions(tx, reader, filter));

/** How many tasks the reader may see under a filter. */
export const countTasks = async (tx: Tx, reader: ListReader, filter: TaskFilter): Promise<Total> =>
  countFound(tx, filter, await foundTasks(tx, reader, filter));

async function countFound(tx: Tx, filter: ActionFilter | TaskFilter, found: Statement): Promise<Total> {
  const statement = sql`
    select count(*)::int as n from (select from (${found}) found limit ${sql.whole(MAX_COUNTED + 1)}) met`;
  const [row] = await tx.query<{ n: number }>(preparedFor(filter, statement));
  return totalOf(row?.n ?? 0);
}

/** How many actions of the list, among the newest, have each value that the reader may see. */
export async function actionFacets(
  tx: Tx,
  reader: ListReader,
  filter: ActionFilter,
): Promise<z.infer<typeof ActionFacetsSchema>> {
  const seen = await withinAskedDomains(tx, reader.actions, filter);
  const found = await foundActions(tx, reader, filter);
  return facetsBy(tx, seen, sql`${found} order by ${actionOrder('-created')}`, ['status', 'kind']);
}

/** The same for tasks. */
export async function taskFacets(
  tx: Tx,
  reader: ListReader,
  filter: TaskFilter,
): Promise<z.infer<typeof TaskFacetsSchema>> {
  const seen = await withinAskedDomains(tx, reader.actions, filter);
  const found = await foundTasks(tx, reader, filter);
  return facetsBy(tx, seen, sql`${found} order by ${taskOrder('-created')}`, ['status']);
}

/**
 * Counts by each of the columns, and by the domains of the action.
 * @param found rows with an `action_id` and these columns, in the order of the list
 * @param columns facets that are named as their columns
 */
async function facetsBy<F extends string>(tx: Tx, seen: Visibility, found: Statement, columns: readonly F[]) {
  const ofColumns = columns.map(
    (column) => sql`
      union all select ${column}, ${sql.ident(column)}, null, count(*)::int from met group by ${sql.ident(column)}`,
  );
  const rows = await tx.query<FacetRow>(
    sql.unprepared(sql`
      with found as materialized (${found} limit ${sql.whole(MAX_FACETED + 1)}),
      met as materialized (select * from found limit ${sql.whole(MAX_FACETED)})
      select 'counted' as facet, '' as value, null as name, count(*)::int as count from found
      ${ofColumns.reduce((all, each) => sql`${all} ${each}`)}
      union all
      select 'domainId', c.domain_id, d.name, c.count
        from (select o.domain_id, count(*)::int as count
                from met m join action_domains o on o.tenant_id = ${tx.tenantId} and o.action_id = m.action_id
               where ${withinDomains(seen, sql`o.domain_id`)}
               group by 1) c
        join domains d on d.tenant_id = ${tx.tenantId} and d.domain_id = c.domain_id`),
  );
  return facetedOf<F | 'domainId'>([...columns, 'domainId'], rows, true);
}
