import type { Clock } from '../../../core/kernel/clock.ts';
import { batchRoute } from './batch.ts';
import { loopbackCertificate } from './certificate.ts';
import { type ChannelActs, channelActs } from './chat-acts.ts';
import { CHAT_ROUTES } from './chat-routes.ts';
import type { Channel, Team } from './chat-state.ts';
import { DIRECTORY_ROUTES } from './directory-routes.ts';
import { downloads } from './downloads.ts';
import { type Acts, actsOf, type DriveWorld } from './drive-acts.ts';
import { GraphError } from './errors.ts';
import { type FaultSpec, faultScript } from './faults.ts';
import { type Hosts, startHosts, VERSION } from './hosts.ts';
import { ITEM_ROUTES } from './item-routes.ts';
import { answerMonitor, labelRoutes } from './label-routes.ts';
import { type MailboxActs, mailboxActs } from './mail-acts.ts';
import { MAIL_ROUTES } from './mail-routes.ts';
import { notifications } from './notifications.ts';
import type { Family, Route } from './route.ts';
import { createRouter, type LoggedCall } from './router.ts';
import { SITE_ROUTES } from './site-routes.ts';
import type { App, Drive, Tenant } from './state.ts';
import { SUBSCRIPTION_ROUTES } from './subscription-routes.ts';
import { createTenant, type TenantSpec } from './tenant.ts';
import { type Throttling, throttle } from './throttle.ts';
import { tokenIssuer } from './tokens.ts';

export type GraphFakeOptions = {
  tenants: readonly TenantSpec[];
  clock?: Clock;
  /** How long tokens are valid; default one hour. */
  tokenSeconds?: number;
  /** TLS for Graph and documents too. The authority always speaks it. */
  https?: boolean;
  /** Each answer of Graph comes this late. */
  latencyMs?: number;
  /** Whether answers are held against the schemas; default true. Loads turn it off. */
  validates?: boolean;
  ports?: { graph?: number; documents?: number; authority?: number };
};

/** A document library: its id, its state, and what its users do. */
export type FakeLibrary = Acts & { id: string; drive: Drive };

/** A channel: its identity, its state, and what people do in it. */
export type FakeChannel = ChannelActs & { team: Team; channel: Channel; externalId: string };

export type GraphFake = Awaited<ReturnType<typeof startGraphFake>>;

/**
 * Stands in for Microsoft Graph, its token endpoint and the host of documents, each at an address of its own on
 * loopback. Its state is in memory. Time is the clock's.
 */
