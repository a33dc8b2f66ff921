import { type Statement, sql } from '../db/sql.ts';
import type { ScheduledKind } from './schedule-schema.ts';

/** What a schedule is for. Both null: all scopes of the tenant. */
export type ScheduleTarget = { family: string | null; scopeId: string | null };

/** The key of a schedule. The widest comes first in the order of the alphabet. */
export function targetOf({ family, scopeId }: ScheduleTarget): string {
  if (scopeId !== null) return `scope:${scopeId}`;
  return family === null ? 'all' : `family:${family}`;
}

/** The targets that include a scope. */
export const targetsOver = (family: Statement, scopeId: Statement): Statement =>
  sql`('all', 'family:' || ${family}, 'scope:' || ${scopeId})`;

/** The target whose times hold for a row of `scopes s`: the narrowest that says any. Null if none does. */
export const targetInForce = (kind: ScheduledKind): Statement => sql`(
  select n.target from schedule_times n
   where n.tenant_id = s.tenant_id and n.kind = ${kind} and n.target in ${targetsOver(sql`s.family`, sql`s.scope_id`)}
   order by n.target desc limit 1)`;
