import type { Permissions } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { lockAssets } from '../findings/lock-assets.sql.ts';
import { recomputeRisks } from '../findings/recompute.ts';
import type { AssetId, ScopeId } from '../kernel/ids.ts';

/** Whether the sharing of a folder has changed and what is in it was not read since. */
export async function hasChangedFolders(tx: Tx, scopeId: ScopeId): Promise<boolean> {
  const rows = await tx.query(sql`
    select from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and sharing_state is not null limit 1`);
  return rows.length > 0;
}

/** Begins again with folders that a cancelled campaign left, because they may have changed since. */
export async function reopenFolders(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`
    update source_folders set sharing_state = 'changed'
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and sharing_state = 'reading'`);
}

/** Marks what is in changed folders, at most `limit` of them: folders are to be compared, files are to be read. */
export async function spreadChanged(tx: Tx, scopeId: ScopeId, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with picked as materialized (
      select external_id from source_folders
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and sharing_state = 'changed'
       order by external_id limit ${limit}
    ), within as (
      update source_folders f set sharing_state = 'in_changed' from picked
       where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.parent_external_id = picked.external_id
         and f.sharing_state is null and f.state <> 'gone'
    ), reading as (
      update source_folders f set sharing_state = 'reading' from picked
       where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = picked.external_id
    )
    select count(*) from picked`);
  return row?.count ?? 0;
}

/** Folders in changed folders, at most `limit`. */
export async function foldersToCompare(tx: Tx, scopeId: ScopeId, limit: number): Promise<string[]> {
  const rows = await tx.query<{ externalId: string }>(sql`
    select external_id as "externalId" from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and sharing_state = 'in_changed'
     order by external_id limit ${limit}`);
  return rows.map((row) => row.externalId);
}

/**
 * Stores what folders grant now. One that grants the same as before does not inherit the change, and neither does what is
 * in it. One whose key is not known counts as changed.
 */
export async function storeCompared(
  tx: Tx,
  scopeId: ScopeId,
  keys: ReadonlyMap<string, string | null>,
): Promise<void> {
  const compared = [...keys].map(([externalId, key]) => ({ externalId, key }));
  await tx.query(sql`
    update source_folders f
       set permissions_key = c.key,
           sharing_state = case when c.key = f.permissions_key then null else 'changed' end
      from jsonb_to_recordset(${sql.json(compared)}::jsonb) as c ("externalId" text, key text)
     where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = c."externalId"
       and f.sharing_state = 'in_changed'`);
}

/** An asset in a folder whose files are to be read, with its place in their order. */
export type InheritingAsset = { assetId: AssetId; externalId: string; folder: string };

/**
 * Assets whose permissions are to be read again, after a place (null for the beginning); at most `limit`. Assets whose
 * permissions were not read yet, or are to be read by a unit of their own, are left out.
 */
export function inheritingAssets(
  tx: Tx,
  scopeId: ScopeId,
  after: { folder: string; assetId: string } | null,
  limit: number,
): Promise<InheritingAsset[]> {
  return tx.query<InheritingAsset>(sql`
    select a.asset_id as "assetId", a.external_id as "externalId", f.external_id as folder
      from source_folders f
      join assets a on a.tenant_id = f.tenant_id and a.scope_id = f.scope_id and a.parent_external_id = f.external_id
     where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.sharing_state = 'reading'
       and f.external_id >= ${after?.folder ?? ''}
       and (f.external_id, a.asset_id) > (${after?.folder ?? ''}, ${after?.assetId ?? ''})
       and a.status = 'active' and a.stage_keys ? 'permissions'
     order by f.external_id, a.asset_id limit ${limit}`);
}

/** Has the next delta take up assets whose permissions could not be read, unless they were stored after the reading began. */
export async function forgetUnread(tx: Tx, assetIds: readonly AssetId[], began: number): Promise<void> {
  if (assetIds.length === 0) return;
  await lockAssets(tx, assetIds);
  await tx.query(sql`
    update assets set stage_keys = stage_keys - 'permissions' - 'observe'
     where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[]) and status = 'active'
       and coalesce(permissions_observed_at <= ${new Date(began)}, true)`);
}

/** Records that all files in changed folders were read. */
export async function closeFolders(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`
    update source_folders set sharing_state = null
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and sharing_state = 'reading'`);
}

/**
 * Stores permissions of assets, and the risk of those whose permissions have changed. An asset whose permissions were
 * stored after the reading began keeps them.
 */
export async function storePermissions(
  tx: Tx,
  read: readonly { assetId: AssetId; permissions: Permissions }[],
  began: number,
  now: number,
): Promise<void> {
  if (read.length === 0) return;
  await lockAssets(
    tx,
    read.map(({ assetId }) => assetId),
  );
  const reported = read.map(({ assetId, permissions: { grants, complete } }) => ({
    assetId,
    grants,
    complete,
  }));
  const changed = await tx.query<{ assetId: AssetId; isChanged: boolean }>(sql`
    with reported as materialized (
      select t.*, (a.grants, a.permissions_complete) is distinct from (t.grants, t.complete) as is_changed
        from jsonb_to_recordset(${sql.json(reported)}::jsonb) as t ("assetId" text, grants jsonb, complete boolean)
        join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = t."assetId"
       where a.status = 'active' and coalesce(a.permissions_observed_at <= ${new Date(began)}, true)
    )
    update assets a
       set grants = reported.grants, permissions_complete = reported.complete, permissions_observed_at = ${new Date(now)}
      from reported where a.tenant_id = ${tx.tenantId} and a.asset_id = reported."assetId"
    returning a.asset_id as "assetId", reported.is_changed as "isChanged"`);
  await recomputeRisks(
    tx,
    changed.flatMap(({ assetId, isChanged }) => (isChanged ? [assetId] : [])),
    now,
  );
}

/** The ids of known items and folders whose sharing is marked otherwise than before. An unknown mark is that of nothing. */
export async function differentlyShared(
  tx: Tx,
  scopeId: ScopeId,
  sharing: Readonly<Record<string, string>>,
): Promise<Set<string>> {
  const listed = Object.entries(sharing).map(([externalId, mark]) => ({ externalId, mark }));
  const rows = await tx.query<{ externalId: string }>(sql`
    with listed as materialized (
      select * from jsonb_to_recordset(${sql.json(listed)}::jsonb) as l ("externalId" text, mark text)
    )
    select l."externalId" from listed l
      join assets a on a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId} and a.external_id = l."externalId"
     where a.status = 'active' and coalesce(a.sharing_mark, '') <> l.mark
    union
    select l."externalId" from listed l
      join source_folders f on f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = l."externalId"
     where f.state <> 'gone' and coalesce(f.sharing_mark, '') <> l.mark`);
  return new Set(rows.map((row) => row.externalId));
}
