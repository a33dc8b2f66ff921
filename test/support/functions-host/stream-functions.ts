import { app } from '@azure/functions';
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

/** Answers every chunk as it arrives: it works only when neither body is gathered first. */
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
