import { sql } from '../db/sql.ts';

/** Of a campaign that has not ended: a scope has one at most. In words, so that it is always seen to match the partial indexes. */
export const ACTIVE_STATUSES = sql`('pending', 'running', 'paused')`;
