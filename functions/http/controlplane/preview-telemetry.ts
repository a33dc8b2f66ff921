import { withEngineTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { telemetryFacts } from '../../../core/support/facts.ts';
import { TelemetryPayloadSchema, telemetryPayload } from '../../../core/support/payload.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';
import { listScanners } from '../../../core/work/scanners.sql.ts';

export const previewTelemetry = endpoint({
  name: 'controlplane-preview-telemetry',
  method: 'GET',
  path: '/api/controlplane/telemetry-preview',
  summary: 'The telemetry that would be sent now, byte for byte',
  description:
    'The body of this answer is what a sender would send, whether anything is sent or not. ' +
    '`GET /api/controlplane/telemetry` says whether it is.',
  access: can('telemetry.read'),
  transaction: 'read',
  response: TelemetryPayloadSchema,
  prepare: ({ runtime }) => withEngineTx(runtime.db, (tx) => listScanners(tx, momentOf(runtime.clock))),
  handle: async ({ runtime, tx, prepared, now }) =>
    telemetryPayload(await telemetryFacts(tx, runtime.config, prepared, now), now),
});
