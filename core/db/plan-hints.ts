import { type Statement, sql } from './sql.ts';

// Settings and forms of statements that prevent slow plans. The planner has no statistics of a new tenant until
// autovacuum has read its rows, and the service may not run `analyze`. `test/db/young-tenant.test.ts` checks the
// lists in this case.

/**
 * A text or an array of texts whose value the planner does not see, so that the server keeps one plan for all values.
 * Prevents: planning a list at each call, which takes longer than running it.
 */
export const unpeeked = (value: string | readonly string[]): Statement =>
  typeof value === 'string' ? sql`(select ${value}::text)` : sql`(select ${value}::text[])::text[]`;

/**
 * Condition that a column has one of some values. Prevents: for one value, a plan for a list that was made while the
 * tenant was new, and that reads all its rows.
 */
export const isOneOf = (column: Statement, values: readonly string[]): Statement => {
  const [first, ...others] = values;
  return first !== undefined && others.length === 0
    ? sql`${column} = ${first}`
    : sql`${column} = any(${values}::text[])`;
};

/**
 * Makes a subquery run as written, once for each row of the list, by its id. Prevents: in a tenant without
 * statistics, reading all rows of the tenant to find one; in a large tenant, joining before the limit, which takes a
 * tenth longer for assets and a fifth longer for the queue.
 */
export const FENCE: Statement = sql`offset 0`;

/**
 * Condition that a column has a value, for rows that are found by their id. Prevents: a plan that was made while the table
 * was empty, and that reads a partial index of all rows with this value to find a few of them.
 */
export const isNow = (column: Statement, value: string): Statement =>
  sql`case when ${column} = ${value} then true else false end`;

/**
 * Condition on the id of the rows that an update joins, beside the join. Prevents: a plan that was made while the table was
 * empty, and that reads all rows of the tenant to join a few of them. A plan that was made while there were a few may still
 * do that, so nothing is read where there is no id.
 */
export const isAmong = (id: Statement, ids: Statement): Statement =>
  sql`exists (${ids}) and ${id} = any(array(${ids}))`;

/**
 * Settings for the work queue, where thousands of rows change their state each second. Prevents: a scan of the whole
 * table because of statistics that are seconds old, and JIT compilation of a statement that takes a millisecond.
 */
export const BY_INDEX = [
  ...['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map(
    (method) => `set local enable_${method} = off`,
  ),
  'set local jit = off',
].join('; ');

/**
 * `once`: one plan for all values, kept by the connection. Prevents: planning statements by id again for each asset.
 */
export type Planned = 'once' | 'each time';

export const planCacheMode = (planned: Planned): string =>
  `set local plan_cache_mode = force_${planned === 'once' ? 'generic' : 'custom'}_plan`;
