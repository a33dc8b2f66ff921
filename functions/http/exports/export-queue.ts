import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { questionPages, questionTable } from '../../../core/exports/export-queue.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { QueueFilterSchema } from '../../../core/review/queue-filter.sql.ts';

export const exportQueue = endpoint({
  name: 'exports-queue',
  method: 'GET',
  path: '/api/exports/queue',
  summary: 'The open questions of the caller as a file',
  description:
    'Uses the filters of the queue for all of its questions, the most valuable answer first. There are no excerpts. NDJSON keeps every value and ends with the number of rows. ' +
    'In CSV, an apostrophe precedes text that a spreadsheet might take for a formula.',
  access: can('review.read'),
  transaction: 'none',
  query: QueueFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'queue', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, questionPages(reading, request.visibility, filter), questionTable),
    );
  },
});
