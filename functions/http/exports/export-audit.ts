import { z } from 'zod';
import { AUDIT_CATEGORIES } from '../../../core/audit/event.ts';
import {
  auditPages,
  auditSegment,
  auditTable,
  auditTrailText,
  segmentDetails,
} from '../../../core/exports/export-audit.ts';
import { csvText, EXPORT_MEDIA_TYPES, ExportFormatSchema } from '../../../core/exports/export-format.ts';
import { startExport } from '../../../core/exports/start-export.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { writtenInteger } from '../../../core/kernel/list.ts';

/** As many as a checkpoint can be numbered. */
const MOST_CHECKPOINTS = 999_999_999_999_999;

/** NDJSON cannot be filtered, because a trail with holes could not be verified. */
const Query = z
  .strictObject({
    format: ExportFormatSchema,
    category: z.enum(AUDIT_CATEGORIES).optional(),
    afterCheckpoint: writtenInteger(1, MOST_CHECKPOINTS).optional(),
    signedBefore: z.iso.datetime().optional(),
  })
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
    'NDJSON is the trail with its checkpoints; `npm run audit:verify` verifies it without a database. ' +
    'CSV is for reading and may be limited to one category. Without limits it is the whole trail. It can begin ' +
    'after the checkpoint with the number `afterCheckpoint`, and end with the newest checkpoint that was signed ' +
    'before the time `signedBefore`.',
  access: can('audit.read'),
  transaction: 'read',
  query: Query,
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: async (request) => {
    const { format, ...filter } = request.query;
    const segment = await auditSegment(request.tx, filter);
    const exported = {
      kind: 'audit',
      format,
      filters: Object.keys(filter),
      details: segmentDetails(segment),
    } as const;
    return startExport(request, exported, (reading) =>
      format === 'csv'
        ? csvText(auditPages(reading, segment, filter.category), auditTable)
        : auditTrailText(reading, segment),
    );
  },
});
