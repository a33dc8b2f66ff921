import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { type FindingFilterSchema, findingsAfter, type ListedFinding } from '../findings/finding-list.sql.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

const PAGE_SIZE = 1_000;

/** Pages of the findings that the reader may see, in the order of their ids: each comes once. */
export async function* findingPages(
  reading: Reading,
  visibility: Visibility,
  { status }: z.infer<typeof FindingFilterSchema>,
): AsyncGenerator<ListedFinding[]> {
  let page: ListedFinding[];
  let afterId = '';
  do {
    const place = afterId;
    page = await reading((tx) => findingsAfter(tx, visibility, status, place, PAGE_SIZE));
    if (page.length > 0) yield page;
    afterId = page.at(-1)?.findingId ?? afterId;
  } while (page.length === PAGE_SIZE);
}

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
