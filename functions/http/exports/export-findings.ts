import { findingPages, findingTable } from '../../../core/exports/export-findings.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { FindingFilterSchema } from '../../../core/findings/finding-filter.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const exportFindings = endpoint({
  name: 'exports-findings',
  method: 'GET',
  path: '/api/exports/findings',
  summary: 'All findings that the caller may see, as a file',
  description:
    'Findings on assets that the caller may see, with the filter of the list, ordered by id. NDJSON keeps ' +
    'every value and ends with the number of rows. In CSV, an apostrophe precedes text that a spreadsheet ' +
    'might take for a formula.',
  access: can('finding.read'),
  transaction: 'none',
  query: FindingFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'findings', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, findingPages(reading, request.visibility, filter), findingTable),
    );
  },
});
