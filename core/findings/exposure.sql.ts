import { type Statement, sql } from '../db/sql.ts';
import { BROAD_GROUPS } from '../kernel/broad-groups.ts';
import { EXPOSURES, type Exposure } from './exposure.ts';

/** Of a grant `g` as JSON: its reach, as `exposureOf` returns it; null if only named people and groups have it. */
export const REACH = sql`case
  when g ->> 'principalKind' = 'anyone' then 'anyone'
  when g -> 'external' = 'true' then 'external'
  when g ->> 'principalKind' = 'organization' then 'organization'
  when g ->> 'principalKind' = 'group'
   and lower(btrim(regexp_replace(g ->> 'principal', '^.*\\\\', ''))) = any(${[...BROAD_GROUPS]}::text[]) then 'broad_group' end`;

/** Condition on `assets a`: a grant of it reaches one of these. */
export const isExposedTo = (exposures: readonly Exposure[]): Statement =>
  sql`exists (select from jsonb_array_elements(a.grants) g where ${REACH} = any(${exposures}::text[]))`;

/** Of `assets a`: its widest exposure, or `named` if only named people and groups have access. */
export const widestExposure: Statement = sql`coalesce((${[...EXPOSURES]}::text[])[(
  select min(array_position(${[...EXPOSURES]}::text[], ${REACH})) from jsonb_array_elements(a.grants) g)], 'named')`;
