import type { Visibility } from '../authz/principal.ts';
import type { CampaignFilter } from '../campaigns/campaign-schema.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns/campaigns.sql.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

const PAGE_SIZE = 1_000;

/** Pages of the scans that the list has under a filter, the newest first. */
export async function* scanPages(
  reading: Reading,
  visibility: Visibility,
  filter: CampaignFilter,
): AsyncGenerator<ListedCampaign[]> {
  let page: ListedCampaign[];
  let after: ListedCampaign | null = null;
  do {
    const place: ListedCampaign | null = after;
    page = await reading((tx) => listCampaigns(tx, visibility, PAGE_SIZE, { filter, after: place }));
    if (page.length > 0) yield page;
    after = page.at(-1) ?? null;
  } while (page.length === PAGE_SIZE);
}

const COLUMNS = [
  'campaignId',
  'kind',
  'status',
  'scopeId',
  'scopeName',
  'incomplete',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const satisfies readonly (keyof ListedCampaign)[];

const UNITS = ['pending', 'leased', 'completed', 'dead', 'cancelled'] as const;

export const scanTable: Table<ListedCampaign> = {
  columns: [...COLUMNS, ...UNITS],
  cells: (scan) => [
    ...COLUMNS.map((column) => scan[column]),
    ...UNITS.map((state) => scan.workUnits?.[state] ?? null),
  ],
};
