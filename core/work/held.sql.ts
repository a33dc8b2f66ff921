import { type Statement, sql } from '../db/sql.ts';

/**
 * Condition on campaigns: their quiet hours last.
 * @param of what comes before the names of columns: `c.`, or nothing
 * @param at the present
 */
export const isQuiet = (of: Statement, at: Statement): Statement =>
  sql`coalesce(${of}quiet_from <= ${at} and ${of}quiet_until > ${at}, false)`;

/** Condition on campaigns: they have read as much in this hour as their ceilings allow. */
export const isAtCeiling = (of: Statement, at: Statement): Statement =>
  sql`coalesce(${of}ceiling_until > ${at}, false)`;

/** Condition on campaigns: their units may be leased. */
export const isLeasable = (of: Statement, at: Statement): Statement => sql`
  (${of}status in ('pending', 'running') and not ${isQuiet(of, at)} and not ${isAtCeiling(of, at)})`;
