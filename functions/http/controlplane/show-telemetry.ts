import { can, endpoint } from '../../../core/http/endpoint.ts';
import { TelemetryStatusSchema, telemetryStatus } from '../../../core/support/status.ts';

export const showTelemetry = endpoint({
  name: 'controlplane-show-telemetry',
  method: 'GET',
  path: '/api/controlplane/telemetry',
  summary: 'Whether telemetry is sent, and what was sent',
  description:
    'It is sent only if the terms of the license ask for it, SVC_TELEMETRY_URL is set, and nobody opted out. The ' +
    'newest 100 payloads are listed; they are kept for SVC_RETENTION_TELEMETRY_DAYS.',
  access: can('telemetry.read'),
  transaction: 'read',
  response: TelemetryStatusSchema,
  handle: ({ runtime, tx, now }) => telemetryStatus(tx, runtime.config, now),
});
