import { can, endpoint } from '../../../core/http/endpoint.ts';
import { sourceWarnings } from '../../../core/integrations/source-warnings.ts';
import { listOf } from '../../../core/kernel/list.ts';
import { ConnectorSchema, connectorReport } from '../../../core/operations/connector-report.ts';

export const listConnectors = endpoint({
  name: 'admin-list-connectors',
  method: 'GET',
  path: '/api/admin/connectors',
  summary: 'Source families and their instances, with what is missing',
  description:
    'One item for each source family, or for each instance of a family that has several. The mode is that of the ' +
    'configuration now. Secrets are named by their settings, and never shown.',
  access: can('operations.read'),
  transaction: 'read',
  response: listOf(ConnectorSchema),
  prepare: ({ runtime }) => sourceWarnings(runtime),
  handle: async ({ runtime, tx, prepared: warnings }) => ({
    items: await connectorReport(runtime, tx, warnings),
    truncated: false,
  }),
});
