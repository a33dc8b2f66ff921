import { z } from 'zod';
import { badRequest } from './errors.ts';
import type { Route } from './route.ts';
import type { Asked, LoggedCall, Routed } from './router.ts';
import { bytesOf } from './transport.ts';

/** Documented (`json-batching`). */
const MAX_REQUESTS = 20;

const batchBody = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
        url: z.string().min(1),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.unknown().optional(),
        dependsOn: z.array(z.string()).optional(),
      }),
    )
    .min(1),
});

type Log = (call: Omit<LoggedCall, 'at'>) => void;

/** `POST /$batch`: each entry is routed, throttled and struck by faults alone. Answers come in another order. */
export const batchRoute = (dispatch: (asked: Asked) => Promise<Routed>, log: Log): Route => ({
  ...{ family: 'batch', method: 'POST', path: '/$batch', permissions: [], body: batchBody },
  answer: async (call) => {
    const { requests } = batchBody.parse(call.body);
    if (requests.length > MAX_REQUESTS) throw badRequest(`A batch has at most ${MAX_REQUESTS} requests.`);
    if (new Set(requests.map(({ id }) => id.toLowerCase())).size < requests.length) {
      throw badRequest('The ids of requests in a batch are unique.');
    }
    // Graph would run them in order. We have no use for it, so a request with it is a mistake.
    if (requests.some(({ dependsOn }) => dependsOn !== undefined))
      throw badRequest('This fake runs no dependsOn.');
    if (requests.some(({ url }) => /^\/?\$batch/.test(url))) throw badRequest('A batch holds no batch.');
    // Documented: a body needs the header that says what it is.
    if (
      requests.some(
        ({ body, headers = {} }) => body !== undefined && lowered(headers)['content-type'] === undefined,
      )
    ) {
      throw badRequest('Write request with a body must have a Content-Type header.');
    }
    const responses = [];
    for (const { id, method, url, headers = {}, body } of requests.toReversed()) {
      const { answer, family } = await dispatch({
        ...{
          method,
          target: url.startsWith('/') ? url : `/${url}`,
          body: body === undefined ? '' : JSON.stringify(body),
        },
        headers: { authorization: call.headers.authorization ?? '', ...lowered(headers) },
      });
      const bytes = bytesOf(answer.body).length;
      log({ family, method, path: url, status: answer.status, bytes, batched: true });
      responses.push({
        ...{
          id,
          status: answer.status,
          headers: { 'Content-Type': 'application/json', ...capitals(answer.headers) },
        },
        ...(answer.body === undefined ? {} : { body: answer.body }),
      });
    }
    return { status: 200, body: { responses } };
  },
});

const lowered = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Seen: names of headers in batches come as `Retry-After`, with capitals. */
const capitals = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replaceAll(/(^|-)\w/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
