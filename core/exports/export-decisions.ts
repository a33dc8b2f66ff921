import {
  type DecisionFilter,
  type DecisionReader,
  type ListedDecision,
  listDecisions,
} from '../review/decision-list.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the decisions that the list has under a filter, the newest first. */
export const decisionPages = (reading: Reading, reader: DecisionReader, filter: DecisionFilter) =>
  pagesAfter(
    (after: string | null, limit) => reading((tx) => listDecisions(tx, reader, filter, limit, { after })),
    ({ decisionId }) => decisionId,
  );

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
