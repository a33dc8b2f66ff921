import { isDeepStrictEqual } from 'node:util';
import type { SharingMarks, SourceFamily, SourceItem } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type AssetId, type CampaignId, newId, type ScopeId } from '../kernel/ids.ts';
import { type Narrowing, NOTHING_LEFT_OUT } from '../narrowing/left-out.ts';
import { rulesOfScope } from '../narrowing/scan-rules.sql.ts';
import { itemPath } from './folders.sql.ts';
import { forgetUnchanged } from './unchanged.sql.ts';

/**
 * The new `content_modified_at` of `assets`, given a content version and a modification time. A changed label or name
 * changes the modification time but not the content version, and so not this time.
 */
export const contentModifiedAt = (contentVersion: Statement, modifiedAt: Statement): Statement => sql`
  case when assets.content_version is distinct from ${contentVersion} then ${modifiedAt}
       else coalesce(assets.content_modified_at, assets.source_modified_at) end`;

/** An asset with the version that its source listed. */
export type ListedAsset = { assetId: AssetId; sourceVersion: string };

/**
 * Inserts or updates the assets of one page of a listing, and marks them as seen by this campaign. Returns them in
 * the order of the items. A listing stores locations and versions; only `process_asset` records that they were
 * observed.
 */
export async function upsertListedAssets(
  tx: Tx,
  scopeId: ScopeId,
  campaignId: CampaignId,
  items: readonly SourceItem[],
  now: number,
  sharing: SharingMarks = {},
): Promise<ListedAsset[]> {
  if (items.length === 0) return [];
  const listed = items.map((item) => ({
    ...item,
    assetId: newId('ast', now),
    sharing: sharing[item.externalId] ?? null,
  }));
  const rows = await tx.query<{ assetId: AssetId; externalId: string }>(sql`
    with listed as (
      select * from jsonb_to_recordset(${sql.json(listed)}::jsonb) as i (
        "assetId" text, "externalId" text, name text, path text, "parentExternalId" text, kind text, "sizeBytes" bigint, "mimeType" text,
        "sourceUrl" text, "sourceVersion" text, "contentVersion" text, "createdAt" timestamptz,
        "modifiedAt" timestamptz, "modifiedBy" text, sharing text, facts jsonb)
    ), returned as (
      select count(*) as n from listed l left join assets a
          on a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId} and a.external_id = l."externalId"
       where a.asset_id is null or a.status = 'deleted'
    ), upserted as (
      insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, parent_external_id, kind, size_bytes, mime_type, source_url,
                          source_version, content_version, source_created_at, source_modified_at, content_modified_at, modified_by,
                          first_seen_at, last_seen_at, changed_at, seen_campaign_id, sharing_mark, source_facts)
      select ${tx.tenantId}, "assetId", ${scopeId}, "externalId", name,
             ${itemPath(sql`${tx.tenantId}`, sql`${scopeId}`, { parentExternalId: sql`"parentExternalId"`, name: sql`l.name`, path: sql`l.path` })},
             "parentExternalId", kind, "sizeBytes", "mimeType", "sourceUrl",
             "sourceVersion", "contentVersion", "createdAt", "modifiedAt", "modifiedAt", "modifiedBy",
             ${new Date(now)}, ${new Date(now)}, ${new Date(now)}, ${campaignId}, sharing, facts
        from listed l
      on conflict on constraint assets_external do update set
        status = 'active', deleted_at = null, name = excluded.name, path = excluded.path,
        parent_external_id = excluded.parent_external_id, kind = excluded.kind,
        content_modified_at = ${contentModifiedAt(sql`excluded.content_version`, sql`excluded.source_modified_at`)},
        size_bytes = excluded.size_bytes, mime_type = excluded.mime_type, source_url = excluded.source_url,
        source_version = excluded.source_version, content_version = excluded.content_version,
        source_created_at = excluded.source_created_at, source_modified_at = excluded.source_modified_at,
        modified_by = excluded.modified_by, last_seen_at = excluded.last_seen_at,
        seen_campaign_id = excluded.seen_campaign_id,
        sharing_mark = coalesce(excluded.sharing_mark, assets.sharing_mark), source_facts = excluded.source_facts,
        left_out_by = null
      returning asset_id, external_id
    ), counted as (
      update scopes set asset_count = asset_count + returned.n from returned
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and returned.n > 0
    )
    select asset_id as "assetId", external_id as "externalId" from upserted`);
  const byExternalId = new Map(rows.map((row) => [row.externalId, row.assetId]));
  return items.flatMap(({ externalId, sourceVersion }) => {
    const assetId = byExternalId.get(externalId);
    return assetId === undefined ? [] : [{ assetId, sourceVersion }];
  });
}

