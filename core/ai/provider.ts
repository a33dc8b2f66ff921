import type { TaxonomyProposer } from './taxonomy-proposal.ts';

/** What every AI provider implements. A provider is told texts of ours; nothing it answers is trusted unread. */
export type AiProvider = {
  /** Lower case, stable: it is stored with what the provider made. */
  readonly name: string;
  /** Vectors compare only with vectors of the same name and model. */
  readonly model: string;
  readonly mode: 'mock' | 'live';
  /**
   * One vector of unit length per text, in order; a text without anything to embed gets the zero vector.
   * At most `MAX_TEXTS` texts; of each, the first `MAX_TEXT_CHARACTERS` characters count. Throws `AiError`.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** Drafts a taxonomy; null where nothing is configured that could. */
  readonly taxonomy: TaxonomyProposer | null;
};

export const MAX_TEXTS = 2_048;
export const MAX_TEXT_CHARACTERS = 8_000;
export const MAX_DIMENSIONS = 4_096;

export type AiFailure =
  | 'aborted'
  | 'auth'
  | 'input_bound'
  | 'malformed'
  | 'refused'
  | 'throttled'
  | 'timeout'
  | 'unavailable';

/** The only error that a provider throws. Its message is its code: never a text, an address or a key. */
export class AiError extends Error {
  readonly failure: AiFailure;
  /** Milliseconds that the service asked to wait, if it did. */
  readonly retryAfterMs: number | null;

  constructor(failure: AiFailure, retryAfterMs: number | null = null) {
    super(failure === 'aborted' ? failure : `ai_${failure}`);
    this.name = 'AiError';
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Throws where the request breaks a bound or was given up. */
export function checkRequest(texts: readonly string[], signal: AbortSignal): void {
  if (signal.aborted) throw new AiError('aborted');
  if (texts.length > MAX_TEXTS) throw new AiError('input_bound');
}

/** Scales to unit length in place; the zero vector stays as it is. */
export function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}
