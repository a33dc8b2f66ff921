import type { Visibility } from '../authz/principal.ts';
import type { FindingFilter } from '../findings/finding-filter.sql.ts';
import { findingsAfter, type ListedFinding } from '../findings/finding-list.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the findings that the reader may see. */
export const findingPages = (reading: Reading, visibility: Visibility, filter: FindingFilter) =>
  pagesAfter(
    (afterId: string | null, limit) =>
      reading((tx) => findingsAfter(tx, visibility, filter, afterId ?? '', limit)),
    ({ findingId }) => findingId,
  );

const COLUMNS = [
  'findingId',
  'kind',
  'severity',
  'status',
  'notes',
  'assetId',
  'assetName',
  'scopeId',
  'scopeName',
  'openedAt',
  'changedAt',
  'resolvedAt',
  'acknowledgedBy',
  'acknowledgedAt',
  'acknowledgeNote',
  'policyVersion',
  'revision',
  'resolvedBecause',
] as const satisfies readonly (keyof ListedFinding)[];

export const findingTable: Table<ListedFinding> = {
  columns: [...COLUMNS, 'scopeInaccessibleSince'],
  cells: (finding) => [...COLUMNS.map((column) => finding[column]), finding.scopeInaccessible?.since ?? null],
};
