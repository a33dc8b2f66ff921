import { CampaignFilterSchema } from '../../../core/campaigns/campaign-schema.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { scanPages, scanTable } from '../../../core/exports/export-scans.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const exportScans = endpoint({
  name: 'exports-scans',
  method: 'GET',
  path: '/api/exports/scans',
  summary: 'Scans of scopes that the caller may see',
  description:
    'Uses the filters of the list, the newest first. NDJSON keeps every value and ends with the number of rows. ' +
    'In CSV, an apostrophe precedes text that a spreadsheet might take for a formula.',
  access: can('scan.job.read'),
  transaction: 'none',
  query: CampaignFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'scans', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, scanPages(reading, request.visibility, filter), scanTable),
    );
  },
});
