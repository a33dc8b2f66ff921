import { randomUUID } from 'node:crypto';
import type { HttpFunction } from '../../infra/local/functions-host/function-metadata.ts';
import type { Outcome } from './compared.ts';
import { exchange, type Session, type WireRequest } from './exchange.ts';
import type { LanguageWorker } from './language-worker.ts';
import type { Named } from './requests.ts';

const KIB = 1024;
/** A header that fills the head of a request to so many bytes, with what else it has. */
const filler = (bytes: number) => `X-Large: ${'x'.repeat(bytes - 300)}`;

const head = (line: string, ...headers: readonly string[]) =>
  `${[line, 'Host: governance.example', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

/** Requests at the edge of HTTP, byte by byte. */
export function* edgeRequests({ cookie, csrfToken }: Session): Generator<Named> {
  const json = [`Cookie: ${cookie}`, `X-Svc-Csrf: ${csrfToken}`, 'Content-Type: application/json'];
  const get = (...headers: string[]) => head('GET /api/health HTTP/1.1', ...headers);
  const post = (...headers: string[]) => head('POST /api/sources/connect HTTP/1.1', ...json, ...headers);
  const BODY = '{"family":"m365"}';
  const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;
  const requests: Record<string, WireRequest['parts']> = {
    ...Object.fromEntries(
      [17, 30, 40, 60].flatMap((size) => [
        [`headers of ${size} KiB`, [get(filler(size * KIB))]],
        [`${size} KiB and a body`, [post(filler(size * KIB), `Content-Length: ${BODY.length}`), BODY]],
      ]),
    ),
    'Expect: 100-continue': [post('Expect: 100-continue', `Content-Length: ${BODY.length}`), BODY],
    'Expect: 100-continue, no body': [get('Expect: 100-continue')],
    'Expect: something else': [get('Expect: more')],
    'a chunked body': [post('Transfer-Encoding: chunked'), `${CHUNK}0\r\n\r\n`],
    'a chunked body in pieces': [
      post('Transfer-Encoding: chunked'),
      '8\r\n{"family\r\n',
      '9\r\n":"m365"}\r\n',
      '0\r\n\r\n',
    ],
    'a chunked body with a trailer': [
      post('Transfer-Encoding: chunked', 'Trailer: X-End'),
      `${CHUNK}0\r\nX-End: 1\r\n\r\n`,
    ],
    'an empty chunked body': [post('Transfer-Encoding: chunked'), '0\r\n\r\n'],
    'a chunk that is none': [post('Transfer-Encoding: chunked'), 'zz\r\n'],
    'chunks and a length': [post('Transfer-Encoding: chunked', 'Content-Length: 5'), `${CHUNK}0\r\n\r\n`],
    'an unknown encoding': [post('Transfer-Encoding: gzip'), BODY],
    'an empty body': [post('Content-Length: 0')],
    'no length': [post()],
    'a length that is none': [post('Content-Length: many')],
    'broken JSON': [post('Content-Length: 10'), '{"family":'],
    'bytes that are no UTF-8': [
      post('Content-Length: 12'),
      Buffer.from([123, 34, 255, 254, 34, 58, 49, 125, 32, 32, 32, 32]),
    ],
    'a compressed body': [post('Content-Encoding: gzip', 'Content-Length: 3'), Buffer.from([31, 139, 8])],
    'a body that comes slowly': [post(`Content-Length: ${BODY.length}`), BODY.slice(0, 5), BODY.slice(5)],
    'more than its length': [post(`Content-Length: ${BODY.length}`), `${BODY}more`],
    'a body with GET': [get('Content-Length: 2'), '{}'],
    'a body with DELETE': [head('DELETE /api/auth/sessions HTTP/1.1', 'Content-Length: 2'), '{}'],
    'a body for nobody': [head('POST /api/nowhere HTTP/1.1', 'Content-Length: 2'), '{}'],
    'an upgrade': [get('Connection: Upgrade', 'Upgrade: websocket')],
    'HTTP/1.0': ['GET /api/health HTTP/1.0\r\n\r\n'],
    'no Host': ['GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    'a header without a name': [get(': x')],
    'a header over two lines': [get('X-Folded: a\r\n b')],
    'a header with a zero byte': [get('X-Zero: a\0b')],
    'many headers': [get(...Array.from({ length: 150 }, (_, index) => `X-${index}: ${index}`))],
    'the same header often': [get(...Array.from({ length: 50 }, () => 'X-Again: 1'))],
    'no HTTP': ['hello\r\n\r\n'],
  };
  for (const [what, parts] of Object.entries(requests)) yield { what, request: { parts } };
}

/** Clients that go away: in the headers, in the body, before the answer, in the answer. */
function* interruptedRequests({ cookie, csrfToken }: Session): Generator<WireRequest> {
  const post = head(
    'POST /api/sources/connect HTTP/1.1',
    `Cookie: ${cookie}`,
    `X-Svc-Csrf: ${csrfToken}`,
    'Content-Length: 1000',
  );
  yield { parts: [post.slice(0, 60)], leaves: true };
  yield { parts: [post], leaves: true };
  yield { parts: [post, '{"family":'], leaves: true };
  const get = (target: string) => head(`GET ${target} HTTP/1.1`, `Cookie: ${cookie}`);
  for (const target of ['/api/health', '/api/assets', '/api/exports/assets?format=csv'])
    for (const _ of Array.from({ length: 5 })) yield { parts: [get(target)], leaves: true };
}

const SETTLED_MS = 10_000;

/** After clients went away, no invocation is left, and the worker still answers. */
export async function afterInterruptions(
  url: string,
  worker: LanguageWorker,
  session: Session,
): Promise<Outcome> {
  const requests = [...interruptedRequests(session)];
  for (const request of requests) await exchange(url, request);
  const until = Date.now() + SETTLED_MS;
  while (worker.running().length > 0 && Date.now() < until) await new Promise((done) => setTimeout(done, 50));
  const left = worker.running();
  const after = await exchange(url, { parts: [head('GET /api/health HTTP/1.1')] });
  return {
    tried: requests.length,
    differences: [
      ...left.map((name) => `an invocation of ${name} never ended`),
      ...(after?.status === 200 ? [] : [`the worker then answered ${after?.status ?? 'nothing'}`]),
    ],
  };
}

/**
 * What the local host refuses and the Functions host may pass on. The worker must answer it, because an invocation
 * waits for its request until the function times out.
 */
export async function directRequests(worker: LanguageWorker, health: HttpFunction): Promise<Outcome> {
  const cases: readonly (readonly [string, number, readonly string[]])[] = [
    ...[17, 31, 47].map((size) => [`headers of ${size} KiB`, 200, [filler(size * KIB)]] as const),
    ['headers of 60 KiB', 431, [filler(60 * KIB)]],
    ...['100-continue', 'more', 'x100-continue'].map(
      (value) => [`Expect: ${value}`, 200, [`Expect: ${value}`]] as const,
    ),
  ];
  const differences: string[] = [];
  for (const [what, expected, headers] of cases) {
    const invocationId = randomUUID();
    const request = head(
      'GET /api/health HTTP/1.1',
      `X-Ms-Invocation-Id: ${invocationId}`,
      'X-Forwarded-Host: governance.example',
      'X-Forwarded-Proto: http',
      ...headers,
    );
    const invocation =
      expected === 200 ? worker.invoker.invoke(health, { invocationId, data: { http: {} } }) : undefined;
    invocation?.catch(() => undefined);
    const answer = await exchange(worker.httpUri, { parts: [request] });
    // The invocation of a request that was refused would wait for it.
    if (answer?.status === expected) await invocation;
    else differences.push(`${what}: ${answer?.status ?? 'no answer'} in place of ${expected}`);
  }
  return { tried: cases.length, differences };
}
