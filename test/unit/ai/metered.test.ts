import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Meter, ModelCall, Used } from '../../../core/ai/meter.ts';
import { openAiOnDemand } from '../../../core/ai/openai-on-demand.ts';
import type { AiError } from '../../../core/ai/provider.ts';
import {
  answerJson,
  type ModelService,
  type ModelStep,
  startModelService,
} from '../../support/model-service.ts';

type Step = ModelStep<object>;

const INPUT = {
  profile: { name: 'Example', industries: [], geographies: [], description: '' },
  sections: [],
  detectors: [],
};
const VECTOR = { data: [{ index: 0, embedding: [3, 4] }] };

/** Answers by script; what is past its end is not answered. */
let service: ModelService<object>;
let script: Step[];
/** What the meter was asked, and told. */
let metered: { call: ModelCall; used: Used | undefined }[];

const meter: Meter = async (call) => {
  const entry: (typeof metered)[number] = { call, used: undefined };
  metered.push(entry);
  return async (used) => {
    expect(entry.used).toBeUndefined();
    entry.used = used;
  };
};

beforeEach(async () => {
  script = [];
  metered = [];
  service = await startModelService<object>((response, request) => script.shift()?.(response, request));
});
afterEach(() => service.close());

const provider = () =>
  openAiOnDemand({
    ...{ endpoint: service.endpoint, deployment: 'embedder', chatDeployment: 'writer', key: 'key' },
    timeoutMs: 200,
  });
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: AiError) => thrown.failure,
  );
const embed = (signal = new AbortController().signal, texts = ['text']) =>
  failureOf(provider().embed(texts, signal, meter));
const propose = () => {
  const { taxonomy } = provider();
  if (taxonomy === null) throw new Error('no chat deployment');
  return failureOf(taxonomy.propose(INPUT, new AbortController().signal, meter));
};

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    answerJson(response, status, body, headers);
const refusal = (status: number, headers = {}) =>
  json(status, { error: { message: 'no' } }, { 'retry-after-ms': '1', ...headers });
const raw =
  (body: string): Step =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
const cut: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":[', () => response.destroy());
};
const slow: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data":[');
};

describe('an embedding', () => {
  test.each<[string, unknown, Used]>([
    ['reported usage', { prompt_tokens: 7, total_tokens: 7 }, { input: 7, output: 0 }],
    ['no usage', undefined, 'unknown'],
    ['null as usage', null, 'unknown'],
    ['usage of zero tokens', { prompt_tokens: 0, total_tokens: 0 }, 'unknown'],
    ['negative usage', { prompt_tokens: -7 }, 'unknown'],
    ['usage that is text', { prompt_tokens: '7' }, 'unknown'],
    ['usage beyond any request', { prompt_tokens: 1e12 }, 'unknown'],
  ])('with %s', async (_, usage, used) => {
    script = [json(200, { ...VECTOR, usage })];
    expect(await embed()).toBeNull();
    expect(metered).toEqual([
      { call: { task: 'embedding', model: 'embedder', expected: { input: 2, output: 0 } }, used },
    ]);
  });

  test.each<[string, Step[], string, Used]>([
    ['429 for good', [refusal(429), refusal(429)], 'throttled', 'none'],
    ['500 for good', [refusal(500), refusal(500)], 'unavailable', 'none'],
    ['404 for a model that does not exist', [refusal(404)], 'refused', 'none'],
    ['401', [refusal(401)], 'auth', 'none'],
    ['no JSON', [raw('{"data"')], 'malformed', 'unknown'],
    ['a body that is cut', [cut], 'malformed', 'unknown'],
    ['no answer in time', [], 'timeout', 'unknown'],
    ['a body that does not end', [slow, slow], 'timeout', 'unknown'],
  ])('that gets %s', async (_, steps, failure, used) => {
    script = steps;
    expect(await embed()).toBe(failure);
    expect(metered.map((entry) => entry.used)).toEqual([used]);
  });

  test('counts the vectors that it cannot use', async () => {
    script = [json(200, { data: [], usage: { prompt_tokens: 7 } })];
    expect(await embed()).toBe('malformed');
    expect(metered[0]?.used).toEqual({ input: 7, output: 0 });
  });

  test('whose caller gives up within a slow body may be charged', async () => {
    script = [slow];
    expect(await embed(AbortSignal.timeout(50))).toBe('aborted');
    expect(metered.map(({ used }) => used)).toEqual(['unknown']);
  });

  test('is counted once though it waited as Retry-After asks', async () => {
    script = [refusal(429, { 'retry-after': '1' }), json(200, { ...VECTOR, usage: { prompt_tokens: 7 } })];
    expect(await embed()).toBeNull();
    expect(service.requests).toHaveLength(2);
    expect(metered.map(({ used }) => used)).toEqual([{ input: 7, output: 0 }]);
  });

  test('of many texts is admitted request by request', async () => {
    const vectors: Step = (response, { body }) => {
      const { input } = body as { input: string[] };
      const data = input.map((__, index) => ({ index, embedding: [1] }));
      answerJson(response, 200, { data, usage: { prompt_tokens: input.length } });
    };
    script = [vectors, vectors];
    const texts = Array.from({ length: 70 }, () => 'text');
    expect(await embed(new AbortController().signal, texts)).toBeNull();
    expect(metered.map(({ used }) => used)).toEqual([
      { input: 64, output: 0 },
      { input: 6, output: 0 },
    ]);
  });

  test('that the meter does not admit is not sent', async () => {
    const refused: Meter = () => Promise.reject(new Error('no room'));
    const signal = new AbortController().signal;
    await expect(provider().embed(['text'], signal, refused)).rejects.toThrow('no room');
    expect(service.requests).toEqual([]);
  });

  test('that was aborted before asks no meter', async () => {
    expect(await embed(AbortSignal.abort())).toBe('aborted');
    expect(metered).toEqual([]);
  });
});

describe('a draft', () => {
  const usage = { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 };
  const used = { input: 900, output: 40 };
  const completion = (message: object, finish_reason = 'stop') =>
    json(200, { choices: [{ finish_reason, message }], usage });

  test.each<[string, Step, string | null]>([
    ['that is whole', completion({ content: '{"domains":[]}' }), null],
    ['that is truncated', completion({ content: '{"domains":[{' }, 'length'), 'malformed'],
    ['that is refused', completion({ content: null, refusal: 'no' }), 'refused'],
    ['that is filtered', completion({ content: null }, 'content_filter'), 'refused'],
    ['of another shape', completion({ content: '{"plan":1}' }), 'malformed'],
  ])('%s counts what it used', async (_, step, failure) => {
    script = [step];
    expect(await propose()).toBe(failure);
    expect(metered).toEqual([
      {
        call: {
          ...{ task: 'taxonomy_draft', model: 'writer' },
          expected: { input: expect.any(Number), output: 16_000 },
        },
        used,
      },
    ]);
  });

  test('expects at least the tokens of its whole prompt', async () => {
    script = [completion({ content: '{"domains":[]}' })];
    await propose();
    const [request] = service.requests;
    const characters = JSON.stringify(request?.body).length;
    const expected = metered[0]?.call.expected.input ?? 0;
    expect(expected).toBeGreaterThan(characters / 4);
    expect(expected).toBeLessThan(characters / 2);
  });
});
