import { visibilityOf } from '../../../core/authz/principal.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { principalPages, principalTable } from '../../../core/exports/export-principals.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { PrincipalFilterSchema } from '../../../core/people/principals.ts';

export const exportPrincipals = endpoint({
  name: 'exports-principals',
  method: 'GET',
  path: '/api/exports/principals',
  summary: 'People and service principals as a file',
  description:
    'Uses the filters of the list, ordered by name. NDJSON keeps every value and ends with the number of rows. ' +
    'In CSV, an apostrophe precedes text that a spreadsheet might take for a formula.',
  access: can('principal.read'),
  transaction: 'none',
  query: PrincipalFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'principals', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(
        format,
        principalPages(
          reading,
          visibilityOf(request.principal, 'governance.taxonomy.read'),
          filter,
          request.now,
        ),
        principalTable,
      ),
    );
  },
});
