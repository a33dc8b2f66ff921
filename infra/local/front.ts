import { correlationIdOf } from '../../core/http/correlation-id.ts';
import { errorEnvelope } from '../../core/http/errors.ts';
import { securityHeaders } from '../../core/http/security-headers.ts';
import { type ErrorCode, ServiceError } from '../../core/kernel/errors.ts';
import type { Refusal, RefusalAnswer } from './functions-host/refusal.ts';

export type AuthMode = 'dev' | 'idp';

/** What the host refuses before a function is asked, in the words of the service. */
const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['validation_failed', 'The request is not well-formed HTTP.'],
  404: ['not_found', 'Nothing is served at this path.'],
  405: ['method_not_allowed', 'This path does not answer that method.'],
  408: ['validation_failed', 'The request did not come in time.'],
  413: ['payload_too_large', 'The body is larger than the host takes.'],
  417: ['validation_failed', 'No expectation of that kind is met.'],
  431: ['payload_too_large', 'The headers are larger than the host takes.'],
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

/** What stands before the functions on this machine; where they are deployed, Azure's host answers in its own way. */
export const front = (authMode: AuthMode) => ({
  homepage: '/api/docs',
  refusal: (refusal: Refusal) => refusalIn(authMode, refusal),
});
