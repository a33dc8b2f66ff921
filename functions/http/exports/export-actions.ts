import { ActionFilterSchema } from '../../../core/actions/action-filter.sql.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { actionPages, actionTable } from '../../../core/exports/export-actions.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const exportActions = endpoint({
  name: 'exports-actions',
  method: 'GET',
  path: '/api/exports/actions',
  summary: 'All actions that the caller may see, as a file',
  description:
    'Actions with the filters of the list, ordered by id. NDJSON keeps every value and ends with the number of rows. In ' +
    'CSV, an apostrophe precedes text that a spreadsheet might take for a formula.',
  access: session,
  transaction: 'none',
  query: ActionFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'actions', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, actionPages(reading, readableBy(request.principal), filter), actionTable),
    );
  },
});
