import { sql } from '../db/sql.ts';
import { LEVEL_NAMES } from './sensitivity.ts';

/** Of `information_types t`. */
export const levelOfType = sql`array_position(${[...LEVEL_NAMES]}::text[], t.sensitivity) - 1`;
