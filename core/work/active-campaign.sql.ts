import { sql } from '../db/sql.ts';

/**
 * The statuses of a campaign that has not ended. A scope has at most one such campaign. They are literals, so that
 * the planner can match them with partial indexes.
 */
export const ACTIVE_STATUSES = sql`('pending', 'running', 'paused')`;
