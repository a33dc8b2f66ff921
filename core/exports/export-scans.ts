import type { Visibility } from '../authz/principal.ts';
import type { CampaignFilter } from '../campaigns/campaign-schema.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns/campaigns.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the scans that the list has under a filter, the newest first. */
export const scanPages = (reading: Reading, visibility: Visibility, filter: CampaignFilter) =>
  pagesAfter(
    (after: ListedCampaign | null, limit) =>
      reading((tx) => listCampaigns(tx, visibility, limit, { filter, after })),
    (scan) => scan,
  );

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
