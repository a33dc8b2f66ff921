import { z } from 'zod';
import { type Statement, sql } from '../db/sql.ts';
import { SCOPE_REFUSALS } from '../kernel/vocabulary.ts';

/** Why and since when the source refuses a scope. What is known of it remains as it was last seen. */
export const InaccessibleSchema = z.object({ reason: z.enum(SCOPE_REFUSALS), since: z.iso.datetime() });
export type Inaccessible = z.infer<typeof InaccessibleSchema> | null;

/** `Inaccessible` of a row of `scopes`. */
export const inaccessibleOf = (scope: Statement): Statement => sql`
  case when ${scope}.inaccessible_since is not null
       then json_build_object('reason', ${scope}.inaccessible_reason, 'since',
              to_char(${scope}.inaccessible_since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end`;
