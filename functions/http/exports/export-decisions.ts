import { decisionPages, decisionTable } from '../../../core/exports/export-decisions.ts';
import { EXPORT_MEDIA_TYPES, ExportFormatSchema, rowsText } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { REVISABLE_MS } from '../../../core/review/decision.ts';
import { DecisionFilterSchema } from '../../../core/review/decision-list.sql.ts';

export const exportDecisions = endpoint({
  name: 'exports-decisions',
  method: 'GET',
  path: '/api/exports/decisions',
  summary: 'Decisions in the caller’s domains as a file',
  description:
    'Uses the filters of the list, the newest first. NDJSON keeps every value and ends with the number of rows. In CSV, an ' +
    'apostrophe precedes text that a spreadsheet might take for a formula.',
  access: can('review.read'),
  transaction: 'none',
  query: DecisionFilterSchema.extend({ format: ExportFormatSchema }),
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, ...filter } = request.query;
    const { visibility, now } = request;
    const { principalId } = request.principal;
    const reader = { principalId, visibility, revisableSince: new Date(now - REVISABLE_MS) };
    return startExport(request, { kind: 'decisions', format, filters: Object.keys(filter) }, (reading) =>
      rowsText(format, decisionPages(reading, reader, filter), decisionTable),
    );
  },
});
