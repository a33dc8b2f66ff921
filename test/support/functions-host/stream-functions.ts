import { app } from '@azure/functions';
import { streamed } from '../../../core/http/stream.ts';
import { gate, recorded } from './recorded.ts';

app.setup({ enableHttpStream: true });

const encode = (text: string) => new TextEncoder().encode(text);

app.http('echo', {
  methods: ['GET', 'POST'],
  route: 'echo/{name}',
  handler: async (request) => ({
    status: 201,
    headers: { 'x-one': '1' },
    cookies: [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ],
    jsonBody: {
      url: request.url,
      method: request.method,
      params: request.params,
      query: [...request.query],
      agent: request.headers.get('x-agent'),
      body: await request.text(),
    },
  }),
});

app.post('count', {
  route: 'count',
  handler: async (request) => {
    let bytes = 0;
    try {
      for await (const chunk of request.body ?? []) bytes += chunk.byteLength;
    } catch {
      recorded.bodyEnds.push('cut short');
      return { status: 400 };
    }
    return { body: String(bytes) };
  },
});

/** Refuses without the body or after its first chunk, and then cancels or keeps the rest. */
app.post('refuses', {
  route: 'refuses/{having:alpha}',
  handler: async ({ params, body }) => {
    if (params.having === 'left') for await (const chunk of body ?? []) if (chunk) break;
    if (params.having === 'kept') await body?.getReader().read();
    return { status: 403, body: 'no' };
  },
});

/** Counts what it has produced until it is stopped. Produces more than any socket buffer holds. */
app.get('long', {
  route: 'long',
  handler: async (_request, { invocationId }) => ({
    body: await streamed(
      invocationId,
      (async function* () {
        try {
          for (recorded.partsMade = 1; recorded.partsMade < 1000; recorded.partsMade += 1) {
            yield 'x'.repeat(100_000);
          }
        } finally {
          recorded.bodyEnds.push('stopped');
        }
      })(),
      () => undefined,
    ),
  }),
});

/** Returns every chunk as it arrives. This works only if neither body is buffered as a whole. */
app.post('mirror', {
  route: 'mirror',
  handler: async (request) => ({ body: request.body ?? '' }),
});

app.get('two-parts', {
  route: 'two-parts',
  handler: async () => ({
    body: (async function* () {
      yield encode('first');
      await gate('second part').promise;
      yield encode('second');
    })(),
  }),
});

app.http('throws', {
  methods: ['GET', 'POST'],
  route: 'throws',
  handler: async () => {
    throw new Error('a secret of the function');
  },
});
app.get('throws-late', {
  route: 'throws-late',
  handler: async () => ({
    body: (async function* () {
      yield encode('begun');
      await gate('late').promise;
      throw new Error('late');
    })(),
  }),
});
app.get('returns-nothing', { route: 'nothing', handler: async () => undefined as never });
