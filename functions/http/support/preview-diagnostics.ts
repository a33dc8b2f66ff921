import { can, endpoint } from '../../../core/http/endpoint.ts';
import { DiagnosticsSchema, diagnostics, readSurroundings } from '../../../core/support/diagnostics.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';

export const previewDiagnostics = endpoint({
  name: 'support-preview-diagnostics',
  method: 'GET',
  path: '/api/support/diagnostics/preview',
  summary: 'The diagnostic bundle that people may give to the vendor',
  description:
    'Versions, readiness, counters, log lines and slowest statements, without names, paths, content or tokens. ' +
    'Nothing is sent.',
  access: can('support.diagnostics.read'),
  transaction: 'read',
  response: DiagnosticsSchema,
  prepare: ({ runtime }) => readSurroundings(runtime, momentOf(runtime.clock)),
  handle: ({ runtime, tx, prepared, now, audit }) => {
    audit({ category: 'config', type: 'diagnostics_previewed' });
    return diagnostics(tx, runtime, prepared, now);
  },
});
