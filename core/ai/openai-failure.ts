import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  OpenAIError,
} from 'openai';
import { retryAfterMs } from '../kernel/retry-after.ts';
import { AiError } from './provider.ts';

/** Maps an error of the package. Its message quotes the service's answer and is therefore dropped. */
export const openAiFailure = (error: unknown, signal: AbortSignal): AiError =>
  signal.aborted ? new AiError('aborted') : new AiError(failureOf(error), askedWait(error));

function failureOf(error: unknown): AiError['failure'] {
  // A token that could not be had. The package wraps it.
  if (error instanceof OpenAIError && error.cause instanceof AiError) return error.cause.failure;
  if (error instanceof APIConnectionTimeoutError) return 'timeout';
  if (error instanceof APIUserAbortError) return 'aborted';
  if (error instanceof APIConnectionError) return 'unavailable';
  if (!(error instanceof APIError) || error.status === undefined) return 'malformed';
  if (error.status === 401 || error.status === 403) return 'auth';
  if (error.status === 429 || error.status === 503) return 'throttled';
  if (error.status === 408) return 'timeout';
  return error.status >= 500 ? 'unavailable' : 'refused';
}

const askedWait = (error: unknown): number | null =>
  error instanceof APIError && error.headers !== undefined
    ? retryAfterMs(error.headers.get('retry-after'), Date.now())
    : null;
