import type { CallGate } from '../../../core/connectors/cloud-http/call-gate.ts';
import { createGraphClient, type GraphClient } from '../../../core/connectors/m365/graph-client.ts';
import type { GraphCloud } from '../../../core/connectors/m365/graph-cloud.ts';
import { createGraphConnector, type SuiteSelection } from '../../../core/connectors/m365/graph-connector.ts';
import type { SiteSelection } from '../../../core/connectors/m365/sites.ts';
import type { GraphFake } from './graph-fake.ts';

type Fake = Pick<
  GraphFake,
  'graphOrigin' | 'documentOrigin' | 'authorityOrigin' | 'token' | 'tenant' | 'now'
>;

/** The cloud of a fake. */
export const cloudOf = ({ graphOrigin, documentOrigin, authorityOrigin }: Fake): GraphCloud => ({
  graphOrigin,
  authorityOrigin,
  contentDomains: [],
  contentOrigins: [documentOrigin],
});

/** For tests that are not about the pace. */
export const WITHOUT_BOUND: CallGate = { enter: async () => ({ leave: () => undefined }) };

/** A client of a fake, with the token of an application. It does not wait between two tries. */
export const clientOf = (
  fake: Fake,
  clientId: string,
  { writesLabels = false, gate = WITHOUT_BOUND } = {},
): GraphClient =>
  createGraphClient({
    cloud: cloudOf(fake),
    tokens: { token: async () => fake.token(clientId) },
    gate,
    priority: 'background',
    clock: fake.now,
    writesLabels,
    count: () => undefined,
    wait: async () => undefined,
  });

export const connectorOf = (
  fake: Fake,
  clientId: string,
  {
    sites = 'all',
    selected = { family: 'm365', sites },
    gate = WITHOUT_BOUND,
  }: { sites?: SiteSelection; selected?: SuiteSelection; gate?: CallGate } = {},
) =>
  createGraphConnector({
    client: clientOf(fake, clientId, { gate }),
    cloud: cloudOf(fake),
    selected,
    tenantId: fake.tenant().id,
    readsLabels: true,
    clock: fake.now,
  });
