import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import type { ForeignLabel, Grant, SourceFacts, SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Inaccessible, inaccessibleOf } from '../findings/inaccessible-scope.sql.ts';
import type { ContentReason } from '../kernel/vocabulary.ts';
import type { AssetDetailSchema, AssetVersionSchema } from './asset-detail-schema.ts';
import { type Classification, classificationsOf } from './classification.sql.ts';
import { tableReadOf } from './table-read.sql.ts';

type Detail = z.infer<typeof AssetDetailSchema>;
type AssetVersion = z.infer<typeof AssetVersionSchema>;

/** The asset's own row: what and where it is, its label and its permissions. */
export type AssetCore = Omit<
  Detail,
  | 'versions'
  | 'provenance'
  | 'riskComponents'
  | 'findings'
  | 'clusters'
  | 'signals'
  | 'excerpts'
  | 'permissions'
  | 'suppressedSignals'
> & {
  permissions: Omit<Detail['permissions'], 'caveat'>;
};

type DatabaseRow = {
  assetId: string;
  name: string;
  kind: string;
  sizeBytes: number;
  mimeType: string | null;
  format: string | null;
  sourceUrl: string | null;
  scopeId: string;
  scopeName: string;
  scopeInaccessible: Inaccessible;
  family: SourceFamily;
  path: string;
  externalId: string;
  sourceVersion: string;
  contentVersion: string;
  contentState: Detail['contentState'];
  contentReason: ContentReason | null;
  unreadParts: number | null;
  table: Detail['table'];
  labelState: Detail['label']['state'];
  labelGuid: string | null;
  labelName: string | null;
  labelObservedAt: Date | null;
  foreignLabels: ForeignLabel[];
  grants: Grant[];
  permissionsComplete: boolean;
  permissionsObservedAt: Date | null;
  sourceCreatedAt: Date | null;
  sourceModifiedAt: Date | null;
  modifiedBy: string | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  classifications: Classification[];
  sourceFacts: SourceFacts | null;
};

const MAX_GRANTS = 200;
const MAX_CLASSIFICATIONS = 50;

/** Null if the asset does not exist or the reader may not see it. */
export async function findAsset(tx: Tx, assetId: string, visibility: Visibility): Promise<AssetCore | null> {
  const [row] = await tx.query<DatabaseRow>(sql`
    select a.asset_id as "assetId", a.name, a.kind, a.size_bytes as "sizeBytes", a.mime_type as "mimeType", a.format,
           a.source_url as "sourceUrl", a.scope_id as "scopeId",
           s.name as "scopeName", ${inaccessibleOf(sql`s`)} as "scopeInaccessible", s.family, a.path, a.external_id as "externalId",
           a.source_version as "sourceVersion", a.content_version as "contentVersion",
           a.content_state as "contentState",
           a.content_reason as "contentReason", a.unread_parts as "unreadParts", ${tableReadOf(sql`a`)} as "table",
           a.label_state as "labelState", a.label_guid as "labelGuid",
           a.label_name as "labelName", a.label_observed_at as "labelObservedAt", coalesce(a.foreign_labels, '[]') as "foreignLabels",
           jsonb_path_query_array(a.grants, '$[0 to $most]', jsonb_build_object('most', ${MAX_GRANTS}::int)) as grants,
           a.permissions_complete as "permissionsComplete", a.permissions_observed_at as "permissionsObservedAt",
           a.source_created_at as "sourceCreatedAt", a.source_modified_at as "sourceModifiedAt",
           a.modified_by as "modifiedBy", a.source_facts as "sourceFacts",
           a.first_seen_at as "firstSeenAt", a.last_seen_at as "lastSeenAt",
           array(select to_jsonb(c) from (${classificationsOf(tx, visibility)} limit ${MAX_CLASSIFICATIONS}) c)
             as classifications
      from assets a join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and ${visibleAsset(visibility)}`);
  if (row === undefined) return null;
  return {
    assetId: row.assetId,
    name: row.name,
    kind: row.kind,
    sizeBytes: row.sizeBytes,
    mimeType: row.mimeType,
    format: row.format,
    sourceUrl: row.sourceUrl,
    location: {
      scopeId: row.scopeId,
      scopeName: row.scopeName,
      scopeInaccessible: row.scopeInaccessible,
      family: row.family,
      path: row.path,
      sourceItemId: row.externalId,
    },
    sourceVersion: row.sourceVersion,
    contentVersion: row.contentVersion,
    contentState: row.contentState,
    contentReason: row.contentReason,
    unreadParts: row.unreadParts,
    table: row.table,
    sourceCreatedAt: row.sourceCreatedAt?.toISOString() ?? null,
    sourceModifiedAt: row.sourceModifiedAt?.toISOString() ?? null,
    modifiedBy: row.modifiedBy,
    firstSeenAt: row.firstSeenAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
    tags: [...(row.sourceFacts?.tags ?? [])],
    retention: row.sourceFacts?.retention ?? null,
    label: {
      state: row.labelState,
      labelGuid: row.labelGuid,
      labelName: row.labelName,
      observedAt: row.labelObservedAt?.toISOString() ?? null,
      foreign: row.foreignLabels,
    },
    permissions: {
      grants: {
        items: row.grants.slice(0, MAX_GRANTS).map((grant) => ({
          ...grant,
          unconfirmed: grant.unconfirmed === true,
          groupId: grant.groupId ?? null,
        })),
        truncated: row.grants.length > MAX_GRANTS,
      },
      complete: row.permissionsComplete,
      observedAt: row.permissionsObservedAt?.toISOString() ?? null,
    },
    classifications: row.classifications,
  };
}

/** The versions of the asset, the newest first; at most `limit`. */
export async function versionsOf(tx: Tx, assetId: string, limit: number): Promise<AssetVersion[]> {
  const rows = await tx.query<Omit<AssetVersion, 'observedAt'> & { observedAt: Date }>(sql`
    select version, source_version as "sourceVersion", content_version as "contentVersion", name, path,
           size_bytes as "sizeBytes", content_state as "contentState", content_reason as "contentReason", unread_parts as "unreadParts",
           format, observed_at as "observedAt"
      from asset_versions where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
     order by version desc limit ${limit}`);
  return rows.map((row) => ({ ...row, observedAt: row.observedAt.toISOString() }));
}
