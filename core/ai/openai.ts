import OpenAI from 'openai';
import { boundedFetch } from './bounded-fetch.ts';
import { expectedTokens, type Meter } from './meter.ts';
import { openAiOpinion } from './openai-opinion.ts';
import { openAiPlanner } from './openai-planner.ts';
import { meteredRequest } from './openai-request.ts';
import { openAiTaxonomy } from './openai-taxonomy.ts';
import {
  AiError,
  type AiProvider,
  checkRequest,
  MAX_DIMENSIONS,
  MAX_TEXT_CHARACTERS,
  normalize,
} from './provider.ts';

const BATCH = 64;
const TIMEOUT_MS = 30_000;
/** 64 vectors of 4,096 numbers as decimals take about 6 MB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export type OpenAiSettings = {
  /** The resource (`https://NAME.openai.azure.com`), or the base address of a compatible service up to `/v1`. */
  endpoint: string;
  /** The deployment (Azure) or model (elsewhere) for embeddings. */
  deployment: string;
  /** The deployment or model for chat. Null if none is configured. */
  chatDeployment: string | null;
  /**
   * Sent as `Authorization: Bearer`. A function gives a token for each request, and throws `AiError`. Null: the service
   * asks for no key.
   */
  key: string | (() => Promise<string>) | null;
  /** Timeout of one attempt. */
  timeoutMs?: number;
};

/**
 * Embeddings and chat completions by Azure OpenAI or a compatible service. A request is tried at most twice, after the delay
 * that the response headers ask for.
 */
export function openAiProvider({
  endpoint,
  deployment,
  chatDeployment,
  key,
  timeoutMs,
}: OpenAiSettings): AiProvider {
  const client = new OpenAI({
    // The package asks for some key, even where the header is left out.
    apiKey: key ?? 'none',
    ...(key === null && { defaultHeaders: { Authorization: null } }),
    baseURL: baseUrl(endpoint),
    timeout: timeoutMs ?? TIMEOUT_MS,
    maxRetries: 1,
    fetch: boundedFetch(MAX_RESPONSE_BYTES),
    // Options that are not set here would be read from the environment by the package.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
  });
  return {
    name: 'openai',
    model: deployment,
    mode: 'live',
    embed: async (texts, signal, meter) => {
      checkRequest(texts, signal);
      const vectors: Float32Array[] = [];
      for (let i = 0; i < texts.length; i += BATCH) {
        vectors.push(...(await embedBatch(client, deployment, texts.slice(i, i + BATCH), signal, meter)));
      }
      const dimensions = new Set(vectors.map(({ length }) => length));
      if (dimensions.size > 1) throw new AiError('malformed');
      return vectors;
    },
    taxonomy: chatDeployment === null ? null : openAiTaxonomy(client, chatDeployment, timeoutMs),
    planner: chatDeployment === null ? null : openAiPlanner(client, chatDeployment, timeoutMs),
    opinion: chatDeployment === null ? null : openAiOpinion(client, chatDeployment, timeoutMs),
  };
}

async function embedBatch(
  client: OpenAI,
  model: string,
  texts: readonly string[],
  signal: AbortSignal,
  meter: Meter,
): Promise<Float32Array[]> {
  // The service refuses an empty text, so a placeholder is sent, and the zero vector is returned.
  const input = texts.map((text) => text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed().trim() || '-');
  const expected = { input: input.reduce((sum, text) => sum + expectedTokens(text), 0), output: 0 };
  const answer = await meteredRequest(meter, { task: 'embedding', model, expected }, signal, () =>
    client.embeddings.create({ model, input, encoding_format: 'float' }, { signal }),
  );
  const vectors = readVectors(answer, input.length);
  return vectors.map((vector, i) => (input[i] === '-' ? vector.fill(0) : normalize(vector)));
}

/** Returns the vectors in the order of their texts. Throws `malformed` if one is missing, duplicate or invalid. */
function readVectors(answer: unknown, count: number): Float32Array[] {
  const data = answer !== null && typeof answer === 'object' && 'data' in answer ? answer.data : null;
  if (!Array.isArray(data) || data.length !== count) throw new AiError('malformed');
  const vectors = new Map<number, Float32Array>();
  for (const item of data as unknown[]) {
    if (item === null || typeof item !== 'object' || !('index' in item) || !('embedding' in item)) break;
    const { index, embedding } = item;
    if (typeof index !== 'number' || !isVector(embedding)) break;
    vectors.set(index, Float32Array.from(embedding));
  }
  return Array.from({ length: count }, (_, i) => {
    const vector = vectors.get(i);
    if (vector === undefined) throw new AiError('malformed');
    return vector;
  });
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_DIMENSIONS &&
  value.every((number) => typeof number === 'number' && Number.isFinite(number));

/** Azure resources serve the compatible API below `/openai/v1`. An address with a path is used as it is. */
function baseUrl(endpoint: string): string {
  const url = new URL(endpoint);
  const azure = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/.test(url.hostname);
  if (azure && url.pathname === '/') url.pathname = '/openai/v1';
  return url.href.replace(/\/$/, '');
}
