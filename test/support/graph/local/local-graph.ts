import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { GraphCloud } from '../../../../core/connectors/m365/graph-cloud.ts';
import type { TenantId } from '../../../../core/kernel/ids.ts';
import { cloudOf } from '../connect.ts';
import { READER, startGraphFixture, WRITER } from '../fixture-tenant.ts';
import { startActsPage } from './acts-page.ts';
import { serviceViews } from './service-view.ts';
import { startWebhookFront } from './webhook-front.ts';

/** A fake of Microsoft 365 for `npm start -- --graph-fake`. */
export type LocalGraph = {
  cloud: GraphCloud;
  /** The settings with which the service reads the fake. */
  settings: Record<string, string>;
  /** Where a person acts as the users of the fake. */
  actsUrl: string;
  /** Tells where the service serves and keeps its data, so that notifications reach it and the page shows what it knows. */
  serve(service: { url: string; databaseUrl: string; tenantId: TenantId }): void;
  close(): Promise<void>;
};

const DELIVER_EVERY_MS = 500;
/** The fake keeps each call for tests. */
const MAX_CALLS = 10_000;

/**
 * Starts the fixture tenant, a page to act in it, and TLS before the webhooks. From then on this process trusts the
 * certificate of the fake, whose key nobody else has.
 */
export async function startLocalGraph(): Promise<LocalGraph> {
  const fake = await startGraphFixture({ https: true });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
  let service: string | null = null;
  let views: ReturnType<typeof serviceViews> | null = null;
  const front = await startWebhookFront(() => service);
  const page = await startActsPage(fake, async () => views?.read() ?? new Map());
  let delivering: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    if (fake.calls.length > MAX_CALLS) fake.clearCalls();
    if (service === null || fake.notifications.waiting === 0 || delivering !== null) return;
    delivering = fake.notifications.deliver().finally(() => {
      delivering = null;
    });
  }, DELIVER_EVERY_MS);
  return {
    cloud: cloudOf(fake),
    actsUrl: page.origin,
    settings: {
      SVC_CONNECTOR_MODE: 'graph',
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: READER.clientId,
      SVC_GRAPH_CLIENT_SECRET_REF: 'LOCAL_GRAPH_SECRET',
      LOCAL_GRAPH_SECRET: READER.secret,
      SVC_GRAPH_SITES: 'all',
      SVC_DRIVE_ENABLED: 'true',
      SVC_DRIVE_IDS: 'greta.hoffmann@nordwind.example',
      SVC_LABEL_READ_ENABLED: 'true',
      SVC_LABEL_WRITE_ENABLED: 'true',
      SVC_LABEL_WRITE_CLIENT_ID: WRITER.clientId,
      SVC_LABEL_WRITE_CLIENT_SECRET_REF: 'LOCAL_GRAPH_WRITER_SECRET',
      LOCAL_GRAPH_WRITER_SECRET: WRITER.secret,
      SVC_CHANGE_NOTIFICATIONS_ENABLED: 'true',
      SVC_WEBHOOK_PUBLIC_URL: front.origin,
    },
    serve: ({ url, databaseUrl, tenantId }) => {
      service = url;
      views = serviceViews(databaseUrl, tenantId);
    },
    close: async () => {
      clearInterval(timer);
      await delivering;
      await Promise.all([page.close(), front.close(), fake.close()]);
      await views?.close();
    },
  };
}
