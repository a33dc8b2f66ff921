import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetFilter, AssetSummary } from './asset-schema.ts';
import { type Classification, classificationsOf } from './classification.sql.ts';
import { tyingCandidate, visibleAsset } from './visibility.sql.ts';

type DatabaseRow = Omit<AssetSummary, 'classification' | 'sourceModifiedAt' | 'lastSeenAt'> & {
  sourceModifiedAt: Date | null;
  lastSeenAt: Date;
  classification: Classification | null;
};

/** A text that is in more assets than this is met soon enough by going through them, the most recent first. */
const RARE_MAX = 10_000;
/** Of a text without these the index of parts knows nothing. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** Assets that the reader may see, the most recently seen first; at most `limit`. */
export async function listAssets(
  tx: Tx,
  visibility: Visibility,
  filter: AssetFilter,
  limit: number,
): Promise<AssetSummary[]> {
  const { q, informationTypeId, labelState, riskSeverity } = filter;
  const matching = q === undefined || q === '' ? sql`true` : await matchingText(tx, visibility, q);
  // What is asked for is picked first, so that only the rows which are returned are classified.
  const rows = await tx.query<DatabaseRow>(sql`
    select a.asset_id as "assetId", a.name, a.path, a.kind, a.size_bytes as "sizeBytes", a.mime_type as "mimeType",
           a.format, a.scope_id as "scopeId", s.name as "scopeName", a.content_state as "contentState",
           a.label_state as "labelState", a.label_name as "labelName", a.source_modified_at as "sourceModifiedAt",
           a.last_seen_at as "lastSeenAt", a.risk_severity as "riskSeverity", to_jsonb(c) as classification
      from (
        select * from assets a
         where a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${visibleAsset(visibility)}
           and ${matching}
           and ${informationTypeId === undefined ? sql`true` : sql`a.asset_id in (${ofTypes(tx, visibility, [informationTypeId])})`}
           and ${labelState === undefined ? sql`true` : sql`a.label_state = ${labelState}`}
           and ${riskSeverity === undefined ? sql`true` : sql`a.risk_severity = ${riskSeverity}`}
         order by a.last_seen_at desc, a.asset_id desc limit ${limit}
      ) a
      join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
      left join lateral (${classificationsOf(visibility, informationTypeId ?? null)} limit 1) c on true
     order by a.last_seen_at desc, a.asset_id desc`);
  return rows.map((row) => ({
    ...row,
    sourceModifiedAt: row.sourceModifiedAt?.toISOString() ?? null,
    lastSeenAt: row.lastSeenAt.toISOString(),
  }));
}

/** Whether asset `a` matches in name, path or format, or the reader sees it classified as a type so named. */
async function matchingText(tx: Tx, visibility: Visibility, q: string): Promise<Statement> {
  const anywhere = THREE_IN_A_ROW.test(q);
  const [found] = await tx.query<{ assetIds: string[]; typeIds: string[] }>(sql`
    select array(select assets_matching(lower(${q}), ${anywhere}, ${RARE_MAX + 1})) as "assetIds",
           array(select information_type_id from information_types
                  where tenant_id = ${tx.tenantId} and strpos(lower(name), lower(${q})) > 0) as "typeIds"`);
  const { assetIds, typeIds } = found ?? { assetIds: [], typeIds: [] };
  const text =
    assetIds.length <= RARE_MAX
      ? sql`a.asset_id = any(${assetIds}::text[])`
      : anywhere
        ? sql`strpos(lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')), lower(${q})) > 0`
        : sql`starts_with(lower(a.name), lower(${q}))`;
  if (typeIds.length === 0) return text;
  return sql`(${text} or a.asset_id in (${ofTypes(tx, visibility, typeIds)}))`;
}

/** Ids of the assets that the reader sees classified as one of the types. */
const ofTypes = (tx: Tx, visibility: Visibility, typeIds: readonly string[]) => sql`
  select k.asset_id
    from candidates k
    left join decisions d
      on d.tenant_id = k.tenant_id and d.candidate_id = k.candidate_id and d.decision_id = k.decision_id
   where k.tenant_id = ${tx.tenantId} and ${tyingCandidate(visibility)}
     and coalesce(d.corrected_information_type_id, k.information_type_id) = any(${typeIds}::text[])`;
