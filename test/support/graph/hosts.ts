import { setTimeout as sleep } from 'node:timers/promises';
import { loopbackCertificate } from './certificate.ts';
import { type Answer, errorAnswer, GraphError } from './errors.ts';
import { type faultScript, isTransport, raise } from './faults.ts';
import { guidOf } from './ids.ts';
import { type Incoming, type Listener, listen } from './listen.ts';
import type { Family } from './route.ts';
import type { Asked, LoggedCall, Routed } from './router.ts';
import type { Tokens } from './tokens.ts';
import { send } from './transport.ts';

export const VERSION = '/v1.0';

export type HostsWorld = {
  route: (asked: Asked) => Promise<Routed>;
  /** An answer of the host of documents. Throws `GraphError`. */
  document: (family: 'download' | 'monitor', url: URL, headers: Record<string, string>) => Answer;
  tokens: Tokens;
  script: ReturnType<typeof faultScript>;
  clock: () => number;
  log: (call: Omit<LoggedCall, 'at'>) => void;
  latencyMs: () => number;
  https: boolean;
  ports: { graph?: number; documents?: number; authority?: number };
};

export type Hosts = { graph: Listener; documents: Listener; authority: Listener };

/** Graph, the host of documents and the authority, each at an address of its own. */
export async function startHosts(world: HostsWorld): Promise<Hosts> {
  const certificate = loopbackCertificate();
  const forAll = world.https ? certificate : null;

  const graph = await listen(
    async (incoming, response) => {
      const latencyMs = world.latencyMs();
      if (latencyMs > 0) await sleep(latencyMs);
      if (!incoming.url.startsWith(`${VERSION}/`)) {
        response.writeHead(404).end();
        return;
      }
      const target = incoming.url.slice(VERSION.length);
      const { answer, family, transport } = await world.route({ ...incoming, target });
      const bytes = await send(response, answer, transport);
      const { method } = incoming;
      world.log({ family, method, path: target, status: answer.status, bytes, batched: false });
    },
    forAll,
    world.ports.graph,
  );

  /** A host without routes: faults of the script, the answer, the log. */
  const plain = (
    familyOf: (url: URL) => Family,
    answerOf: (incoming: Incoming, url: URL) => Promise<Answer>,
    tls: typeof forAll,
    port: number | undefined,
  ) =>
    listen(
      async (incoming, response) => {
        const url = new URL(incoming.url, 'http://host');
        const family = familyOf(url);
        const struck = world.script.strike(family, incoming.url);
        let answer: Answer;
        try {
          for (const fault of struck) raise(fault, world.clock());
          answer = await answerOf(incoming, url);
        } catch (error) {
          if (!(error instanceof GraphError)) throw error;
          answer = errorAnswer(error, world.clock(), guidOf('request elsewhere'));
        }
        const bytes = await send(response, answer, struck.filter(isTransport));
        const { method, url: path } = incoming;
        world.log({ family, method, path, status: answer.status, bytes, batched: false });
      },
      tls,
      port,
    );

  const documentFamily = ({ pathname }: URL) =>
    pathname.includes('/_api/v2.0/monitor/') ? ('monitor' as const) : ('download' as const);
  const documents = await plain(
    documentFamily,
    async ({ headers }, url) => world.document(documentFamily(url), url, headers),
    forAll,
    world.ports.documents,
  );

  const authority: Listener = await plain(
    () => 'token',
    async (incoming, url) => {
      const [, tenantId = '', ...rest] = url.pathname.split('/');
      const issuer = `${authority.origin}/${tenantId}`;
      if (url.pathname === '/msi/token')
        return world.tokens.managedIdentity(url.searchParams, incoming.headers);
      if (rest.join('/') === 'v2.0/.well-known/openid-configuration')
        return { status: 200, body: discovery(issuer) };
      if (rest.join('/') !== 'oauth2/v2.0/token' || incoming.method !== 'POST') {
        return { status: 404, body: { error: 'not_found' } };
      }
      return world.tokens.exchange(
        tenantId,
        new URLSearchParams(incoming.body),
        `${issuer}/oauth2/v2.0/token`,
      );
    },
    // Its clients refuse an authority without TLS.
    certificate,
    world.ports.authority,
  );
  return { graph, documents, authority };
}

/** What clients of the authority read before they ask for a token. */
const discovery = (issuer: string) => ({
  issuer: `${issuer}/v2.0`,
  authorization_endpoint: `${issuer}/oauth2/v2.0/authorize`,
  token_endpoint: `${issuer}/oauth2/v2.0/token`,
  jwks_uri: `${issuer}/discovery/v2.0/keys`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
  response_types_supported: ['code'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
});
