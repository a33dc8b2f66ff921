import {
  type DecisionFilter,
  type DecisionReader,
  type ListedDecision,
  listDecisions,
} from '../review/decision-list.sql.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

const PAGE_SIZE = 1_000;

/** Pages of the decisions that the list has under a filter, the newest first. */
export async function* decisionPages(
  reading: Reading,
  reader: DecisionReader,
  filter: DecisionFilter,
): AsyncGenerator<ListedDecision[]> {
  let page: ListedDecision[];
  let after: string | null = null;
  do {
    const place = after;
    page = await reading((tx) => listDecisions(tx, reader, filter, PAGE_SIZE, { after: place }));
    if (page.length > 0) yield page;
    after = page.at(-1)?.decisionId ?? null;
  } while (page.length === PAGE_SIZE);
}

const COLUMNS = [
  'decisionId',
  'decidedAt',
  'decision',
  'principalId',
  'principalName',
  'domainId',
  'domainName',
  'informationTypeId',
  'informationTypeName',
  'correctedInformationTypeId',
  'routedDomainId',
  'assetId',
  'assetName',
  'note',
  'candidateId',
  'status',
  'stands',
  'isRevisable',
  'isAboutPresentContent',
] as const satisfies readonly (keyof ListedDecision)[];

export const decisionTable: Table<ListedDecision> = {
  columns: COLUMNS,
  cells: (decision) => COLUMNS.map((column) => decision[column]),
};
