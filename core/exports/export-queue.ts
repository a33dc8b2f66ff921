import type { Visibility } from '../authz/principal.ts';
import type { Question } from '../review/question-row.sql.ts';
import type { QueueFilter, QueuePlace } from '../review/queue-filter.sql.ts';
import { listQueue } from '../review/queue-list.sql.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

const PAGE_SIZE = 1_000;

/** Pages of the open questions of the reader's domains under a filter, the most valuable first. */
export async function* questionPages(
  reading: Reading,
  visibility: Visibility,
  filter: QueueFilter,
): AsyncGenerator<Question[]> {
  let page: Question[];
  let after: QueuePlace | null = null;
  do {
    const place: QueuePlace | null = after;
    page = await reading(async (tx) => {
      const questions = await listQueue(tx, visibility, filter, PAGE_SIZE, { look: null, after: place });
      return questions.map(({ firstExcerpt: _, ...question }) => question);
    });
    if (page.length > 0) yield page;
    after = page.at(-1) ?? null;
  } while (page.length === PAGE_SIZE);
}

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
