import { z } from 'zod';
import { AUDIT_CATEGORIES } from '../../../core/audit/event.ts';
import { auditPages, auditTable, auditTrailText } from '../../../core/exports/export-audit.ts';
import { csvText, EXPORT_MEDIA_TYPES, ExportFormatSchema } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

/** NDJSON cannot be filtered, because an incomplete trail could not be verified. */
const Query = z
  .strictObject({ format: ExportFormatSchema, category: z.enum(AUDIT_CATEGORIES).optional() })
  .refine(({ format, category }) => format === 'csv' || category === undefined, {
    path: ['category'],
    message: 'Only a CSV export can be limited to one category.',
  });

export const exportAudit = endpoint({
  name: 'exports-audit',
  method: 'GET',
  path: '/api/exports/audit',
  summary: 'The audit trail as a file, the oldest event first',
  description:
    'NDJSON is the whole trail with its checkpoints; `npm run audit:verify` verifies it without a database. ' +
    'CSV is for reading and may be limited to one category.',
  access: can('audit.read'),
  transaction: 'none',
  query: Query,
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: (request) => {
    const { format, category } = request.query;
    const filters = category === undefined ? [] : ['category'];
    return startExport(request, { kind: 'audit', format, filters }, (reading) =>
      format === 'csv' ? csvText(auditPages(reading, category), auditTable) : auditTrailText(reading),
    );
  },
});