/**
 * Has the permissions read again of assets whose version is known: a feed reported them nevertheless, so sharing changed,
 * or an inventory lists them. They count as not observed, so that a later delta takes them up if this campaign is
 * cancelled. A page that is processed twice forgets nothing of assets that already have their unit.
 */
export async function forgetPermissions(
  tx: Tx,
  campaignId: CampaignId,
  units: readonly { logicalKey: string; payload: { assetId: AssetId } }[],
): Promise<void> {
  if (units.length === 0) return;
  await tx.query(sql`
    update assets a set stage_keys = a.stage_keys - 'permissions' - 'observe'
      from unnest(${units.map(({ payload }) => payload.assetId)}::text[],
                  ${units.map(({ logicalKey }) => logicalKey)}::text[]) as u (asset_id, logical_key)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = u.asset_id and a.stage_keys ->> 'observe' = a.source_version
       and not exists (select from work_units w
                        where w.tenant_id = ${tx.tenantId} and w.campaign_id = ${campaignId}
                          and w.logical_key = u.logical_key)`);
}

/** The state of a scope after all of it was read. */
export type ScopeLook = {
  coverage: 'baseline' | 'delta';
  /** Where the next delta starts. Null for a source without a feed. */
  cursor: string | null;
  /** The tenant's config version when the reading began. */
  configVersion: number;
  /** The campaign that has listed the whole scope. Absent after a feed of changes. */
  listedBy?: CampaignId;
};

/** Assets that one statement deletes or moves. Each of them also changes its rows of other tables. */
export const MARKED_AT_ONCE = 1_000;

/** Marks assets of a scope as deleted, given their ids at the source. */
export async function markDeleted(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
  now: number,
): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.query(sql`
    with gone as (
      update assets set status = 'deleted', deleted_at = ${new Date(now)}
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and external_id = any(${externalIds}::text[])
         and status = 'active'
      returning 1
    ), lost as (select count(*) as n from gone)
    update scopes set asset_count = asset_count - lost.n
      from lost where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and lost.n > 0`);
}

export type CampaignScope = {
  scopeId: ScopeId;
  family: SourceFamily;
  externalId: string;
  selected: boolean;
  deltaCursor: string | null;
  assetCount: number;
  /** The tenant's present config version. */
  configVersion: number;
  /** Whether it has changed since all assets of the scope were last read. */
  reconfigured: boolean;
  /** Whether the source refused it when it was last asked. */
  isInaccessible: boolean;
  /** Whether this campaign has listed all of it. */
  isListed: boolean;
  /** What this campaign leaves out. */
  narrowing: Narrowing;
};

/** The scope of a campaign. Null if the campaign or the scope does not exist. */
export async function scopeOfCampaign(tx: Tx, campaignId: CampaignId): Promise<CampaignScope | null> {
  const [row] = await tx.query<Omit<CampaignScope, 'narrowing'> & { narrowing: Narrowing | null }>(sql`
    select s.scope_id as "scopeId", s.family, s.external_id as "externalId", s.selected, s.delta_cursor as "deltaCursor", s.asset_count as "assetCount", t.config_version as "configVersion",
           coalesce(s.config_version <> t.config_version, false) as reconfigured,
           s.inaccessible_since is not null as "isInaccessible",
           s.listed_by is not distinct from c.campaign_id as "isListed", c.narrowing
      from campaigns c join scopes s using (tenant_id, scope_id) join tenants t using (tenant_id)
     where c.tenant_id = ${tx.tenantId} and c.campaign_id = ${campaignId}`);
  return row === undefined ? null : { ...row, narrowing: row.narrowing ?? NOTHING_LEFT_OUT };
}

/**
 * The known assets with the given ids at the source, each with the version that was last observed, `''` before the
 * first time and for one that a rule left out. The listed version does not count, because the process that was to read it
 * may have died.
 */
