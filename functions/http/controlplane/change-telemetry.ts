import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { optOut, TelemetryStatusSchema, telemetryStatus } from '../../../core/support/status.ts';

export const changeTelemetry = endpoint({
  name: 'controlplane-change-telemetry',
  method: 'PATCH',
  path: '/api/controlplane/telemetry',
  summary: 'Opt out of telemetry, or in again',
  description:
    'After an opt-out nothing is sent, whatever the terms of the license ask for. The pseudonym is replaced, so that ' +
    'later telemetry cannot be joined with earlier.',
  access: can('telemetry.manage'),
  transaction: 'write',
  body: z.strictObject({ optedOut: z.boolean() }),
  response: TelemetryStatusSchema,
  handle: async ({ runtime, tx, body, now, audit }) => {
    await optOut(tx, body.optedOut, now, audit);
    return telemetryStatus(tx, runtime.config, now);
  },
});
