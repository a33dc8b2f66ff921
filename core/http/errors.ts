import { z } from 'zod';
import { databaseProblem } from '../db/errors.ts';
import { type ErrorCode, ServiceError } from '../kernel/errors.ts';

/** Maximum of the random `retry-after` under overload. It is random, so that callers do not return all at once. */
export const MAX_RETRY_AFTER_SECONDS = 4;

const IssuesSchema = z.array(z.object({ path: z.string(), message: z.string() }));

/** The body of an error response (specification, *Resources* and *Errors*). */
export function errorEnvelope(error: ServiceError, correlationId: string): Record<string, unknown> {
  switch (error.code) {
    case 'csrf_token_invalid':
      return { error: error.code };
    case 'internal_error':
      return { error: error.code, correlationId };
    case 'validation_failed':
      return { error: error.code, issues: error.issues ?? [{ path: '', message: error.message }] };
    default:
      return { error: error.code, message: error.message };
  }
}

/** The schema of that body, for the OpenAPI document. */
export function errorSchema(code: ErrorCode): z.ZodType {
  const error = z.literal(code);
  switch (code) {
    case 'csrf_token_invalid':
      return z.strictObject({ error });
    case 'internal_error':
      return z.strictObject({ error, correlationId: z.string() });
    case 'validation_failed':
      return z.strictObject({ error, issues: IssuesSchema });
    default:
      return z.strictObject({ error, message: z.string() });
  }
}

/** Converts anything thrown into an error that may be shown. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  switch (databaseProblem(thrown)) {
    case 'database_away':
      return new ServiceError('overloaded', 'The database does not answer. Try again in a few seconds.');
    case 'database_refuses':
      return new ServiceError('overloaded', 'The database does not write at present. Try again later.');
    case null:
      return new ServiceError('internal_error', 'internal error');
  }
}
