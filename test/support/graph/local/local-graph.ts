import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type LocalCloud, MAX_CALLS, startLocalCloud } from '../../local-clouds/local-cloud.ts';
import { cloudOf } from '../connect.ts';
import { READER, startGraphFixture, WRITER } from '../fixture-tenant.ts';
import { graphActs } from './user-acts.ts';
import { startWebhookFront } from './webhook-front.ts';

const DELIVER_EVERY_MS = 500;

/**
 * Starts the fixture tenant, a page to act in it, and TLS before the webhooks. From then on this process trusts the
 * certificate of the fake, whose key nobody else has.
 */
export async function startLocalGraph(): Promise<LocalCloud> {
  const fake = await startGraphFixture({ https: true });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
  let service: string | null = null;
  const front = await startWebhookFront(() => service);
  let delivering: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    if (service === null || fake.notifications.waiting === 0 || delivering !== null) return;
    delivering = fake.notifications.deliver().finally(() => {
      delivering = null;
    });
  }, DELIVER_EVERY_MS);
  const local = await startLocalCloud({
    acted: graphActs(fake),
    forgetCalls: () => {
      if (fake.calls.length > MAX_CALLS) fake.clearCalls();
    },
    clouds: { graph: cloudOf(fake) },
    settings: settingsFor(fake.tenant().id, front.origin),
    close: async () => {
      clearInterval(timer);
      await delivering;
      await Promise.all([front.close(), fake.close()]);
    },
  });
  return {
    ...local,
    serve: (at) => {
      service = at.url;
      local.serve(at);
    },
  };
}

const settingsFor = (tenantId: string, webhookOrigin: string): LocalCloud['settings'] => ({
  SVC_CONNECTOR_MODE: 'graph',
  SVC_GRAPH_TENANT_ID: tenantId,
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
  SVC_WEBHOOK_PUBLIC_URL: webhookOrigin,
});
