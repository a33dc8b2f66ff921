import { type Statement, sql } from './sql.ts';

// What keeps the planner from plans that are slow for some tenants. A tenant is new to the planner until autovacuum has
// looked at its rows, and the service may not run `analyze`: `test/db/young-tenant.test.ts` holds the lists to it.

/**
 * A text or an array of texts at which the planner does not look, so that the server keeps one plan for all values.
 * Prevents: planning a list anew at each call, which takes longer than to run it.
 */
export const unpeeked = (value: string | readonly string[]): Statement =>
  typeof value === 'string' ? sql`(select ${value}::text)` : sql`(select ${value}::text[])::text[]`;

/**
 * Ends a subquery that is to run as it is written, for each row of the list by its id. Prevents: in a tenant without
 * statistics, reading every row of the tenant to find one; in a large tenant, joining before the list is cut, which takes
 * a tenth longer for assets and a fifth longer for the queue.
 */
export const FENCE: Statement = sql`offset 0`;

/**
 * For the queue, whose rows change their state by the thousand in a second. Prevents: a scan of the whole table by
 * statistics that are seconds old, and compilation of a statement that takes a millisecond.
 */
export const BY_INDEX = [
  ...['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map(
    (method) => `set local enable_${method} = off`,
  ),
  'set local jit = off',
].join('; ');

/** `once`: one plan for all values, kept by the connection. Prevents: planning statements by id again for each asset. */
export type Planned = 'once' | 'each time';

export const planCacheMode = (planned: Planned): string =>
  `set local plan_cache_mode = force_${planned === 'once' ? 'generic' : 'custom'}_plan`;
