import { TaskFilterSchema } from '../../../core/actions/task-filter.sql.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { taskPages, taskTable } from '../../../core/exports/export-tasks.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const exportTasks = endpoint({
  name: 'exports-tasks',
  method: 'GET',
  path: '/api/exports/tasks',
  summary: 'All tasks that the caller may see, as a file',
  description:
    'Tasks with the filters of the list, ordered by id. NDJSON keeps every value and ends with the number of rows. In CSV, ' +
    'an apostrophe precedes text that a spreadsheet might take for a formula.',
  access: session,
  transaction: 'none',
  query: TaskFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'tasks', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, taskPages(reading, readableBy(request.principal), filter), taskTable),
    );
  },
});
