import { type Statement, sql } from '../db/sql.ts';
import { type Field, isEvent, type SimpleCondition } from './plan.ts';

export const all = (conditions: readonly Statement[]): Statement =>
  conditions.reduce((each, next) => sql`${each} and ${next}`, sql`true`);

export const negated = (condition: Statement, { not }: { not?: true | undefined }): Statement =>
  not === true ? sql`not (${condition})` : condition;

export const anyOf = (
  column: Statement,
  condition: { any: readonly string[]; not?: true | undefined },
): Statement => negated(sql`${column} = any(${condition.any}::text[])`, condition);

type Window = { field: Field; from?: string | undefined; to?: string | undefined; not?: true | undefined };

export function within(column: Statement, { field, from, to, not }: Window): Statement {
  const inside = all([
    sql`${column} is not null`,
    ...(from === undefined ? [] : [sql`${column} >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`${column} < ${new Date(to)}`]),
  ]);
  if (not !== true) return inside;
  return sql`${isEvent(field) ? sql`true` : sql`${column} is not null`} and not (${inside})`;
}

export const between = (
  value: Statement,
  { min, max }: { min?: number | undefined; max?: number | undefined },
): Statement =>
  all([
    ...(min === undefined ? [] : [sql`${value} >= ${min}`]),
    ...(max === undefined ? [] : [sql`${value} <= ${max}`]),
  ]);

/** Condition on `findings f`, `candidates k`, `actions t` or `scopes s`. */
export function partCondition(condition: SimpleCondition): Statement {
  switch (condition.field) {
    case 'findingKind':
      return anyOf(sql`f.kind`, condition);
    case 'severity':
      return anyOf(sql`f.severity`, condition);
    case 'findingStatus':
      return anyOf(sql`f.status`, condition);
    case 'acknowledgedBy':
      return anyOf(sql`coalesce(f.acknowledged_by, '')`, condition);
    case 'opened':
      return within(sql`f.opened_at`, condition);
    case 'acknowledged':
      return within(sql`f.acknowledged_at`, condition);
    case 'resolved':
      return within(sql`f.resolved_at`, condition);
    case 'candidateStatus':
      return anyOf(sql`k.status`, condition);
    case 'band':
      return anyOf(sql`k.band`, condition);
    case 'confidence':
      return between(sql`k.confidence`, condition);
    case 'asked':
      return within(sql`k.created_at`, condition);
    case 'answered':
      return within(
        sql`(select d.created_at from decisions d where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id)`,
        condition,
      );
    case 'actionStatus':
      return anyOf(sql`t.status`, condition);
    case 'actionKind':
      return anyOf(sql`t.kind`, condition);
    case 'requester':
      return anyOf(sql`t.requested_by`, condition);
    case 'requested':
      return within(sql`t.created_at`, condition);
    case 'moved':
      return within(sql`t.updated_at`, condition);
    default:
      throw new TypeError('Not a condition of findings, candidates or actions');
  }
}
