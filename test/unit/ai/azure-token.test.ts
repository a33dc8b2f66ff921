import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { azureToken } from '../../../core/ai/azure-token.ts';
import type { Meter, Used } from '../../../core/ai/meter.ts';
import { openAiOnDemand } from '../../../core/ai/openai-on-demand.ts';
import type { AiError } from '../../../core/ai/provider.ts';
import { authorityAnswer, DIRECTORY } from '../../support/authority.ts';
import { selfSigned } from '../../support/certificate.ts';
import { type Answers, listen } from '../../support/graph-server.ts';
import { answerJson, type ModelService, startModelService } from '../../support/model-service.ts';

const AZURE = 'https://name.openai.azure.com';
const never = new AbortController().signal;

let model: ModelService<object>;
let status: number;
let used: Used[];
let server: Awaited<ReturnType<typeof listen>>;
let answers: Answers;
let clients = 0;

const meter: Meter = async () => async (tokens) => {
  used.push(tokens);
};

// The package looks for the host once in a process.
beforeAll(async () => {
  server = await listen((asked, response) => answers(asked, response));
});
afterAll(() => server.close());
beforeEach(async () => {
  [status, used] = [200, []];
  model = await startModelService<object>((response) =>
    answerJson(
      response,
      status,
      status === 200 ? { data: [{ index: 0, embedding: [3, 4] }] } : { error: { message: 'canary' } },
    ),
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await model.close();
});

const provider = (key: Parameters<typeof openAiOnDemand>[0]['key']) =>
  openAiOnDemand({ endpoint: model.endpoint, deployment: 'embedder', chatDeployment: null, key });
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: AiError) => {
      expect(`${thrown} ${thrown.stack} ${String(thrown.cause)}`).not.toContain('canary');
      return thrown.failure;
    },
  );

/**
 * A host with a managed identity, as App Service and Container Apps offer it. The package keeps tokens by client, so each
 * test has another.
 */
function host(answer: Answers) {
  answers = answer;
  const client = `identity-${++clients}`;
  const before = server.asked.length;
  vi.stubEnv('IDENTITY_ENDPOINT', `${server.origin}/token`);
  vi.stubEnv('IDENTITY_HEADER', 'header');
  vi.stubEnv('AZURE_CLIENT_ID', client);
  const queries = () => server.asked.slice(before).map(({ url }) => new URL(url, server.origin).searchParams);
  return { client, queries };
}
const granted = (token: string, seconds = 3_600) => ({
  body: {
    access_token: token,
    expires_on: String(Math.floor(Date.now() / 1000) + seconds),
    resource: 'r',
    token_type: 'Bearer',
  },
});

describe('a managed identity', () => {
  test('is asked once for a token of the service, which is sent with each request', async () => {
    const { client, queries } = host(() => granted('managed'));
    const { embed } = provider(azureToken(AZURE));
    await embed(['text'], never, meter);
    await embed(['text'], never, meter);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer managed',
      'Bearer managed',
    ]);
    expect(queries().map((query) => [query.get('resource'), query.get('client_id')])).toEqual([
      ['https://cognitiveservices.azure.com', client],
    ]);
  });

  test('is asked again once the token has expired', async () => {
    let given = 0;
    host(() => granted(`t${++given}`, given === 1 ? 1 : 3_600));
    const token = azureToken(AZURE);
    expect(await token()).toBe('t1');
    await vi.waitFor(async () => expect(await token()).not.toBe('t1'), { timeout: 5_000, interval: 200 });
  });

  test.each([
    ['https://name.openai.azure.us', 'https://cognitiveservices.azure.us'],
    ['https://name.openai.azure.cn', 'https://cognitiveservices.azure.cn'],
    ['https://models.example.com/openai/v1', 'https://cognitiveservices.azure.com'],
  ])('gives a token of the cloud of %s', async (endpoint, resource) => {
    const { queries } = host(() => granted('t'));
    await azureToken(endpoint)();
    expect(queries().map((query) => query.get('resource'))).toEqual([resource]);
  });

  test('that the host refuses fails like a wrong key, and nothing is sent or counted', async () => {
    host(() => ({ status: 400, body: { error: 'invalid_request', error_description: 'canary' } }));
    vi.stubEnv('AZURE_TOKEN_CREDENTIALS', 'ManagedIdentityCredential');
    expect(await failureOf(provider(azureToken(AZURE)).embed(['text'], never, meter))).toBe('auth');
    expect(model.requests).toEqual([]);
    expect(used).toEqual(['none']);
    status = 401;
    used = [];
    expect(await failureOf(provider('wrong').embed(['text'], never, meter))).toBe('auth');
    expect(used).toEqual(['none']);
  });

  test('whose token the service refuses fails like a wrong key', async () => {
    host(() => granted('canary'));
    status = 403;
    expect(await failureOf(provider(azureToken(AZURE)).embed(['text'], never, meter))).toBe('auth');
  });
});

test('a workload identity exchanges its file for a token', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'workload-'));
  const { cert, key } = selfSigned(1);
  writeFileSync(path.join(folder, 'ca.pem'), cert);
  writeFileSync(path.join(folder, 'token'), 'federated');
  const asked: string[] = [];
  const authority = createServer({ cert, key }, async (request, response) => {
    const body = await text(request);
    if (request.method === 'POST') asked.push(body);
    const origin = `https://localhost:${(authority.address() as AddressInfo).port}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(authorityAnswer(origin, request.url ?? '', 'workload') ?? {}));
  });
  authority.listen(0, '127.0.0.1');
  await once(authority, 'listening');
  const source = path.resolve(import.meta.dirname, '../../../core/ai/azure-token.ts');
  const child = spawn(
    process.execPath,
    [
      ...['--input-type=module', '--eval'],
      `import { azureToken } from ${JSON.stringify(pathToFileURL(source).href)};
       console.log(await azureToken('${AZURE}')());`,
    ],
    {
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
        AZURE_AUTHORITY_HOST: `https://localhost:${(authority.address() as AddressInfo).port}`,
        AZURE_TENANT_ID: DIRECTORY,
        AZURE_CLIENT_ID: 'workload-client',
        AZURE_FEDERATED_TOKEN_FILE: path.join(folder, 'token'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    expect(await text(child.stdout)).toBe('workload\n');
    const form = new URLSearchParams(asked[0]);
    expect(Object.fromEntries(form)).toMatchObject({
      client_id: 'workload-client',
      client_assertion: 'federated',
      grant_type: 'client_credentials',
    });
    expect(form.get('scope')?.split(' ')).toContain('https://cognitiveservices.azure.com/.default');
  } finally {
    child.kill();
    authority.closeAllConnections();
    authority.close();
    rmSync(folder, { recursive: true });
  }
});

test('a service that asks for no key gets no header', async () => {
  await provider(null).embed(['text'], never, meter);
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test('the package of credentials is not loaded before the first token', () => {
  const source = path.resolve(import.meta.dirname, '../../../core/ai/azure-token.ts');
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { azureToken } = await import(${JSON.stringify(pathToFileURL(source).href)});
    azureToken('${AZURE}');
    console.log(JSON.stringify([loaded.length > 1, loaded.some((url) => url.includes('@azure/identity'))]));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([true, false]);
});
