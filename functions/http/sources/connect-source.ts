import { z } from 'zod';
import { SOURCE_FAMILIES } from '../../../core/connectors/connector.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { connectorFor } from '../../../core/sources/connector-for.ts';
import { registerScopes } from '../../../core/sources/scopes.sql.ts';

export const connectSource = endpoint({
  name: 'sources-connect',
  method: 'POST',
  path: '/api/sources/connect',
  summary: 'Create or reuse the connector of a source family and register its scopes',
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
    const connector = connectorFor(runtime.config, runtime.db, principal.tenantId, body.family);
    return { mode: connector.mode, scopes: await connector.listScopes(AbortSignal.timeout(30_000)) };
  },
  handle: async ({ tx, body, prepared, audit, now }) => {
    const connected = await registerScopes(tx, body.family, prepared.mode, prepared.scopes, now);
    audit({
      category: 'config',
      type: 'source_connected',
      target: { kind: 'connector_instance', id: connected.connectorInstanceId },
      details: { family: body.family, mode: connected.mode, scopesRegistered: connected.scopesRegistered },
    });
    return connected;
  },
});
