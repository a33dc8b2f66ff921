import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallEnd, CallGate } from '../../core/connectors/cloud-http/call-gate.ts';
import {
  createGraphClient,
  type GraphClient,
  type GraphClientParts,
} from '../../core/connectors/m365/graph-client.ts';
import type { GraphCloud } from '../../core/connectors/m365/graph-cloud.ts';

export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string or bytes. */
  body?: unknown;
};
export type Answers = (
  asked: Asked,
  response: ServerResponse,
) => Answer | undefined | Promise<Answer | undefined>;

/** An HTTP server on loopback that notes what it is asked. `answers` returns nothing if it answers itself. */
export async function listen(
  answers: Answers,
): Promise<{ origin: string; asked: Asked[]; close(): Promise<void> }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const each = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(each);
    const answer = await answers(each, response);
    if (answer === undefined) return;
    const { status = 200, headers = {}, body } = answer;
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
    response.end(isRaw ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An open gate, which notes how calls ended. */
export function openGate(): CallGate & { ends: CallEnd[] } {
  const ends: CallEnd[] = [];
  return { ends, enter: async () => ({ leave: (end) => ends.push(end) }) };
}

export const cloudAt = (graphOrigin: string, contentOrigins: readonly string[] = []): GraphCloud => ({
  graphOrigin,
  authorityOrigin: graphOrigin,
  contentDomains: ['sharepoint.com', 'svc.ms'],
  contentOrigins,
});

export const TOKEN = 'canary-token';

/** A client with a fixed token that does not sleep between tries but notes for how long it would. */
export function testClient(
  cloud: GraphCloud,
  parts: Partial<GraphClientParts> = {},
): { client: GraphClient; waits: number[]; counts: string[]; gate: ReturnType<typeof openGate> } {
  const waits: number[] = [];
  const counts: string[] = [];
  const gate = openGate();
  const client = createGraphClient({
    cloud,
    tokens: { token: async () => TOKEN },
    gate,
    priority: 'background',
    clock: () => Date.now(),
    writesLabels: false,
    count: (call, outcome, throttled) => counts.push([call, outcome, throttled ?? ''].join(' ').trim()),
    wait: async (ms) => void waits.push(ms),
    ...parts,
  });
  return { client, waits, counts, gate };
}
