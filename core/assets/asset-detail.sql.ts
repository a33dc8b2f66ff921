import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import type { Grant, SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { visibleAsset } from '../visibility/visibility.sql.ts';
import type { AssetDetailSchema, AssetVersionSchema } from './asset-detail-schema.ts';
import { type Classification, classificationsOf } from './classification.sql.ts';

type Detail = z.infer<typeof AssetDetailSchema>;
type AssetVersion = z.infer<typeof AssetVersionSchema>;

/** The asset's own row: what it is, where, and how it is labelled and shared. */
export type AssetCore = Omit<
  Detail,
  'versions' | 'provenance' | 'riskComponents' | 'findings' | 'clusters' | 'excerpts' | 'permissions'
> & {
  permissions: Omit<Detail['permissions'], 'caveat'>;
};

type DatabaseRow = {
  asset_id: string;
  name: string;
  kind: string;
  size_bytes: number;
  mime_type: string | null;
  format: string | null;
  source_url: string | null;
  scope_id: string;
  scope_name: string;
  family: SourceFamily;
  path: string;
  external_id: string;
  source_version: string;
  content_version: string;
  content_state: Detail['contentState'];
  content_reason: string | null;
  label_state: Detail['label']['state'];
  label_guid: string | null;
  label_name: string | null;
  label_observed_at: Date | null;
  grants: Grant[];
  permissions_complete: boolean;
  permissions_observed_at: Date | null;
  source_created_at: Date | null;
  source_modified_at: Date | null;
  modified_by: string | null;
  first_seen_at: Date;
  last_seen_at: Date;
  classifications: Classification[];
};

const MAX_GRANTS = 200;
const MAX_CLASSIFICATIONS = 50;

/** Null when there is no such asset or the reader may not see it. */
export async function findAsset(tx: Tx, assetId: string, visibility: Visibility): Promise<AssetCore | null> {
  const [row] = await tx.query<DatabaseRow>(sql`
    select a.asset_id, a.name, a.kind, a.size_bytes, a.mime_type, a.format, a.source_url, a.scope_id,
           s.name as scope_name, s.family, a.path, a.external_id, a.source_version, a.content_version, a.content_state,
           a.content_reason, a.label_state, a.label_guid, a.label_name, a.label_observed_at,
           jsonb_path_query_array(a.grants, '$[0 to $most]', jsonb_build_object('most', ${MAX_GRANTS}::int)) as grants,
           a.permissions_complete, a.permissions_observed_at, a.source_created_at, a.source_modified_at, a.modified_by,
           a.first_seen_at, a.last_seen_at,
           array(select to_jsonb(c) from (${classificationsOf(tx, visibility)} limit ${MAX_CLASSIFICATIONS}) c)
             as classifications
      from assets a join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and ${visibleAsset(visibility)}`);
  if (row === undefined) return null;
  return {
    assetId: row.asset_id,
    name: row.name,
    kind: row.kind,
    sizeBytes: row.size_bytes,
    mimeType: row.mime_type,
    format: row.format,
    sourceUrl: row.source_url,
    location: {
      scopeId: row.scope_id,
      scopeName: row.scope_name,
      family: row.family,
      path: row.path,
      sourceItemId: row.external_id,
    },
    sourceVersion: row.source_version,
    contentVersion: row.content_version,
    contentState: row.content_state,
    contentReason: row.content_reason,
    sourceCreatedAt: row.source_created_at?.toISOString() ?? null,
    sourceModifiedAt: row.source_modified_at?.toISOString() ?? null,
    modifiedBy: row.modified_by,
    firstSeenAt: row.first_seen_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    label: {
      state: row.label_state,
      labelGuid: row.label_guid,
      labelName: row.label_name,
      observedAt: row.label_observed_at?.toISOString() ?? null,
    },
    permissions: {
      grants: { items: row.grants.slice(0, MAX_GRANTS), truncated: row.grants.length > MAX_GRANTS },
      complete: row.permissions_complete,
      observedAt: row.permissions_observed_at?.toISOString() ?? null,
    },
    classifications: row.classifications,
  };
}

/** What the source and the scan said of the asset over time, the newest first; at most `limit`. */
export async function versionsOf(tx: Tx, assetId: string, limit: number): Promise<AssetVersion[]> {
  const rows = await tx.query<Omit<AssetVersion, 'observedAt'> & { observedAt: Date }>(sql`
    select version, source_version as "sourceVersion", content_version as "contentVersion", name, path,
           size_bytes as "sizeBytes", content_state as "contentState", content_reason as "contentReason", format,
           observed_at as "observedAt"
      from asset_versions where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
     order by version desc limit ${limit}`);
  return rows.map((row) => ({ ...row, observedAt: row.observedAt.toISOString() }));
}
