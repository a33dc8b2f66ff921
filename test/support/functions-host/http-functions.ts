import { app, type HttpResponseInit } from '@azure/functions';
import { gate, recorded } from './recorded.ts';

app.hook.appStart((context) => {
  recorded.hooks.push('appStart');
  context.hookData.started = true;
});
app.hook.appTerminate((context) => {
  recorded.hooks.push(`appTerminate ${String(context.hookData.started)}`);
});
app.hook.preInvocation((context) => {
  if (context.invocationContext.functionName !== 'hooked') return;
  recorded.hooks.push('pre 1');
  context.hookData.note = 'kept';
  const inner = context.functionHandler;
  context.functionHandler = async (...args) => {
    recorded.hooks.push('handler');
    return inner(...args);
  };
});
app.hook.preInvocation((context) => {
  if (context.invocationContext.functionName === 'hooked') recorded.hooks.push('pre 2');
});
app.hook.postInvocation((context) => {
  if (context.invocationContext.functionName !== 'hooked') return;
  recorded.hooks.push(`post ${String(context.hookData.note)}`);
  context.result = { status: 202, body: 'replaced' };
});

app.http('hooked', { route: 'hooked', handler: async () => ({ body: 'original' }) });

app.http('echo', {
  methods: ['GET', 'POST', 'PUT'],
  route: 'echo/{first}/{second?}',
  handler: async (request, context) => ({
    jsonBody: {
      method: request.method,
      url: request.url,
      params: request.params,
      query: [...request.query],
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      functionName: context.functionName,
      traceParent: context.traceContext?.traceParent ?? null,
    },
  }),
});

app.http('upload', {
  methods: ['POST'],
  route: 'upload',
  handler: async (request) => {
    recorded.invocations.push('upload');
    return { body: String((await request.arrayBuffer()).byteLength) };
  },
});

app.get('throws', {
  route: 'throws',
  handler: async () => {
    throw new Error('a secret of the function');
  },
});
app.get('returns-nothing', { route: 'nothing', handler: async () => undefined as never });
app.get('returns-text', {
  route: 'text-result',
  handler: async () => 'not an object' as never,
});
app.get('no-content', { route: 'no-content', handler: async () => ({ status: 204 }) });
app.get('not-modified', {
  route: 'not-modified',
  handler: async () => ({ status: 304, headers: { etag: '"1"' } }),
});
app.http('head', {
  methods: ['HEAD', 'GET'],
  route: 'head',
  handler: async () => ({ body: 'four', headers: { 'x-answer': 'yes' } }),
});
app.http('defaults', { handler: async () => ({ body: 'defaults' }) });

app.get('cookies', {
  route: 'cookies',
  handler: async (): Promise<HttpResponseInit> => ({
    headers: { 'transfer-encoding': 'chunked', 'content-length': '3', connection: 'close' },
    body: 'cookies',
    cookies: [
      { name: 'a', value: 'x y;z', httpOnly: true, secure: true, sameSite: 'Lax', maxAge: 60 },
      { name: 'b', value: '1', path: '/api', expires: new Date(1000) },
      { name: 'c', value: '', sameSite: 'None', maxAge: 0 },
    ],
  }),
});
app.get('bad-cookie', {
  route: 'bad-cookie',
  handler: async () => ({ cookies: [{ name: 'a', value: '1', path: '/; domain=evil' }] }),
});
app.get('binary', {
  route: 'binary',
  handler: async () => ({ body: new Uint8Array([0, 255, 128]), headers: { 'content-type': 'image/x' } }),
});
app.get('streams', {
  route: 'streams',
  handler: async () => ({
    body: (async function* () {
      yield new TextEncoder().encode('one ');
      yield new TextEncoder().encode('two');
    })(),
  }),
});

app.get('logs', {
  route: 'logs',
  handler: async (_request, context) => {
    context.log('plain %d', 7);
    context.warn('warned');
    context.trace('below the level');
    return {};
  },
});

app.get('waits', {
  route: 'waits/{name}',
  handler: async (request) => {
    const name = request.params.name ?? '';
    recorded.invocations.push(`waits ${name}`);
    await gate(name).promise;
    return { body: 'waited' };
  },
});

app.get('item-by-id', { route: 'items/{id:int}', handler: async () => ({ body: 'by id' }) });
app.get('item-named', { route: 'items/{name:alpha}', handler: async () => ({ body: 'by name' }) });
app.get('files', {
  route: 'files/{*rest}',
  handler: async (request) => ({ jsonBody: request.params }),
});
app.get('files-head', { route: 'files-literal', handler: async () => ({ body: 'literal' }) });
