import { z } from 'zod';
import { storeLabels } from '../../../core/governance/labels.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { connectorFor } from '../../../core/integrations/connector-for.ts';
import { SOURCE_FAMILIES } from '../../../core/kernel/vocabulary.ts';
import { registerScopes } from '../../../core/sources/scopes.sql.ts';

export const connectSource = endpoint({
  name: 'sources-connect',
  method: 'POST',
  path: '/api/sources/connect',
  summary: 'Connect a source and register its scopes',
  description: 'Creates or reuses the connector of the source family.',
  access: can('connector.configure'),
  transaction: 'write',
  body: z.strictObject({ family: z.enum(SOURCE_FAMILIES).default('m365') }),
  response: z.object({
    connectorInstanceId: z.string(),
    scopesRegistered: z.int(),
    mode: z.enum(['mock', 'live']),
  }),
  errors: ['blocked_capability'],
  prepare: async ({ runtime, principal, body }) => {
    const connector = connectorFor(runtime, principal.tenantId, body.family);
    const signal = AbortSignal.timeout(30_000);
    const scopes = await connector.listScopes(signal);
    return { mode: connector.mode, scopes, labels: await connector.listLabels(signal) };
  },
  handle: async ({ tx, body, prepared, audit, now }) => {
    const connected = await registerScopes(tx, body.family, prepared.mode, prepared.scopes, now);
    await storeLabels(tx, prepared.labels, now);
    audit({
      category: 'config',
      type: 'source_connected',
      target: { kind: 'connector_instance', id: connected.connectorInstanceId },
      details: { family: body.family, mode: connected.mode, scopesRegistered: connected.scopesRegistered },
    });
    return connected;
  },
});
