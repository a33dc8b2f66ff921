import type { Config } from '../config/config.ts';
import type { CallPriority } from '../connectors/cloud-http/call-gate.ts';
import type { TokenSource } from '../connectors/cloud-http/token-source.ts';
import { ConnectorError } from '../connectors/connector.ts';
import type { EntraIdentity } from '../connectors/entra-tokens.ts';
import { createGraphClient, type GraphClient } from '../connectors/m365/graph-client.ts';
import { GRAPH_CLOUDS, type GraphCloud } from '../connectors/m365/graph-cloud.ts';
import { rolesIn } from '../connectors/m365/token-roles.ts';
import { createTokenSource } from '../connectors/m365/token-source.ts';
import { selectedMailboxes } from '../connectors/mail/mailboxes.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { CallPace } from './call-pace.ts';
import { sharedPause } from './call-pause.sql.ts';
import { countedAs } from './count-calls.ts';

type GraphProbes = {
  acquireToken(signal: AbortSignal): Promise<void>;
  roles(signal: AbortSignal): Promise<readonly string[] | null>;
  client: GraphClient;
};

export type GraphAccessParts = { config: Config; db: Db; clock: Clock; metrics: Metrics; log: Logger };

/**
 * The ways of this process to Microsoft Graph: one pace of calls, which both identities share because the source
 * counts by tenant, and one token of each identity. Null where the credential of an identity is not configured.
 */
export type GraphAccess = {
  readonly cloud: GraphCloud;
  reads(priority: CallPriority): GraphClient | null;
  /** The application permissions of the reading identity. Null if its token does not say, or without a credential. */
  roles(signal: AbortSignal): Promise<readonly string[] | null>;
  /**
   * For one test of the connection, with a token of its own: what was granted or taken away since the last token counts.
   * Null as `reads`.
   */
  probes(): GraphProbes | null;
  /** As the remediation identity, which alone may write labels. */
  writesLabels(priority: CallPriority): GraphClient | null;
};

/** @param cloud another than the configured one: that of a fake */
export function createGraphAccess(
  { config, db, clock, metrics, log }: GraphAccessParts,
  cloud: GraphCloud = GRAPH_CLOUDS[config.SVC_GRAPH_CLOUD],
): GraphAccess {
  const counts = countedAs(metrics, 'graph');
  const pause = sharedPause(db, `m365:${config.SVC_GRAPH_TENANT_ID ?? 'none'}`);
  const gate = new CallPace(pause, (error) => log.warn('call_pause_failed', {}, error));
  /** The credential is found again for each token, so that another one takes effect without a restart. */
  const tokensOf = (identityOf: (config: Config) => EntraIdentity | null): (() => TokenSource | null) => {
    const tokens = createTokenSource(
      cloud,
      () => {
        const identity = identityOf(config);
        if (identity === null) throw new ConnectorError('auth', 'graph_token_refused');
        return identity;
      },
      counts.count,
    );
    return () => (identityOf(config) === null ? null : tokens);
  };
  const mailboxes = selectedMailboxes(config.SVC_MAIL_MAILBOXES);
  const readerTokens = tokensOf(readerOf);
  const writerTokens = tokensOf(labelWriterOf);
  const client = (tokens: TokenSource | null, writesLabels: boolean, priority: CallPriority) =>
    tokens === null
      ? null
      : createGraphClient({
          cloud,
          tokens,
          gate,
          priority,
          clock,
          writesLabels,
          mailboxes: writesLabels ? [] : mailboxes,
          ...counts,
        });
  const rolesOf = async (tokens: TokenSource | null, signal: AbortSignal) =>
    tokens === null ? null : rolesIn(await tokens.token(signal));

  return {
    cloud,
    reads: (priority) => client(readerTokens(), false, priority),
    roles: (signal) => rolesOf(readerTokens(), signal),
    probes: () => {
      const tokens = tokensOf(readerOf)();
      const made = client(tokens, false, 'interactive');
      if (tokens === null || made === null) return null;
      return {
        acquireToken: async (signal) => void (await tokens.token(signal)),
        roles: (signal) => rolesOf(tokens, signal),
        client: made,
      };
    },
    writesLabels: (priority) => client(writerTokens(), true, priority),
  };
}

function readerOf(config: Config): EntraIdentity | null {
  const { SVC_GRAPH_TENANT_ID: tenantId, SVC_GRAPH_CLIENT_ID: clientId } = config;
  if (tenantId === undefined || clientId === undefined) return null;
  if (config.SVC_GRAPH_MANAGED_IDENTITY) return { kind: 'managed_identity', clientId };
  const pem = config.secret('SVC_GRAPH_CERTIFICATE_REF');
  if (pem !== null) return { kind: 'certificate', tenantId, clientId, pem };
  const secret = config.secret('SVC_GRAPH_CLIENT_SECRET_REF');
  return secret === null ? null : { kind: 'secret', tenantId, clientId, secret };
}

function labelWriterOf(config: Config): EntraIdentity | null {
  const { SVC_GRAPH_TENANT_ID: tenantId, SVC_LABEL_WRITE_CLIENT_ID: clientId } = config;
  const secret = config.secret('SVC_LABEL_WRITE_CLIENT_SECRET_REF');
  if (tenantId === undefined || clientId === undefined || secret === null) return null;
  return { kind: 'secret', tenantId, clientId, secret };
}
