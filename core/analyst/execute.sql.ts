import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Asking } from './conditions.sql.ts';
import type { Plan } from './plan.ts';
import { between } from './predicates.sql.ts';
import { type Source, sourceOf } from './source.sql.ts';

/** Rows that show what a count or a group is made of. */
const EVIDENCE_ROWS = 10;

/** Ids of rows in the order of the plan, counts and groups. `size` in bytes. */
export type Executed = {
  /** How many rows meet the conditions, and the sum of their sizes where the plan asks for it. */
  total: number;
  size: number;
  /** How many of them meet the conditions of the share too. */
  part: number;
  ids: { id: string; assetId: string | null }[];
  groups: { keys: (string | null)[]; count: number; size: number; part: number }[];
  /** How many groups there are. */
  groupsTotal: number;
  /** Whether all rows in reach were looked at. If not, the newest or most severe were. */
  isWhole: boolean;
};

/** Ends statements of the transaction that take longer, in milliseconds. */
export const limitTime = (tx: Tx, timeoutMs: number): Promise<unknown> =>
  tx.query(sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`);

type Row = Omit<Executed, 'isWhole'> & { looked: number; walked: number };

/**
 * Runs a plan within the domains of the asker.
 * @param most how many rows are looked at
 */
export async function execute(asking: Asking, plan: Plan, most: number): Promise<Executed> {
  const source = sourceOf(asking, plan, most);
  const order = plan.groupBy.length > 0 || plan.order === null ? source.usual : plan.order;
  const sort = source.orders[order.by] ?? sql`null::int`;
  const direction = order.direction === 'ascending' ? sql`asc` : sql`desc`;
  const number = plan.show === 'size' ? sql`sum(size)` : sql`count(*)`;
  const measure = plan.share === undefined ? number : sql`count(*) filter (where part)::float8 / count(*)`;
  const isRising = plan.order?.by === 'measure' && plan.order.direction === 'ascending';
  const limit = plan.groupBy.length > 0 || plan.show !== 'rows' ? EVIDENCE_ROWS : plan.limit;
  const [row] = await asking.tx.query<Row>(
    sql.unprepared(sql`
      with looked as materialized (${source.read}),
      hit as materialized (
        select ${source.id} as id, ${source.assetId} as asset_id, ${keysOf(plan, source)} as keys, ${sort} as sort, ${source.size} as size
          from looked p ${source.joined} where ${source.where}
      ),
      ${partOf(asking, plan, most)},
      one as materialized (
        select id, max(asset_id) as asset_id, max(sort) as sort, max(size) as size, bool_or(m.id is not null) as part
          from hit left join (select distinct id from met) m using (id) group by id
      ),
      grouped as materialized (
        select keys, count(*) as count, sum(size) as size, count(*) filter (where part) as part, ${measure} as measure
          from (select distinct keys, id, size, m.id is not null as part from hit left join met m using (id, keys)) each_once
         where ${plan.groupBy.length > 0} group by keys having ${between(number, plan.having ?? {})}
      )
      select (select greatest((select count(*) from looked), (select count(*) from looked_for_part))::int) as looked, ${source.walked ?? sql`0`} as walked, (select count(*)::int from one) as total,
             (select coalesce(sum(size), 0)::float8 from one) as size, (select count(*) filter (where part)::int from one) as part,
             (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'assetId', asset_id) order by n), '[]')
                from (select id, asset_id, row_number() over (order by sort ${direction} nulls last, id) as n from one
                       order by n limit ${sql.whole(limit)}) ordered) as ids,
             (select coalesce(jsonb_agg(jsonb_build_object('keys', keys, 'count', count, 'size', size, 'part', part) order by n), '[]')
                from (select keys, count, size, part,
                             row_number() over (order by measure ${isRising ? sql`asc` : sql`desc`}, keys) as n
                        from grouped order by n limit ${sql.whole(plan.limit)}) ordered) as groups,
             (select count(*)::int from grouped) as "groupsTotal"`),
  );
  if (row === undefined) throw new Error('A plan has no result');
  const { looked, walked, ...executed } = row;
  return { ...executed, isWhole: Math.max(looked, walked) <= most };
}

/** The groups of a row. */
const keysOf = ({ groupBy }: Plan, { dimensions }: Source): Statement =>
  groupBy.reduce(
    (list, dimension) => sql`${list} || array[${dimensions[dimension] ?? sql`null`}::text]`,
    sql`'{}'::text[]`,
  );

/**
 * `met`: the rows that meet the conditions of the share too, with their groups, as if these were in `where`. So a
 * placement that puts a row into a group meets them itself.
 */
function partOf(asking: Asking, plan: Plan, most: number): Statement {
  if (plan.share === undefined)
    return sql`looked_for_part as (select where false), met as (select null::text as id, null::text[] as keys where false)`;
  const both = { ...plan, where: [...plan.where, ...plan.share] };
  const source = sourceOf(asking, both, most);
  return sql`looked_for_part as materialized (${source.read}),
      met as materialized (
        select distinct ${source.id} as id, ${keysOf(plan, source)} as keys
          from looked_for_part p ${source.joined} where ${source.where}
      )`;
}
