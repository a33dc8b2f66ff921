import type { Visibility } from '../authz/principal.ts';
import type { Question } from '../review/question-row.sql.ts';
import type { QueueFilter, QueuePlace } from '../review/queue-filter.sql.ts';
import { listQueue } from '../review/queue-list.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the open questions of the reader's domains under a filter, the most valuable first. */
export const questionPages = (reading: Reading, visibility: Visibility, filter: QueueFilter) =>
  pagesAfter(
    (after: QueuePlace | null, limit) =>
      reading(async (tx) => {
        const questions = await listQueue(tx, visibility, filter, limit, { look: null, after });
        return questions.map(({ firstExcerpt: _, ...question }): Question => question);
      }),
    (question) => question,
  );

const COLUMNS = [
  'candidateId',
  'assetId',
  'assetName',
  'domainId',
  'domainName',
  'informationTypeId',
  'informationTypeName',
  'confidence',
  'band',
  'summary',
  'askedBecause',
  'riskSeverity',
  'value',
  'relatedCount',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Question)[];

export const questionTable: Table<Question> = {
  columns: [...COLUMNS, 'scopeId', 'scopeName', 'path', 'labelState', 'labelName', 'exposure', 'sourceUrl'],
  cells: ({ location, asset, ...question }) => [
    ...COLUMNS.map((column) => question[column]),
    location.scopeId,
    location.scopeName,
    location.path,
    asset.labelState,
    asset.labelName,
    asset.exposure,
    asset.sourceUrl,
  ],
};
