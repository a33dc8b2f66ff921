import type { SourceFolder } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId, CampaignId, ScopeId } from '../kernel/ids.ts';

/** A folder as it was listed, and what it grants. Null: not read, or not reported. */
export type ReadFolder = SourceFolder & { permissionsKey: string | null; sharing: string | null };

/** The path of a name in a folder. The path of the top of a scope is ''. */
const pathUnder = (folderPath: Statement, name: Statement): Statement =>
  sql`concat_ws('/', nullif(${folderPath}, ''), ${name})`;

/**
 * The path of an item: its name in its folder, or the path that the source gave, if the folder is not placed yet or the
 * source reports no folders.
 */
export const itemPath = (
  tenantId: Statement,
  scopeId: Statement,
  item: { parentExternalId: Statement; name: Statement; path: Statement },
): Statement => sql`
  coalesce((select ${pathUnder(sql`f.path`, item.name)} from source_folders f
             where f.tenant_id = ${tenantId} and f.scope_id = ${scopeId} and f.external_id = ${item.parentExternalId}
               and f.path is not null),
           ${item.path})`;

/**
 * Inserts or updates folders of one page. A folder with a new name or parent is to be placed again, and is placed at once
 * as far as the folders above it are known. Items of the page are then listed with their path, and are not moved while
 * they are processed. A folder that grants something else than before is `changed`, also if what it grants was not known
 * or is no longer known, unless this is an inventory, which reads the permissions of all files again.
 */
export async function recordFolders(
  tx: Tx,
  scopeId: ScopeId,
  campaignId: CampaignId,
  folders: readonly ReadFolder[],
  by: 'inventory' | 'delta',
): Promise<void> {
  if (folders.length === 0) return;
  await tx.query(sql`
    insert into source_folders (tenant_id, scope_id, external_id, parent_external_id, name, seen_campaign_id,
                                permissions_key, sharing_mark)
    select ${tx.tenantId}, ${scopeId}, "externalId", "parentExternalId", name, ${campaignId}, "permissionsKey", sharing
      from jsonb_to_recordset(${sql.json(folders)}::jsonb)
           as f ("externalId" text, "parentExternalId" text, name text, "permissionsKey" text, sharing text)
    on conflict (tenant_id, scope_id, external_id) do update set
      parent_external_id = excluded.parent_external_id, name = excluded.name,
      seen_campaign_id = excluded.seen_campaign_id,
      permissions_key = excluded.permissions_key,
      sharing_mark = coalesce(excluded.sharing_mark, source_folders.sharing_mark),
      sharing_state = case when ${by === 'inventory'} then null
                           when excluded.permissions_key is distinct from source_folders.permissions_key then 'changed'
                           else source_folders.sharing_state end,
      state = case when source_folders.state = 'gone'
                     or (source_folders.parent_external_id, source_folders.name)
                        is distinct from (excluded.parent_external_id, excluded.name)
                   then 'named' else source_folders.state end`);
  await placeFolders(tx, scopeId);
}

/** Notes that folders were deleted. `settleFolders` deletes what is in them. Ids of other items are ignored. */
export async function markFoldersGone(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.query(sql`
    update source_folders set state = 'gone'
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and external_id = any(${externalIds}::text[])`);
}

/** Deletes folders that a listing of the whole scope did not contain. */
export async function forgetMissedFolders(tx: Tx, scopeId: ScopeId, campaignId: CampaignId): Promise<void> {
  await tx.query(sql`
    delete from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and seen_campaign_id is distinct from ${campaignId}`);
}

/** Notes that folders in gone folders are gone too. */
export async function spreadGone(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`
    with recursive gone as (
      select external_id from source_folders
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and state = 'gone'
      union
      select f.external_id from gone g join source_folders f on f.parent_external_id = g.external_id
       where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId}
    )
    update source_folders f set state = 'gone' from gone
     where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = gone.external_id
       and f.state <> 'gone'`);
}

