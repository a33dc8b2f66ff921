import type { z } from 'zod';
import type { AssetFilterSchema, AssetSummary } from '../assets/asset-schema.ts';
import type { Visibility } from '../authz/principal.ts';
import { listAssets } from '../search/asset-list.sql.ts';
import type { AssetPlace } from '../search/newest-placements.sql.ts';
import type { SearchName } from '../search/search.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

type AssetFilter = z.infer<typeof AssetFilterSchema>;

/** What is stored now may say that it changed so much earlier: a transaction had begun, or a clock is behind. */
const LATE_MS = 60_000;

/**
 * Pages of the assets that the reader may see, in the order of the list. One that changes meanwhile moves to the front of
 * it, which is behind us; so what has changed since about `startedAt`, and was not shown so, comes at the end: no asset is
 * missed, and where one comes twice the last is the newest. The first page with a match decides which search is used.
 */
export async function* assetPages(
  reading: Reading,
  visibility: Visibility,
  filter: AssetFilter,
  startedAt: number,
): AsyncGenerator<AssetSummary[]> {
  const isRecent = ({ changedAt }: AssetSummary) => Date.parse(changedAt) >= startedAt - LATE_MS;
  const keyOf = ({ assetId, changedAt }: AssetSummary) => `${changedAt} ${assetId}`;
  const shown = new Set<string>();
  let search: SearchName | null = null;
  const pages = () =>
    pagesAfter(
      async (after: AssetPlace | null, limit) => {
        const list = await reading((tx) => listAssets(tx, visibility, filter, limit, { after, search }));
        search ??= list.search;
        return list.assets;
      },
      (asset) => asset,
    );
  for await (const page of pages()) {
    for (const asset of page) if (isRecent(asset)) shown.add(keyOf(asset));
    yield page;
  }
  for await (const page of pages()) {
    const changed = page.filter((asset) => isRecent(asset) && !shown.has(keyOf(asset)));
    if (changed.length > 0) yield changed;
    if (!page.every(isRecent)) return;
  }
}

export const assetTable: Table<AssetSummary> = {
  columns: [
    'assetId',
    'name',
    'path',
    'kind',
    'sizeBytes',
    'mimeType',
    'format',
    'scopeId',
    'scopeName',
    'contentState',
    'labelState',
    'labelName',
    'riskSeverity',
    'domainId',
    'domainName',
    'informationTypeId',
    'informationTypeName',
    'confidence',
    'classificationStatus',
    'decision',
    'sourceModifiedAt',
    'changedAt',
    'lastSeenAt',
    'labeledElsewhere',
    'contentReason',
    'unreadParts',
    'scopeInaccessibleSince',
    'rowsRead',
    'rowsEstimated',
  ],
  cells: ({ classification, ...asset }) => [
    asset.assetId,
    asset.name,
    asset.path,
    asset.kind,
    asset.sizeBytes,
    asset.mimeType,
    asset.format,
    asset.scopeId,
    asset.scopeName,
    asset.contentState,
    asset.labelState,
    asset.labelName,
    asset.riskSeverity,
    classification?.domainId ?? null,
    classification?.domainName ?? null,
    classification?.informationTypeId ?? null,
    classification?.informationTypeName ?? null,
    classification?.confidence ?? null,
    classification?.status ?? null,
    classification?.decision ?? null,
    asset.sourceModifiedAt,
    asset.changedAt,
    asset.lastSeenAt,
    asset.labeledElsewhere,
    asset.contentReason,
    asset.unreadParts,
    asset.scopeInaccessible?.since ?? null,
    asset.table?.rows ?? null,
    asset.table?.estimatedRows ?? null,
  ],
};
