import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { ScopeId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

/** The scopes of one family. Whoever connects it or selects its scopes waits until this transaction has ended. */
export type FamilyScopes = { connectorInstanceId: string };

/** Null if the family was never connected. */
export async function lockFamily(tx: Tx, family: SourceFamily): Promise<FamilyScopes | null> {
  const [row] = await tx.query<FamilyScopes>(sql`
    select connector_instance_id as "connectorInstanceId" from connector_instances
     where tenant_id = ${tx.tenantId} and family = ${family} for update`);
  return row ?? null;
}

const inFamily = (tx: Tx, { connectorInstanceId }: FamilyScopes) =>
  sql`s.tenant_id = ${tx.tenantId} and s.connector_instance_id = ${connectorInstanceId}`;

/** Those of these ids that are no scopes of the family. */
export async function unknownScopes(
  tx: Tx,
  family: FamilyScopes,
  scopeIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ scopeId: string }>(sql`
    select w.id as "scopeId" from unnest(${scopeIds}::text[]) as w (id)
     where not exists (select from scopes s where ${inFamily(tx, family)} and s.scope_id = w.id)`);
  return new Set(rows.map(({ scopeId }) => scopeId));
}

/** How many of these scopes the configuration does not select. @param configured ids at the source; null: any */
export async function notConfigured(
  tx: Tx,
  family: FamilyScopes,
  scopeIds: readonly string[],
  configured: readonly string[] | null,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from scopes s
     where ${inFamily(tx, family)} and s.scope_id = any(${scopeIds}::text[])
       and not ${isConfigured(configured)}`);
  return row?.count ?? 0;
}

/** What was left out comes back only if it was still listed when the source was last connected. */
const isListed = sql`(s.selected or s.left_out_at is not null and s.listed)`;

const isConfigured = (configured: readonly string[] | null) =>
  sql`(${isListed} and (${configured === null} or s.external_id = any(${configured ?? []}::text[])))`;

/** Selects these scopes, or all that the configuration selects (null), and leaves out all others. */
export async function storeSelection(
  tx: Tx,
  family: FamilyScopes,
  scopeIds: readonly string[] | null,
  configured: readonly string[] | null,
  now: number,
): Promise<void> {
  const isAll = scopeIds === null;
  await tx.execute(sql`
    update scopes t
       set selected = w.wanted,
           left_out_at = case when w.wanted or ${isAll} then null else coalesce(t.left_out_at, ${new Date(now)}) end
      from (select s.scope_id, (${isAll} or s.scope_id = any(${scopeIds ?? []}::text[])) and ${isConfigured(configured)} as wanted
              from scopes s where ${inFamily(tx, family)} and (s.selected or s.left_out_at is not null)) w
     where t.tenant_id = ${tx.tenantId} and t.scope_id = w.scope_id
       and (t.selected <> w.wanted or ${isAll} and t.left_out_at is not null)`);
}

export type NotSelected = { scopeId: ScopeId; name: string; assets: number };

/** Scopes that are not selected and have assets, ordered by name; at most `limit`. */
export async function notSelected(tx: Tx, family: FamilyScopes, limit: number): Promise<NotSelected[]> {
  return tx.query<NotSelected>(sql`
    select s.scope_id as "scopeId", s.name, s.asset_count as assets from scopes s
     where ${inFamily(tx, family)} and not s.selected and s.asset_count > 0
     order by s.name, s.scope_id limit ${limit}`);
}

/** How many scans of scopes that are not selected have not ended. */
export async function scansOfNotSelected(tx: Tx, family: FamilyScopes): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from scopes s join campaigns c using (tenant_id, scope_id)
     where ${inFamily(tx, family)} and not s.selected and c.status in ${ACTIVE_STATUSES}`);
  return row?.count ?? 0;
}

export type SelectionCounts = { selected: number; notSelected: number; assetsNotSelected: number };

export async function countSelection(tx: Tx, family: FamilyScopes): Promise<SelectionCounts> {
  const [row] = await tx.query<SelectionCounts>(sql`
    select count(*) filter (where s.selected)::int as selected,
           count(*) filter (where not s.selected)::int as "notSelected",
           coalesce(sum(s.asset_count) filter (where not s.selected), 0)::int as "assetsNotSelected"
      from scopes s where ${inFamily(tx, family)}`);
  return row ?? { selected: 0, notSelected: 0, assetsNotSelected: 0 };
}
