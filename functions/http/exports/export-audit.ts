import { z } from 'zod';
import { AuditFilterSchema } from '../../../core/audit/event-list.sql.ts';
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
const Query = AuditFilterSchema.extend({
  format: ExportFormatSchema,
  afterCheckpoint: writtenInteger(1, MOST_CHECKPOINTS).optional(),
  signedBefore: z.iso.datetime().optional(),
}).superRefine(({ format, afterCheckpoint: _, signedBefore: _signed, ...filter }, refused) => {
  const [name] = Object.keys(filter);
  if (format === 'ndjson' && name !== undefined)
    refused.addIssue({ code: 'custom', path: [name], message: 'Only a CSV export can be filtered.' });
});

export const exportAudit = endpoint({
  name: 'exports-audit',
  method: 'GET',
  path: '/api/exports/audit',
  summary: 'The audit trail as a file, the oldest event first',
  description:
    'NDJSON is the trail with its checkpoints; `npm run audit:verify` verifies it without a database. ' +
    'CSV is for reading and has the filters of the list. Without limits it is the whole trail. It can begin ' +
    'after the checkpoint with the number `afterCheckpoint`, and end with the newest checkpoint that was signed ' +
    'before the time `signedBefore`.',
  access: can('audit.read'),
  transaction: 'read',
  query: Query,
  produces: Object.values(EXPORT_MEDIA_TYPES),
  errors: ['conflict'],
  handle: async (request) => {
    const { format, afterCheckpoint, signedBefore, ...filter } = request.query;
    const segment = await auditSegment(request.tx, { afterCheckpoint, signedBefore });
    const { format: _, ...given } = request.query;
    const exported = {
      kind: 'audit',
      format,
      filters: Object.keys(given),
      details: segmentDetails(segment),
    } as const;
    return startExport(request, exported, (reading) =>
      format === 'csv'
        ? csvText(auditPages(reading, segment, filter), auditTable)
        : auditTrailText(reading, segment),
    );
  },
});