export async function knownVersions(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
): Promise<Map<string, { assetId: AssetId; observed: string }>> {
  const rows = await tx.query<{ externalId: string; assetId: AssetId; observed: string }>(sql`
    select external_id as "externalId", asset_id as "assetId", case when left_out_by is null then coalesce(stage_keys->>'observe', '') else '' end as observed
      from assets
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and external_id = any(${externalIds}::text[])
       and status = 'active'`);
  return new Map(rows.map((row) => [row.externalId, { assetId: row.assetId, observed: row.observed }]));
}

/** An asset with its position in the order of the list. */
export type AssetInPlace = ListedAsset & { place: string };

export const toAssetInPlace = (row: {
  assetId: AssetId;
  sourceVersion: string;
  place: string;
}): AssetInPlace => ({
  assetId: row.assetId,
  sourceVersion: row.sourceVersion,
  place: row.place,
});

/**
 * Assets of a scope whose listed version was not observed yet, after a place (`''` for the beginning); at most
 * `limit`.
 */
export async function unobservedAssets(
  tx: Tx,
  scopeId: ScopeId,
  after: string,
  limit: number,
): Promise<AssetInPlace[]> {
  const rows = await tx.query<{ assetId: AssetId; sourceVersion: string; place: string }>(sql`
    select asset_id as "assetId", source_version as "sourceVersion", asset_id as place from assets
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status = 'active'
       and source_version is distinct from stage_keys->>'observe' and left_out_by is null and asset_id > ${after}
     order by asset_id limit ${limit}`);
  return rows.map(toAssetInPlace);
}

/** All assets of a scope, after a place (`''` for the beginning); at most `limit`. */
export async function activeAssets(
  tx: Tx,
  scopeId: ScopeId,
  after: string,
  limit: number,
): Promise<AssetInPlace[]> {
  const rows = await tx.query<{ assetId: AssetId; sourceVersion: string; place: string }>(sql`
    select asset_id as "assetId", source_version as "sourceVersion", external_id as place from assets
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status = 'active' and external_id > ${after}
     order by external_id limit ${limit}`);
  return rows.map(toAssetInPlace);
}

/**
 * Records that a scope, or its feed of changes, was read to the end. If its rules have changed since the campaign started,
 * it stays stale and is listed again by the next delta.
 */
export async function completeLook(
  tx: Tx,
  scope: Pick<CampaignScope, 'scopeId' | 'family' | 'narrowing'>,
  { coverage, cursor, configVersion, listedBy }: ScopeLook,
  now: number,
): Promise<void> {
  const { scopeId } = scope;
  // Whoever changes rules waits until this transaction has ended, and it waits for them.
  await tx.query(sql`
    select scope_id from scopes where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} for no key update`);
  const isOutdated = !isDeepStrictEqual(await rulesOfScope(tx, scope), scope.narrowing.rules);
  const status = isOutdated ? 'resync_required' : 'valid';
  await tx.query(sql`
    update scopes
       set coverage_state = ${isOutdated ? 'stale' : coverage}, delta_cursor = ${isOutdated ? null : cursor},
           delta_cursor_status = ${cursor === null ? 'none' : status}, delta_cursor_at = ${new Date(now)},
           config_version = ${configVersion}, narrowed_at = null
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
  if (listedBy === undefined) return;
  await tx.query(sql`
    update scopes s
       set listed_by = ${listedBy},
           assets_left_out = (select count(*) from assets a
                               where a.tenant_id = s.tenant_id and a.scope_id = s.scope_id and a.status = 'active'
                                 and a.left_out_by is not null)
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}

/** Records that a scan looked at a part of the scope only. Its coverage and cursor stay: they are of whole looks. */
export async function completeNarrowedLook(tx: Tx, scopeId: ScopeId, now: number): Promise<void> {
  await tx.query(sql`
    update scopes set narrowed_at = ${new Date(now)} where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}

/** Records that the source no longer knows the cursor. The coverage is stale until a resync has listed the scope. */
export async function invalidateCursor(tx: Tx, scopeId: ScopeId): Promise<void> {
  await tx.query(sql`
    update scopes set coverage_state = 'stale', delta_cursor_status = 'resync_required'
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}

/** What the campaign has seen so far no longer counts, because it may be deleted before the scope is listed again. */
export async function forgetSeen(tx: Tx, scopeId: ScopeId, campaignId: CampaignId): Promise<void> {
  for (const table of [sql`assets`, sql`source_folders`]) {
    await tx.query(sql`
      update ${table} set seen_campaign_id = null
       where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and seen_campaign_id = ${campaignId}`);
  }
  await forgetUnchanged(tx, scopeId);
}
