import type { AssetFilter, AssetSummary } from '../assets/asset-schema.ts';
import {
  type Classification,
  classificationColumns,
  classificationJoins,
  firmestPlacement,
  placementColumns,
} from '../assets/classification.sql.ts';
import { tableReadOf } from '../assets/table-read.sql.ts';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { isoTimestamp } from '../db/iso-timestamp.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { inaccessibleOf } from '../findings/inaccessible-scope.sql.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { isRarelyAsked } from './asset-filter.sql.ts';
import { type AssetSort, sortedAssets } from './asset-sort.sql.ts';
import type { SearchOrder } from './having-words.sql.ts';
import { type AssetPlace, conditionsOfAsset, newestPlacements, type Walk } from './newest-placements.sql.ts';
import { type FoundBy, findAssets, type SearchName } from './search.sql.ts';

type DatabaseRow = Omit<AssetSummary, 'classification'> &
  (Classification | { [name in keyof Classification]: null });

/** Assets of the list. `isWhole` and `search` are as `findAssets` returns them. */
export type AssetList = Omit<FoundBy, 'assetIds'> & { assets: AssetSummary[] };

/**
 * Assets that the reader may see, the most recently changed first, then by id; at most `limit`, optionally after a
 * place. With `q`, the order may put the best matches first, and `search` may name the only search to try.
 */
export async function listAssets(
  tx: Tx,
  visibility: Visibility,
  filter: AssetFilter,
  limit: number,
  {
    after = null,
    order = 'newest',
    search = null,
    look,
    sort = '-changed',
  }: {
    after?: AssetPlace | null;
    order?: SearchOrder;
    search?: SearchName | null;
    look?: number;
    sort?: AssetSort;
  } = {},
): Promise<AssetList> {
  const { q, domainId: _, ownerId: _owner, ...rest } = filter;
  const seen = await withinAskedDomains(tx, visibility, filter);
  const walk: Walk = {
    filter: rest,
    after,
    most: limit,
    oldestFirst: sort === 'changed',
    ...(look !== undefined && { look }),
  };
  if (q === undefined || q === '') {
    const sorted = await sortedAssets(tx, seen, walk, sort);
    return { assets: await shownAssets(tx, seen, sorted, walk), isWhole: true, search: null };
  }
  const { assetIds, ...found } = await findAssets(
    tx,
    seen,
    q,
    { ...walk, oldestFirst: false },
    { order, search },
  );
  return { assets: assetIds.length === 0 ? [] : await shownAssets(tx, seen, assetIds, walk), ...found };
}

const inOrderOf = ({ oldestFirst = false }: Walk): Statement =>
  oldestFirst ? sql`a.changed_at, a.asset_id` : sql`a.changed_at desc, a.asset_id desc`;

/** Details of the assets that a search `found`, or of those of a walk. */
async function shownAssets(
  tx: Tx,
  visibility: Visibility,
  found: readonly string[] | null,
  walk: Walk,
): Promise<AssetSummary[]> {
  // Selects the assets first, so that only the returned rows are joined with their details.
  const text = sql`
    select a.asset_id as "assetId", a.name, a.path, a.kind, a.size_bytes as "sizeBytes", a.mime_type as "mimeType",
           a.format, a.scope_id as "scopeId", s.name as "scopeName", s.inaccessible as "scopeInaccessible", a.content_state as "contentState",
           a.content_reason as "contentReason", a.unread_parts as "unreadParts", ${tableReadOf(sql`a`)} as "table",
           a.label_state as "labelState", a.label_name as "labelName",
           coalesce(a.foreign_labels <> '[]', false) as "labeledElsewhere", a.source_modified_at::text as "sourceModifiedAt",
           a.last_seen_at::text as "lastSeenAt", a.changed_at::text as "changedAt", a.risk_severity as "riskSeverity",
           ${classificationColumns}
      from (${pickedPlacements(tx, visibility, found, walk)}) p
      cross join lateral ${assetById(tx, sql`p.asset_id`)}
      cross join lateral (
        select name, ${inaccessibleOf(sql`scopes`)} as inaccessible from scopes where tenant_id = ${unpeeked(tx.tenantId)} and scope_id = a.scope_id ${FENCE}) s
      ${classificationJoins(tx, visibility)}
     where a.status = 'active'
     order by ${found === null ? inOrderOf(walk) : sql`array_position(${unpeeked(found)}, a.asset_id)`}
     limit ${sql.whole(walk.most)}`;
  const rows = await tx.query<DatabaseRow>(
    found === null && isRarelyAsked(walk.filter) ? sql.unprepared(text) : text,
  );
  return rows.map(toSummary);
}

/** Copies field by field, which is twice as fast as a rest pattern. */
const toSummary = (row: DatabaseRow): AssetSummary => ({
  assetId: row.assetId,
  name: row.name,
  path: row.path,
  kind: row.kind,
  sizeBytes: row.sizeBytes,
  mimeType: row.mimeType,
  format: row.format,
  scopeId: row.scopeId,
  scopeName: row.scopeName,
  scopeInaccessible: row.scopeInaccessible,
  contentState: row.contentState,
  contentReason: row.contentReason,
  unreadParts: row.unreadParts,
  table: row.table,
  labelState: row.labelState,
  labelName: row.labelName,
  labeledElsewhere: row.labeledElsewhere,
  riskSeverity: row.riskSeverity,
  classification:
    row.candidateId === null
      ? null
      : {
          candidateId: row.candidateId,
          domainId: row.domainId,
          domainName: row.domainName,
          informationTypeId: row.informationTypeId,
          informationTypeName: row.informationTypeName,
          confidence: row.confidence,
          status: row.status,
          decision: row.decision,
          correctedFrom: row.correctedFrom,
        },
  sourceModifiedAt: row.sourceModifiedAt && isoTimestamp(row.sourceModifiedAt),
  lastSeenAt: isoTimestamp(row.lastSeenAt),
  changedAt: isoTimestamp(row.changedAt),
});

/** Selects the assets of the list with their firmest placements: those that a search `found`, or those of a walk. */
function pickedPlacements(
  tx: Tx,
  visibility: Visibility,
  found: readonly string[] | null,
  walk: Walk,
): Statement {
  const { informationTypeId } = walk.filter;
  const isOfAll = visibility.kind === 'tenant' && informationTypeId === undefined;
  // Where the asset itself is asked, most placements of the walk would be read in vain.
  if (found === null && !isOfAll && walk.filter.ids === undefined && conditionsOfAsset(walk.filter) === null)
    return newestPlacements(tx, visibility, walk, { withPlacements: true });
  const assets =
    found === null
      ? newestPlacements(tx, visibility, walk, { withPlacements: false })
      : sql`select unnest(${unpeeked(found)}) as asset_id`;
  // The fence keeps this part separate, so that names are joined to the whole list and not to each asset.
  return sql`
    select a.asset_id, ${placementColumns}
      from (${assets}) a ${isOfAll ? sql`left join` : sql`join`} lateral (
        ${firmestPlacement(tx, visibility, informationTypeId)}) p on true
    ${FENCE}`;
}
