import { correlationIdOf } from '../../core/http/correlation-id.ts';
import { errorEnvelope } from '../../core/http/errors.ts';
import { securityHeaders } from '../../core/http/security-headers.ts';
import { type ErrorCode, ServiceError } from '../../core/kernel/errors.ts';
import type { Refusal, RefusalAnswer } from './functions-host/refusal.ts';

export type AuthMode = 'dev' | 'idp';

/** What the host refuses before a function runs, with the service's error codes. */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['validation_failed', 'The request is not well-formed HTTP.'],
  404: ['not_found', 'Nothing is served at this path.'],
  405: ['method_not_allowed', 'This path does not support the method.'],
  408: ['validation_failed', 'The request timed out.'],
  413: ['payload_too_large', 'The body is too large.'],
  417: ['validation_failed', 'The expectation is not supported.'],
  431: ['payload_too_large', 'The headers are too large.'],
  500: ['internal_error', 'internal error'],
};

function refusalIn(authMode: AuthMode, { status, correlationId: given }: Refusal): RefusalAnswer | null {
  const [code, message] = REFUSALS[status] ?? [];
  if (code === undefined || message === undefined) return null;
  const correlationId = correlationIdOf(given, Date.now());
  return {
    headers: {
      ...securityHeaders(false),
      'x-svc-auth-mode': authMode,
      'x-svc-correlation': correlationId,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(errorEnvelope(new ServiceError(code, message), correlationId)),
  };
}

/** The host's own answers on this machine. In a deployment, Azure's host answers in its own way. */
export const front = (authMode: AuthMode) => ({
  refusal: (refusal: Refusal) => refusalIn(authMode, refusal),
});
