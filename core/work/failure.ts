import { AiError, type AiFailure } from '../ai/provider.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { sqlState } from '../db/errors.ts';
import { ServiceError } from '../kernel/errors.ts';
import { safeDiagnostic } from '../kernel/safe-text.ts';
import type { RetryClass } from '../kernel/vocabulary.ts';
import type { UnitOutcome } from './unit.ts';

type Failure = Extract<UnitOutcome, { kind: 'failed' }>;

/** Thrown by a handler that knows what its failure means. `safeDiagnostic` is a code, never text from outside. */
export class UnitFailure extends Error {
  readonly retryClass: RetryClass;
  readonly safeDiagnostic: string;

  constructor(retryClass: RetryClass, safeDiagnostic: string) {
    super(safeDiagnostic);
    this.name = 'UnitFailure';
    this.retryClass = retryClass;
    this.safeDiagnostic = safeDiagnostic;
  }
}

const AI_CLASS: Partial<Record<AiFailure, RetryClass>> = {
  auth: 'auth',
  throttled: 'throttled',
  input_bound: 'permanent',
  refused: 'policy_denied',
};

/** Classifies what a handler threw. Unknown errors are `transient` and named by their kind alone. */
export function classifyFailure(thrown: unknown): Failure {
  if (thrown instanceof ConnectorError || thrown instanceof UnitFailure) {
    return failure(
      thrown.retryClass,
      thrown.safeDiagnostic,
      thrown instanceof ConnectorError ? thrown.retryAfterMs : null,
    );
  }
  if (thrown instanceof AiError)
    return failure(AI_CLASS[thrown.failure] ?? 'transient', thrown.message, null);
  // Whoever runs the service has to configure the source first: trying again would not help.
  if (thrown instanceof ServiceError && thrown.code === 'blocked_capability') {
    return failure('policy_denied', 'source_not_configured', null);
  }
  const state = sqlState(thrown);
  if (state !== null) return failure('transient', `database_${state}`, null);
  return failure('transient', 'unexpected_error', null);
}

const failure = (retryClass: RetryClass, diagnostic: string, retryAfterMs: number | null): Failure => ({
  kind: 'failed',
  retryClass,
  safeDiagnostic: safeDiagnostic(diagnostic),
  retryAfterMs,
});
