import { sql } from '../db/sql.ts';
import { LEVEL_NAMES } from './sensitivity.ts';

/** The level (0 to 3) of `information_types t`. */
export const levelOfType = sql`array_position(${[...LEVEL_NAMES]}::text[], t.sensitivity) - 1`;
