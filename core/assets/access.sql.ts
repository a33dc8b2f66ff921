import { type Statement, sql } from '../db/sql.ts';
import { REACH } from '../findings/exposure.sql.ts';

const grantees = (condition: Statement): Statement =>
  sql`count(distinct g ->> 'principal') filter (where ${condition})`;

/** Named by its own grant, and no group that holds nearly everyone. */
const isNamed = (kind: string): Statement =>
  sql`g ->> 'principalKind' = ${kind} and (reach is null or reach = 'external')`;

/** `AccessCounts` of `assets a`. */
export const accessCounts: Statement = sql`(
  select jsonb_build_object(
           'anyone', ${grantees(sql`reach = 'anyone'`)},
           'organization', ${grantees(sql`g ->> 'principalKind' = 'organization'`)},
           'guests', ${grantees(sql`g ->> 'principalKind' = 'organization' and reach = 'external'`)},
           'broadGroups', ${grantees(sql`reach = 'broad_group'`)}, 'people', ${grantees(isNamed('user'))},
           'groups', ${grantees(isNamed('group'))}, 'links', ${grantees(isNamed('link'))},
           'outside', ${grantees(sql`reach = 'external' and g ->> 'principalKind' <> 'organization'`)})
    from (select g, ${REACH} as reach from jsonb_array_elements(a.grants) g) r)`;
