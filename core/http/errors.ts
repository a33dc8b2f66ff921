import { z } from 'zod';
import { type ErrorCode, ServiceError } from '../kernel/errors.ts';

/** A caller who is refused under overload is asked to wait 1 to so many seconds, so that not all come back at once. */
export const MOST_RETRY_AFTER_SECONDS = 4;

const IssuesSchema = z.array(z.object({ path: z.string(), message: z.string() }));

/** The error body of a code, as the specification's *Resources* and *Errors* give it. */
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

/** Whatever was thrown, as an error that may be shown. */
export const toServiceError = (thrown: unknown): ServiceError =>
  thrown instanceof ServiceError ? thrown : new ServiceError('internal_error', 'internal error');
