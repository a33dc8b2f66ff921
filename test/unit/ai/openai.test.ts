import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Meter } from '../../../core/ai/meter.ts';
import type { OpenAiSettings } from '../../../core/ai/openai.ts';
import { openAiOnDemand } from '../../../core/ai/openai-on-demand.ts';
import { AiError } from '../../../core/ai/provider.ts';
import {
  answerJson,
  type ModelService,
  type ModelStep,
  startModelService,
} from '../../support/model-service.ts';

const unmetered: Meter = async () => async () => {};

type Body = { input: string[]; model: string };
type Step = ModelStep<Body>;

/** Answers by script; past its end it embeds each text as [length, 1]. */
let service: ModelService<Body>;
let script: Step[];

const embedded: Step = (response, { body }) =>
  answerJson(response, 200, {
    data: body.input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse(),
    model: body.model,
  });

beforeEach(async () => {
  script = [];
  service = await startModelService<Body>((response, request) =>
    (script.shift() ?? embedded)(response, request),
  );
});
afterEach(() => service.close());

const provider = (settings: Partial<OpenAiSettings> = {}) =>
  openAiOnDemand({
    endpoint: service.endpoint,
    deployment: 'embedder',
    chatDeployment: 'writer',
    key: 'key-canary',
    ...settings,
  });
const embed = (texts: string[], settings?: Partial<OpenAiSettings>, signal = new AbortController().signal) =>
  provider(settings).embed(texts, signal, unmetered);
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AiError);
  expect(`${error} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`).not.toMatch(
    /canary/,
  );
  return error instanceof AiError ? error.failure : null;
};

describe('openAiProvider', () => {
  it('asks the deployment with the key; unit vectors come in the order of the texts', async () => {
    const vectors = await embed(['four', 'twelve chars']);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [expect.closeTo(4 / Math.hypot(4, 1), 5), expect.closeTo(1 / Math.hypot(4, 1), 5)],
      [expect.closeTo(12 / Math.hypot(12, 1), 5), expect.closeTo(1 / Math.hypot(12, 1), 5)],
    ]);
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer key-canary' },
      body: { model: 'embedder', input: ['four', 'twelve chars'] },
    });
  });

  it('splits many texts into bounded requests, cuts long ones, and skips none', async () => {
    const vectors = await embed([...Array.from({ length: 129 }, () => 'text'), 'x'.repeat(50_000), '  ']);
    expect(service.requests.map(({ body }) => body.input.length)).toEqual([64, 64, 3]);
    expect(service.requests[2]?.body.input[1]).toHaveLength(8_000);
    expect(vectors).toHaveLength(131);
    expect([...(vectors[130] ?? [])]).toEqual([0, 0]);
    expect(await embed([])).toEqual([]);
  });

  it('waits as a throttled answer asks, and tries once more', async () => {
    script = [(response) => answerJson(response, 429, {}, { 'retry-after-ms': '20' })];
    expect(await embed(['text'])).toHaveLength(1);
    expect(service.requests).toHaveLength(2);
  });

  it('says how long a service that goes on refusing asked to wait', async () => {
    const step: Step = (response) =>
      answerJson(response, 429, {}, { 'retry-after-ms': '1', 'retry-after': '90' });
    script = [step, step];
    await expect(embed(['text'])).rejects.toMatchObject({ failure: 'throttled', retryAfterMs: 90_000 });
  });

  it.each([
    [429, 'throttled', 2],
    [503, 'throttled', 2],
    [500, 'unavailable', 2],
    [401, 'auth', 1],
    [403, 'auth', 1],
    [400, 'refused', 1],
    [404, 'refused', 1],
  ])(
    'maps a lasting %i to %s after %i attempts, without a word of the answer',
    async (status, expected, attempts) => {
      const step: Step = (response) =>
        answerJson(response, status, { error: { message: 'canary content' } }, { 'retry-after-ms': '1' });
      script = [step, step, step];
      expect(await failure(embed(['canary text']))).toBe(expected);
      expect(service.requests).toHaveLength(attempts);
    },
  );

  it('gives up on an answer that does not come, and at once when the caller does', async () => {
    script = [() => {}, () => {}, () => {}];
    expect(await failure(embed(['canary'], { timeoutMs: 50 }))).toBe('timeout');
    expect(await failure(embed(['canary'], {}, AbortSignal.timeout(50)))).toBe('aborted');
  });

  it('calls a closed connection and an unreachable address unavailable', async () => {
    const step: Step = (response) => response.destroy();
    script = [step, step];
    expect(await failure(embed(['canary']))).toBe('unavailable');
    expect(await failure(embed(['canary'], { endpoint: 'http://127.0.0.1:9/canary' }))).toBe('unavailable');
  });

  it('follows no redirect', async () => {
    const step: Step = (response) =>
      response.writeHead(307, { location: `${service.endpoint}/elsewhere-canary` }).end();
    script = [step, step];
    expect(await failure(embed(['canary']))).toBe('unavailable');
    expect(service.requests.every(({ path }) => path === '/v1/embeddings')).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no data', {}],
    ['too few', { data: [] }],
    ['an index twice', { data: [0, 0].map((index) => ({ index, embedding: [1, 2] })) }],
    [
      'vectors of two lengths',
      { data: [0, 1].map((index) => ({ index, embedding: index === 0 ? [1] : [1, 2] })) },
    ],
    ['what is no number', { data: [0, 1].map((index) => ({ index, embedding: ['canary'] })) }],
    ['no vector', { data: [0, 1].map((index) => ({ index, embedding: [] })) }],
    ['too long a vector', { data: [0, 1].map((index) => ({ index, embedding: Array(5_000).fill(1) })) }],
    ['null', null],
  ])('refuses an answer with %s', async (_, body) => {
    script = [(response) => answerJson(response, 200, body)];
    expect(await failure(embed(['canary', 'text']))).toBe('malformed');
  });

  it('refuses an answer that is not JSON, and one without end', async () => {
    script = [(response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"canary')];
    expect(await failure(embed(['canary']))).toBe('malformed');
    const step: Step = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    };
    script = [step, step];
    expect(await failure(embed(['canary']))).toBe('malformed');
  });
});