export async function startGraphFake(options: GraphFakeOptions) {
  const { clock = Date.now, https = false, validates = true, ports = {} } = options;
  const tenants = new Map(
    options.tenants.map((spec) => {
      const tenant = createTenant(spec, clock());
      return [tenant.id, tenant];
    }),
  );
  const state = { latencyMs: options.latencyMs ?? 0, failingLabels: 0 };
  const calls: LoggedCall[] = [];
  const violations: string[] = [];
  const script = faultScript();
  const rate = throttle(clock);
  const notes = notifications(clock);
  const log = (call: Omit<LoggedCall, 'at'>) => calls.push({ ...call, at: clock() });

  const documentsOf = downloads(() => hosts.documents.origin, clock);
  const tokens = tokenIssuer(tenants, clock, {
    seconds: options.tokenSeconds ?? 3600,
    graphOrigin: () => hosts.graph.origin,
  });
  const driveWorld = (tenant: Tenant, drive: Drive): DriveWorld => ({
    ...{ tenant, drive, clock },
    changed: (changed, sharing) => notes.changed(tenant, changed, sharing),
  });
  const labelWorld = {
    driveWorld,
    failsNextLabel: () => state.failingLabels > 0 && state.failingLabels-- > 0,
  };
  const routes: readonly Route[] = [
    ...[...SITE_ROUTES, ...ITEM_ROUTES, ...DIRECTORY_ROUTES, ...SUBSCRIPTION_ROUTES],
    ...[...CHAT_ROUTES, ...MAIL_ROUTES],
    ...[...labelRoutes(labelWorld), batchRoute((asked) => route(asked), log)],
  ];
  const route = createRouter({
    ...{ routes, tokens, script, throttle: rate, clock, validates, downloads: documentsOf },
    base: () => `${hosts.graph.origin}${VERSION}`,
    documentHost: () => hosts.documents.origin,
    violation: (text) => violations.push(text),
  });
  const hosts: Hosts = await startHosts({
    ...{ route, tokens, script, clock, log, https, ports },
    latencyMs: () => state.latencyMs,
    document: (family, { pathname, searchParams }, headers) => {
      // The bearer is for Graph: a client that sends it elsewhere gives it away.
      if (headers.authorization !== undefined) {
        violations.push(`request ${family}: it carries a bearer`);
        throw new GraphError(401, 'unauthenticated', 'This URL takes no bearer.');
      }
      return family === 'download'
        ? documentsOf.answer(searchParams, headers)
        : answerMonitor(tenants.values(), labelWorld, pathname, searchParams);
    },
  });

  const tenantOf = (name?: string): Tenant => {
    const start = name === undefined ? '' : `${name.toLowerCase()}.`;
    const found = [...tenants.values()].find(({ hostName }) => hostName.startsWith(start));
    if (found === undefined) throw new Error(`There is no tenant ${name}.`);
    return found;
  };
  const appOf = (clientId: string, tenantName?: string): App => {
    const app = tenantOf(tenantName).apps.get(clientId);
    if (app === undefined) throw new Error(`There is no application ${clientId}.`);
    return app;
  };

  return {
    ...{ graphOrigin: hosts.graph.origin, documentOrigin: hosts.documents.origin },
    authorityOrigin: hosts.authority.origin,
    /** PEM, for who calls the authority. */
    ca: loopbackCertificate().cert,
    /** Every call that was answered, the oldest first. */
    calls: calls as readonly LoggedCall[],
    callsOf: (family: Family): LoggedCall[] => calls.filter((call) => call.family === family),
    clearCalls: (): void => {
      calls.length = 0;
    },
    /** Requests and answers that the schemas refuse: empty, or somebody is wrong. */
    violations: violations as readonly string[],
    /** Milliseconds, by the clock of the fake. */
    now: (): number => clock(),
    tenant: tenantOf,
    /** A library by the names of its site and itself. */
    library: (site: string, name = 'Documents', tenantName?: string): FakeLibrary => {
      const tenant = tenantOf(tenantName);
      const drive = tenant.sites
        .find((each) => each.name === site)
        ?.drives.find((each) => each.name === name);
      if (drive === undefined) throw new Error(`There is no library ${site} / ${name}.`);
      return { ...actsOf(driveWorld(tenant, drive)), id: drive.id, drive };
    },
    /** A channel by the names of its team and itself. */
    channel: (teamName: string, name: string, tenantName?: string): FakeChannel => {
      const tenant = tenantOf(tenantName);
      const team = [...tenant.teams.values()].find((each) => each.name === teamName);
      const channel = team?.channels.find((each) => each.name === name);
      if (team === undefined || channel === undefined)
        throw new Error(`There is no channel ${teamName} / ${name}.`);
      return {
        ...channelActs(tenant, channel, clock),
        team,
        channel,
        externalId: `${team.id}/${channel.id}`,
      };
    },
    mailbox: (address: string, tenantName?: string): MailboxActs => {
      const tenant = tenantOf(tenantName);
      const mailbox = tenant.mailboxes.get(address.toLowerCase());
      if (mailbox === undefined) throw new Error('There is no such mailbox.');
      return mailboxActs(mailbox, tenant.quirks, clock);
    },
    fail: (spec: FaultSpec): void => script.add(spec),
    noMoreFaults: (): void => script.clear(),
    throttle: (rule: Throttling | null): void => rate.set(rule),
    setLatency: (ms: number): void => {
      state.latencyMs = ms;
    },
    /** The next assignments of labels are accepted, and end as failed. */
    failLabels: (times: number): void => {
      state.failingLabels = times;
    },
    app: appOf,
    /** A bearer without the token endpoint, for tests that are not about it. It holds the permissions of now. */
    token: (clientId: string, tenantName?: string): string =>
      tokens.issue(tenantOf(tenantName), appOf(clientId, tenantName)),
    revokeTokens: tokens.revokeAll,
    setTokenSeconds: (seconds: number): void => {
      tokens.lifetime.seconds = seconds;
    },
    notifications: notes,
    close: async (): Promise<void> => {
      await Promise.all(Object.values(hosts).map((listener) => listener.close()));
    },
  };
}
