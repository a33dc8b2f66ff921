import { errorFields } from '../../observability/error-fields.ts';

/** Why something failed, as a code or a class from closed sets. */
export function reasonOf(error: unknown): string {
  const { errorClass, errorCode } = errorFields(error);
  return errorCode ?? (statusOf(error) === null ? errorClass : `HTTP ${statusOf(error)}`);
}

/** The HTTP status of an error of the storage clients. */
export const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : null;
