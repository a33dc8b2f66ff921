import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { Config } from '../config/config.ts';
import { ADAPTER_TOOL_HEADER } from '../http/adapter-call.ts';
import { callEndpoint } from '../http/call-endpoint.ts';
import { CSRF_HEADER } from '../http/csrf.ts';
import type { ReadHeader } from '../http/declaration.ts';
import { ServiceError } from '../kernel/errors.ts';
import { createMcpServer } from './mcp-server.ts';
import type { Service } from './service.ts';

/** A message of a client, as its request brought it. */
export type McpRequest = {
  config: Config;
  /** Host and port that the client called. */
  host: string;
  header: (name: ReadHeader) => string | null;
  /** One JSON-RPC message. */
  body: unknown;
  correlationId: string;
  /** A tool failed by a fault of the adapter. The answer says no more than that. */
  onFault: (error: unknown) => void;
};

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];
/** What the protocol says in headers. */
const PROTOCOL_HEADERS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const;
/** What says who calls. Each call of a tool passes it on, so that the service looks again who that is. */
const CALLER_HEADERS = ['cookie', 'authorization', CSRF_HEADER] as const;

/**
 * Answers one message over streamable HTTP, statelessly: nothing is kept between two of them. Throws `not_permitted` for
 * a host or an origin that is not of this deployment, as a page has that rebinds its name to this address.
 */
export async function answerMcp(
  asked: McpRequest,
): Promise<{ status: number; contentType: string; body: string }> {
  refuseForeign(asked);
  let failure: Error | undefined;
  const handler = createMcpHandler(() => createMcpServer(inProcess(asked), asked.onFault), {
    // Nothing changes that could be reported, and a stream would hold the invocation.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => {
      failure = error;
    },
  });
  const request = new Request('http://localhost/api/mcp', {
    method: 'POST',
    headers: { ...given(asked, PROTOCOL_HEADERS), accept: acceptedBy(asked) },
  });
  const response = await handler.fetch(request, { parsedBody: asked.body });
  const body = await response.text();
  if (response.status >= 500) throw failure ?? new Error('The protocol library failed');
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'application/json',
    body,
  };
}

/** The protocol wants its two media types by name, and a client that accepts any accepts them. */
const acceptedBy = ({ header }: McpRequest): string => {
  const accept = header('accept') ?? '*/*';
  return accept.includes('*/*') ? 'application/json, text/event-stream' : accept;
};

const given = ({ header }: McpRequest, names: readonly ReadHeader[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = header(name);
      return value === null ? [] : [[name, value]];
    }),
  );

function refuseForeign({ config, host, header }: McpRequest): void {
  const { SVC_ENV: env, SVC_IDP_REDIRECT_URI: redirect, SVC_MCP_HOSTS: further } = config;
  const hosts = [
    ...(env === 'development' ? THIS_MACHINE : []),
    ...(redirect === undefined ? [] : [new URL(redirect).hostname]),
    ...further,
  ];
  if (!validateHostHeader(host, hosts).ok) {
    throw new ServiceError(
      'not_permitted',
      'The adapter is not called by this host name: see SVC_MCP_HOSTS.',
    );
  }
  if (!validateOriginHeader(header('origin'), hosts).ok) {
    throw new ServiceError('not_permitted', 'The adapter is not called from this origin: see SVC_MCP_HOSTS.');
  }
}

/** The endpoints of this process, called as the caller of the message. */
const inProcess =
  (asked: McpRequest): Service =>
  (tool, call) =>
    callEndpoint(call, {
      ...given(asked, CALLER_HEADERS),
      'x-svc-correlation': asked.correlationId,
      [ADAPTER_TOOL_HEADER]: tool,
    });
