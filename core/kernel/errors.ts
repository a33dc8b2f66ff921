/**
 * Every error that the API can answer, by the specification's codes (section "Errors").
 * `payload_too_large`, `method_not_allowed`, `unsupported_media_type` and `overloaded` fill what the specification leaves open.
 */
export const ERROR_STATUS = {
  validation_failed: 400,
  authentication_required: 401,
  license_required: 402,
  not_permitted: 403,
  csrf_token_invalid: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  blocked_capability: 422,
  internal_error: 500,
  not_configured: 501,
  overloaded: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export type Issue = { path: string; message: string };

/** An error whose message is safe to show to the caller. Anything else that is thrown becomes `internal_error`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;

  constructor(code: ErrorCode, message: string, issues?: readonly Issue[]) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.issues = issues;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

export const notFound = (message = 'No such resource, or you may not see it.') =>
  new ServiceError('not_found', message);

export const validationFailed = (issues: readonly Issue[]) =>
  new ServiceError('validation_failed', 'The request is not valid.', issues);
