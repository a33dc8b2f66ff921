import { AssetFilterSchema } from '../../../core/assets/asset-schema.ts';
import { assetPages, assetTable } from '../../../core/exports/export-assets.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const exportAssets = endpoint({
  name: 'exports-assets',
  method: 'GET',
  path: '/api/exports/assets',
  summary: 'All assets that the caller may see, as a file',
  description:
    'Uses the filters of the list. The most recently changed come first. An asset that changes during the export comes again at the ' +
    'end. NDJSON keeps every value and ends with the number of rows. In CSV, an apostrophe precedes text that ' +
    'a spreadsheet might take for a formula.',
  access: can('asset.metadata.read'),
  transaction: 'none',
  query: AssetFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    return startExport(request, { kind: 'assets', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, assetPages(reading, request.visibility, filter, request.now), assetTable),
    );
  },
});
