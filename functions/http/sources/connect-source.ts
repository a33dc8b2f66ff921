import { z } from 'zod';
import { ConnectorError } from '../../../core/connectors/connector.ts';
import { storeLabels } from '../../../core/governance/labels.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { unreadableScopeIds } from '../../../core/integrations/configured-sources.ts';
import { connectorFor } from '../../../core/integrations/connector-for.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { SCOPE_REFUSALS, SOURCE_FAMILIES } from '../../../core/kernel/vocabulary.ts';
import { listedScopes } from '../../../core/sources/listed-scopes.ts';
import { deselectOthers, registerScopes } from '../../../core/sources/scopes.sql.ts';

const LIST_WITHIN_MS = 25_000;
const LABELS_WITHIN_MS = 5_000;
/** A source's link to its next page, encoded. */
const MAX_TOKEN = 24_000;
const MAX_NOT_LISTED = 200;

export const connectSource = endpoint({
  name: 'sources-connect',
  method: 'POST',
  path: '/api/sources/connect',
  summary: 'Connect a source and register its scopes',
  description:
    'Creates or reuses the connector of the source family. Lists its scopes for up to 25 seconds. If there are more, ' +
    'those that were listed are registered, and the answer has `nextPageToken`: call again with it as `pageToken` ' +
    'until it is absent. Scopes that the configuration no longer selects are marked so by a call that lists all. ' +
    'Scopes of a site that the source refuses to list (`notListed`) stay as they are.',
  access: can('connector.configure'),
  transaction: 'write',
  body: z.strictObject({
    family: z.enum(SOURCE_FAMILIES).default('m365'),
    pageToken: z.string().min(1).max(MAX_TOKEN).optional(),
  }),
  response: z.object({
    connectorInstanceId: z.string(),
    scopesRegistered: z.int(),
    mode: z.enum(['mock', 'live']),
    scopesDeselected: z
      .int()
      .describe(
        'Scopes that this call marked as no longer selected by the configuration. Their assets stay as they were last seen',
      ),
    notListed: listOf(z.object({ name: z.string(), reason: z.enum(SCOPE_REFUSALS) })).describe(
      'Sites that the source refused to list',
    ),
    /** Absent if all scopes were listed. */
    nextPageToken: z.string().optional(),
  }),
  errors: ['blocked_capability'],
  prepare: async ({ runtime, principal, body }) => {
    const connector = connectorFor(runtime, principal.tenantId, body.family);
    const listed = await listedScopes(connector, body.pageToken ?? null, LIST_WITHIN_MS);
    // Scopes are registered without them. A scan asks again.
    const labels = await connector.listLabels(AbortSignal.timeout(LABELS_WITHIN_MS)).catch((error) => {
      if (!(error instanceof ConnectorError)) throw error;
      runtime.log.warn('label_catalog_failed', { tenantId: principal.tenantId }, error);
      return [];
    });
    return { mode: connector.mode, labels, ...listed };
  },
  handle: async ({ runtime, tx, body, prepared, audit, now }) => {
    const connected = await registerScopes(tx, body.family, prepared.mode, prepared.scopes, now);
    const { scopes, refused } = prepared;
    // A credential that cannot be read deselects nothing.
    const unreadable = unreadableScopeIds(runtime.config, body.family);
    const selected = [...scopes.map(({ externalId }) => externalId), ...(unreadable ?? [])];
    const scopesDeselected =
      prepared.complete && unreadable !== null
        ? await deselectOthers(tx, connected.connectorInstanceId, selected, refused)
        : 0;
    await storeLabels(tx, body.family, prepared.labels, now);
    audit({
      category: 'config',
      type: 'source_connected',
      target: { kind: 'connector_instance', id: connected.connectorInstanceId },
      details: {
        family: body.family,
        mode: connected.mode,
        scopesRegistered: connected.scopesRegistered,
        scopesDeselected,
        sitesNotListed: refused.length,
      },
    });
    const notListed = refused.map(({ name, reason }) => ({ name, reason }));
    return {
      ...connected,
      scopesDeselected,
      notListed: bounded(notListed, MAX_NOT_LISTED),
      ...(prepared.nextPageToken !== null && { nextPageToken: prepared.nextPageToken }),
    };
  },
});
