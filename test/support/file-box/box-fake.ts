import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BoxCloud } from '../../../core/connectors/file-box/box-calls.ts';
import { type BoxAnswer, boxRoutes, failed } from './box-routes.ts';
import { type BoxAuthority, createAuthority } from './box-tokens.ts';
import { BoxWorld } from './box-world.ts';

export type Heard = { method: string; path: string; query: URLSearchParams; token: string | null };

/**
 * An enterprise of Box that answers as the vendor describes, and stricter: it only reads, notes what it was asked that Box
 * does not know, and shows an account what it sees and 404 for all else. A file that was just written is not ready at first.
 */
export type BoxFake = {
  cloud: BoxCloud;
  world: BoxWorld;
  authority: BoxAuthority;
  /** What the application may do. */
  scopes: Set<string>;
  requests: Heard[];
  /** Bearers at the host of contents, writes, and what Box does not know. */
  offences: string[];
  /** Answers, by the name of their type. */
  outputs: { type: string; body: unknown }[];
  /** Answers in place of Box, if it answers. */
  instead: ((heard: Heard) => BoxAnswer | null) | null;
  /** What is sent in place of the body of an answer. */
  damage: (body: unknown) => unknown;
  /** Markers that were given before are refused from now on. */
  expireMarkers(): void;
  markersSince: number;
  stop(): Promise<void>;
};

const open = async (
  answer: (request: IncomingMessage) => Promise<BoxAnswer>,
  port = 0,
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const server = createServer((request, response) => {
    answer(request).then(
      (answered) => send(response, answered),
      () => send(response, failed(500, 'internal_server_error')),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

function send(response: ServerResponse, { status, body, headers = {} }: BoxAnswer): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : json(body));
  response.writeHead(status, {
    ...(Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' }),
    'content-length': String(bytes.length),
    ...headers,
  });
  response.end(bytes);
}

/** Box writes positions as numbers, whatever their length. */
const json = (body: unknown): string =>
  JSON.stringify(body).replace(/"next_stream_position":"(\d+)"/, '"next_stream_position":$1');

export async function startBoxFake(port = 0): Promise<BoxFake> {
  const world = new BoxWorld();
  const authority = createAuthority(world);
  const contents = new Map<string, Buffer>();
  const fake: BoxFake = {
    cloud: { apiOrigin: '', contentDomains: [], contentOrigins: [] },
    world,
    authority,
    scopes: new Set(['root_readonly', 'manage_managed_users', 'manage_enterprise_properties']),
    requests: [],
    offences: [],
    outputs: [],
    instead: null,
    damage: (body) => body,
    markersSince: 0,
    expireMarkers: () => {
      fake.markersSince = Date.now() + 1;
    },
    stop: async () => {
      await Promise.all([api.stop(), downloads.stop()]);
    },
  };
  const downloads = await open(async ({ method, url = '', headers }) => {
    if (headers.authorization !== undefined) fake.offences.push('a bearer at the host of contents');
    if (method !== 'GET') fake.offences.push(`${method} at the host of contents`);
    const bytes = contents.get(url);
    // An address is short-lived: here it works once.
    contents.delete(url);
    return bytes === undefined ? failed(404, 'not_found') : { status: 200, body: bytes };
  });
  const addressOf = (bytes: Buffer): string => {
    const at = `/d/1/${world.nextId()}/download`;
    contents.set(at, bytes);
    return `${downloads.url}${at}`;
  };
  const api = await open(async (request) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://service.test');
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
    const heard: Heard = { method: request.method ?? '', path: decodeURIComponent(pathname), query, token };
    fake.requests.push(heard);
    const instead = fake.instead?.(heard) ?? null;
    if (instead !== null) return instead;
    if (heard.path === '/oauth2/token' && heard.method === 'POST') {
      const form = new URLSearchParams(await text(request));
      return authority.grant(form, fake.cloud.apiOrigin);
    }
    if (heard.method !== 'GET') {
      fake.offences.push(`${heard.method} ${heard.path}`);
      return failed(405, 'method_not_allowed');
    }
    const answer = boxRoutes(fake, heard, addressOf);
    return answer.status === 200 && 'body' in answer ? { ...answer, body: fake.damage(answer.body) } : answer;
  }, port);
  fake.cloud = { apiOrigin: api.url, contentDomains: [], contentOrigins: [downloads.url] };
  return fake;
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
