import type { SourceFamily } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type PrincipalId, type ScopeId } from '../kernel/ids.ts';
import type { Narrowing } from './left-out.ts';
import { MAX_RULES, type SetRule } from './narrowing-schema.ts';

export type ScanRule = {
  ruleId: string;
  pattern: string;
  family: SourceFamily | null;
  scopeId: ScopeId | null;
  createdAt: string;
};

/** The rules of a tenant, in the order in which they are tried. */
export async function listRules(tx: Tx): Promise<ScanRule[]> {
  const rows = await tx.query<Omit<ScanRule, 'createdAt'> & { createdAt: Date }>(sql`
    select rule_id as "ruleId", pattern, family, scope_id as "scopeId", created_at as "createdAt"
      from scan_rules where tenant_id = ${tx.tenantId} order by position, rule_id limit ${MAX_RULES}`);
  return rows.map(({ createdAt, ...rule }) => ({ ...rule, createdAt: createdAt.toISOString() }));
}

/** The rules that a scan of a scope follows. */
export const rulesOfScope = (
  tx: Tx,
  { scopeId, family }: { scopeId: ScopeId; family: SourceFamily },
): Promise<Narrowing['rules'][number][]> =>
  tx.query(sql`
    select rule_id as "ruleId", pattern from scan_rules
     where tenant_id = ${tx.tenantId} and coalesce(scope_id, ${scopeId}) = ${scopeId}
       and coalesce(family, ${family}) = ${family}
     order by position, rule_id limit ${MAX_RULES}`);

/** Those of the given scopes that do not exist. */
export async function unknownScopes(tx: Tx, scopeIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ scopeId: string }>(sql`
    select asked as "scopeId" from unnest(${scopeIds}::text[]) as a (asked)
     where not exists (select from scopes where tenant_id = ${tx.tenantId} and scope_id = asked)`);
  return new Set(rows.map(({ scopeId }) => scopeId));
}

/** What a request has changed of the rules, and how many scopes it concerns. */
export type ChangedRules = { added: number; removed: number; scopesToScan: number };

/**
 * Puts a list of rules in the place of all that there were. A rule that stays keeps its id. Scopes whose rules change and
 * that were scanned are `stale` until they are listed whole again: what a rule left out is found by no feed.
 */
export async function replaceRules(
  tx: Tx,
  rules: readonly SetRule[],
  { createdBy, now }: { createdBy: PrincipalId; now: number },
): Promise<ChangedRules> {
  const wanted = rules.map(({ pattern, family = null, scopeId = null }, position) => ({
    ruleId: newId('rul', now),
    pattern,
    family,
    scopeId,
    position,
  }));
  // One change after the other, so that no two of them add up to more rules than there may be.
  await tx.query(
    sql`select pg_advisory_xact_lock(hashtextextended('scan_rules ' || ${tx.tenantId}::text, 0))`,
  );
  const [changed] = await tx.query<ChangedRules>(sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${sql.json(wanted)}::jsonb)
        as w ("ruleId" text, pattern text, family text, "scopeId" text, position int)
    ), removed as (
      delete from scan_rules r
       where tenant_id = ${tx.tenantId} and not exists (select from wanted w where ${isSameRule})
      returning family, scope_id
    ), moved as (
      update scan_rules r set position = w.position from wanted w where r.tenant_id = ${tx.tenantId} and ${isSameRule}
    ), added as (
      insert into scan_rules (tenant_id, rule_id, pattern, family, scope_id, position, created_by, created_at)
      select ${tx.tenantId}, "ruleId", pattern, family, "scopeId", position, ${createdBy}, ${new Date(now)}
        from wanted w where not exists (select from scan_rules r where r.tenant_id = ${tx.tenantId} and ${isSameRule})
      returning family, scope_id
    ), changed as (
      select * from removed union all select * from added
    ), concerned as (
      update scopes s
         set coverage_state = case when coverage_state is null then null else 'stale' end,
             delta_cursor = null,
             delta_cursor_status = case when delta_cursor_status = 'none' then 'none' else 'resync_required' end
       where tenant_id = ${tx.tenantId}
         and exists (select from changed c where coalesce(c.scope_id, s.scope_id) = s.scope_id
                                             and coalesce(c.family, s.family) = s.family)
      returning coverage_state
    )
    select (select count(*)::int from added) as added, (select count(*)::int from removed) as removed,
           (select count(*)::int from concerned where coverage_state is not null) as "scopesToScan"`);
  if (changed === undefined) throw new Error('A count has one row');
  return changed;
}

const isSameRule: Statement = sql`
  (r.pattern, r.family, r.scope_id) is not distinct from (w.pattern, w.family, w."scopeId")`;
