import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetFilter, AssetSummary } from './asset-schema.ts';
import { type Classification, classificationsOf } from './classification.sql.ts';
import { tyingCandidate, visibleAsset } from './visibility.sql.ts';

type DatabaseRow = Omit<
  AssetSummary,
  'classification' | 'riskSeverity' | 'sourceModifiedAt' | 'lastSeenAt'
> & {
  sourceModifiedAt: Date | null;
  lastSeenAt: Date;
  classification: Classification | null;
};

/** Assets that the reader may see, the most recently seen first; at most `limit`. */
export async function listAssets(
  tx: Tx,
  visibility: Visibility,
  filter: AssetFilter,
  limit: number,
): Promise<AssetSummary[]> {
  const { q, informationTypeId, labelState, riskSeverity } = filter;
  // No asset has a risk severity until risk components are computed, so none has the one asked for.
  if (riskSeverity !== undefined) return [];
  // What is asked for is picked first, so that only the rows which are returned are classified.
  const rows = await tx.query<DatabaseRow>(sql`
    select a.asset_id as "assetId", a.name, a.path, a.kind, a.size_bytes as "sizeBytes", a.mime_type as "mimeType",
           a.format, a.scope_id as "scopeId", s.name as "scopeName", a.content_state as "contentState",
           a.label_state as "labelState", a.label_name as "labelName", a.source_modified_at as "sourceModifiedAt",
           a.last_seen_at as "lastSeenAt", to_jsonb(c) as classification
      from (
        select * from assets a
         where a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${visibleAsset(visibility)}
           and ${q === undefined ? sql`true` : matching(tx, visibility, q)}
           and ${informationTypeId === undefined ? sql`true` : ofType(tx, visibility, sql`= ${informationTypeId}`)}
           and ${labelState === undefined ? sql`true` : sql`a.label_state = ${labelState}`}
         order by a.last_seen_at desc, a.asset_id desc limit ${limit}
      ) a
      join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
      left join lateral (${classificationsOf(visibility, informationTypeId ?? null)} limit 1) c on true
     order by a.last_seen_at desc, a.asset_id desc`);
  return rows.map((row) => ({
    ...row,
    sourceModifiedAt: row.sourceModifiedAt?.toISOString() ?? null,
    lastSeenAt: row.lastSeenAt.toISOString(),
    riskSeverity: null,
  }));
}

/** By position rather than by pattern, so that no character of what is sought means anything but itself. */
const matching = (tx: Tx, visibility: Visibility, q: string) => sql`(
  strpos(lower(a.name), lower(${q})) > 0 or strpos(lower(a.path), lower(${q})) > 0
  or strpos(lower(coalesce(a.format, '')), lower(${q})) > 0
  or ${ofType(
    tx,
    visibility,
    sql`in (select information_type_id from information_types
             where tenant_id = ${tx.tenantId} and strpos(lower(name), lower(${q})) > 0)`,
  )})`;

/** Whether the reader sees asset `a` classified as a type that fulfils the condition. */
const ofType = (tx: Tx, visibility: Visibility, condition: Statement) => sql`
  a.asset_id in (
    select k.asset_id
      from candidates k
      left join decisions d
        on d.tenant_id = k.tenant_id and d.candidate_id = k.candidate_id and d.revision = k.revision
     where k.tenant_id = ${tx.tenantId} and ${tyingCandidate(visibility)}
       and coalesce(d.corrected_information_type_id, k.information_type_id) ${condition})`;
