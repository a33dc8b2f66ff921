import type { Meter } from './meter.ts';
import type { QuestionPlanner } from './question-planner.ts';
import type { SecondOpinion } from './second-opinion.ts';
import type { TaxonomyProposer } from './taxonomy-proposal.ts';

/** What every AI provider implements. It receives texts of the tenant. Its answers are validated before use. */
export type AiProvider = {
  /** Lower case and stable, because it is stored with the results. */
  readonly name: string;
  /** Vectors are comparable only if name and model are the same. */
  readonly model: string;
  readonly mode: 'mock' | 'live';
  /**
   * Returns one vector of unit length per text, in order. A text without content gets the zero vector.
   * Accepts at most `MAX_TEXTS` texts and reads the first `MAX_TEXT_CHARACTERS` characters of each. Each request
   * to a model passes the meter first. Throws `AiError`, and what the meter throws.
   */
  embed(texts: readonly string[], signal: AbortSignal, meter: Meter): Promise<Float32Array[]>;
  /** Drafts a taxonomy. Null if no chat deployment is configured. */
  readonly taxonomy: TaxonomyProposer | null;
  /** Plans questions. Null if no chat deployment is configured. */
  readonly planner: QuestionPlanner | null;
  /** Says which information type fits an asset. Null if no chat deployment is configured. */
  readonly opinion: SecondOpinion | null;
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

/** The only error that a provider throws of its own. Its message is its code and contains no text, address or key. */
export class AiError extends Error {
  readonly failure: AiFailure;
  /** The delay that the service asked for in milliseconds, or null. */
  readonly retryAfterMs: number | null;

  constructor(failure: AiFailure, retryAfterMs: number | null = null) {
    super(failure === 'aborted' ? failure : `ai_${failure}`);
    this.name = 'AiError';
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Throws if the request exceeds a limit or was aborted. */
export function checkRequest(texts: readonly string[], signal: AbortSignal): void {
  if (signal.aborted) throw new AiError('aborted');
  if (texts.length > MAX_TEXTS) throw new AiError('input_bound');
}

/** Scales to unit length in place. The zero vector stays unchanged. */
export function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}
