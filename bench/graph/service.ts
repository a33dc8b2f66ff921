import { loadConfig } from '../../core/config/config.ts';
import { connectorFactories } from '../../core/connectors/index.ts';
import { createGraphAccess } from '../../core/integrations/graph-access.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { taskOfParent } from '../support/child.ts';
import { scanParts, serveScans } from '../support/scan-service.ts';
import type { FakeReady } from './fake-process.ts';

export type ServiceTask = { databaseUrl: string; tenantId: TenantId; fake: FakeReady };

const { databaseUrl, tenantId, fake } = await taskOfParent<ServiceTask>();
const config = loadConfig({
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_DATABASE_URL: databaseUrl,
  SVC_GRAPH_TENANT_ID: fake.tenantId,
  SVC_GRAPH_CLIENT_ID: fake.clientId,
  SVC_GRAPH_CLIENT_SECRET_REF: 'SECRET',
  SECRET: fake.secret,
});
const parts = scanParts(config, databaseUrl);
const { graphOrigin, authorityOrigin, documentOrigin } = fake;
const cloud = { graphOrigin, authorityOrigin, contentDomains: [], contentOrigins: [documentOrigin] };
const client = createGraphAccess(parts, cloud).reads('background');
if (client === null) throw new Error('The client of Graph is not configured');
const connector = connectorFactories.m365.live({
  ...{ client, cloud, clock: parts.clock, selected: { family: 'm365', sites: 'all' }, readsLabels: true },
  tenantId: fake.tenantId,
});
await serveScans(parts, tenantId, connector);