/** The source's ids of active assets in gone folders, at most `limit`. */
export async function itemsInGoneFolders(tx: Tx, scopeId: ScopeId, limit: number): Promise<string[]> {
  const rows = await tx.query<{ externalId: string }>(sql`
    select a.external_id as "externalId" from source_folders f
      join assets a on a.tenant_id = f.tenant_id and a.scope_id = f.scope_id and a.parent_external_id = f.external_id
     where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.state = 'gone' and a.status = 'active'
     limit ${limit}`);
  return rows.map((row) => row.externalId);
}

export async function deleteGoneFolders(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`
    delete from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and state = 'gone'`);
}

/** Deeper folders get the path from their ancestor of this level on. Sources allow far less. */
const MAX_DEPTH = 200;
/** Folders placed in one transaction. */
const PLACED_AT_ONCE = 200;

/**
 * Computes the paths of some folders that have a new name or parent. Folders in a folder that moved are to be placed
 * next. Folders that contain each other end the path where it would repeat. Returns the number of placed folders; 0
 * means that all are placed.
 */
export async function placeFolders(tx: Tx, scopeId: ScopeId): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with recursive picked as materialized (
      select external_id, parent_external_id, name, path from source_folders
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and state = 'named'
       order by external_id limit ${PLACED_AT_ONCE}
    ), up as (
      select external_id as folder, parent_external_id, array[name] as names, array[external_id] as passed from picked
      union all
      select up.folder, f.parent_external_id, f.name || up.names, f.external_id || up.passed
        from up join source_folders f
          on f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = up.parent_external_id
       where f.external_id <> all (up.passed) and cardinality(up.passed) < ${MAX_DEPTH}
    ), placed as materialized (
      select distinct on (folder) folder, array_to_string(array_remove(names, ''), '/') as path
        from up order by folder, cardinality(names) desc
    ), stored as (
      update source_folders f set path = placed.path, state = 'placed' from placed
       where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = placed.folder
    ), within as (
      update source_folders f set state = 'named'
        from placed join picked on picked.external_id = placed.folder
       where picked.path is distinct from placed.path
         and f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.parent_external_id = placed.folder
         and f.state in ('placed', 'settled') and not exists (select 1 from picked p where p.external_id = f.external_id)
    )
    select count(*) from placed`);
  return row?.count ?? 0;
}

/** An asset that was moved by a move of its folder. */
export type MovedAsset = { assetId: AssetId; isInferred: boolean };

/**
 * Gives the path of placed folders to assets in them, at most `limit`. Returns them, and whether folders are left whose
 * assets may have an old path.
 */
export async function moveAssets(
  tx: Tx,
  scopeId: ScopeId,
  limit: number,
): Promise<{ moved: MovedAsset[]; isDone: boolean }> {
  const folders = await tx.query<{ externalId: string }>(sql`
    select external_id as "externalId" from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and state = 'placed'
     order by external_id limit ${PLACED_AT_ONCE}`);
  const ids = folders.map((folder) => folder.externalId);
  const moved = await tx.query<MovedAsset>(sql`
    with misplaced as materialized (
      select a.asset_id, ${pathUnder(sql`f.path`, sql`a.name`)} as path
        from source_folders f
        join assets a on a.tenant_id = f.tenant_id and a.scope_id = f.scope_id and a.parent_external_id = f.external_id
       where f.tenant_id = ${tx.tenantId} and f.scope_id = ${scopeId} and f.external_id = any(${ids}::text[])
         and a.status = 'active' and a.path is distinct from ${pathUnder(sql`f.path`, sql`a.name`)}
       limit ${limit}
    )
    update assets a set path = misplaced.path from misplaced
     where a.tenant_id = ${tx.tenantId} and a.asset_id = misplaced.asset_id
    returning a.asset_id as "assetId", a.stage_keys ? 'inference' as "isInferred"`);
  if (moved.length === limit) return { moved, isDone: false };
  await tx.query(sql`
    update source_folders set state = 'settled'
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and state = 'placed'
       and external_id = any(${ids}::text[])`);
  return { moved, isDone: ids.length < PLACED_AT_ONCE };
}
