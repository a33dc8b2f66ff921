import { z } from 'zod';

import { canBeScanned, PROBE_REASONS, PROBE_STATES, PROBED, wordOf } from '../../../core/connectors/probe.ts';
import { WRITING_RIGHTS } from '../../../core/connectors/sql/engine.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { probeSource } from '../../../core/integrations/probe-source.ts';
import { SOURCE_FAMILIES } from '../../../core/kernel/vocabulary.ts';
import { webhookUrls } from '../../../core/notifications/webhook-urls.ts';

/** A person waits for the answer. */
const WITHIN_MS = 20_000;

export const testConnector = endpoint({
  name: 'admin-test-connector',
  method: 'POST',
  path: '/api/admin/connector/test',
  summary: 'Test the connection to a source',
  description:
    'Acquires a new token and makes one call of each kind that a scan makes, within 20 seconds. `ok` says whether the ' +
    'source can be scanned: token, sites and drive. The answer is 200 also if it cannot. Notifications are tested by a ' +
    'subscription that is deleted at once. `reach` is a warning if the application may read mailboxes that are not ' +
    'selected. Of chat channels, `sites` are teams, `drive` is the messages of one channel, `sharing` its members, and ' +
    '`files` the folder of its files.',
  access: can('connector.test'),
  transaction: 'write',
  body: z.strictObject({ family: z.enum(SOURCE_FAMILIES).default('m365') }),
  response: z.object({
    ok: z.boolean(),
    family: z.enum(SOURCE_FAMILIES),
    mode: z.enum(['mock', 'live']).nullable().describe('Null if the source is not configured'),
    capabilities: z.array(
      z.object({
        capability: z.enum(PROBED),
        state: z.enum(PROBE_STATES),
        reason: z.enum(PROBE_REASONS).nullable(),
        missing: z.array(z.string()).describe('Permissions as the vendor names them, or settings'),
        position: z
          .int()
          .nullable()
          .describe(
            'The place in SVC_GRAPH_SITES, SVC_CHAT_TEAMS or SVC_MAIL_MAILBOXES of the first entry that was refused, or of the instance in the order of its family, from 1',
          ),
        right: z
          .enum(WRITING_RIGHTS)
          .nullable()
          .describe(
            'Of `login_can_write`: the first kind of object on which the login has a right beyond reading',
          ),
      }),
    ),
  }),
  prepare: ({ runtime, principal, body }) =>
    probeSource(
      runtime,
      principal.tenantId,
      body.family,
      webhookUrls(runtime.config),
      AbortSignal.any([runtime.stopping, AbortSignal.timeout(WITHIN_MS)]),
    ),
  handle: ({ body: { family }, prepared: { mode, probe }, audit }) => {
    const ok = canBeScanned(probe);
    audit({
      category: 'config',
      type: 'connector_probe',
      target: { kind: 'source_family', id: family },
      details: {
        ok,
        mode,
        ...Object.fromEntries(PROBED.map((capability) => [capability, wordOf(probe[capability])])),
      },
    });
    const capabilities = PROBED.map((capability) => ({
      capability,
      reason: null,
      missing: [],
      position: null,
      right: null,
      ...probe[capability],
    }));
    return { ok, family, mode, capabilities };
  },
});
