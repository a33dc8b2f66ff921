import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.number() }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z
  .array(z.strictObject({ key: z.string(), value: Value }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]])));
const Span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  flags: z.number(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes,
  // Events hold exceptions with their messages; links and state hold what a caller sent. There are none.
  events: z.array(z.never()),
  links: z.array(z.never()),
  droppedAttributesCount: z.literal(0),
  droppedEventsCount: z.literal(0),
  droppedLinksCount: z.literal(0),
  status: z.strictObject({ code: z.number() }),
});
/** The parts of a request of OTLP/HTTP that the service sends, and nothing else. */
const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes, droppedAttributesCount: z.literal(0) }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span) }),
      ),
    }),
  ),
});

export type CollectedSpan = z.infer<typeof Span>;

export type TraceCollector = {
  url: string;
  /** Bodies and headers as they came. */
  received: readonly string[];
  spans(): CollectedSpan[];
  resources(): Record<string, unknown>[];
  /** The status of the answers from now on; null leaves requests without one. */
  answerWith(status: number | null): void;
  close(): Promise<void>;
};

/** A collector that takes traces by OTLP over HTTP as JSON. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const received: string[] = [];
  const exports: z.infer<typeof Export>[] = [];
  let status: number | null = 200;
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    received.push(JSON.stringify(request.headers) + body);
    if (status === null) return;
    if (status === 200) exports.push(Export.parse(JSON.parse(body)));
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resourceSpans = () => exports.flatMap((each) => each.resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    received,
    spans: () => resourceSpans().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => resourceSpans().map(({ resource }) => resource.attributes),
    answerWith: (next) => {
      status = next;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
