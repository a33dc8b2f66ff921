import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { ConnectorError, DeltaCursorInvalid, ScopeRefused } from '../connector.ts';
import type { BlobAnswer } from './blob-calls.ts';

/** The credential itself is refused, whatever it asks for: wrong, expired, or not valid yet. */
const CREDENTIAL = new Set([
  'AuthenticationFailed',
  'InvalidAuthenticationInfo',
  'NoAuthenticationInformation',
]);
const GONE = new Set([
  'ContainerNotFound',
  'ContainerBeingDeleted',
  'ContainerDisabled',
  'ShareNotFound',
  'ShareBeingDeleted',
  'ShareDisabled',
]);

const BAD_MARKER = new Set([
  'InvalidQueryParameterValue',
  'OutOfRangeQueryParameterValue',
  'OutOfRangeInput',
]);

/** Throws if the credential is refused, whatever was asked for. */
export function assertCredential({ status, code }: BlobAnswer): void {
  if (status === 401 || (status === 403 && CREDENTIAL.has(code)))
    throw new ConnectorError('auth', 'blob_credential_refused');
}

/** The error for a container or share that the service refuses to list. @param query that it refuses */
export function containerRefused(
  { status, code }: BlobAnswer,
  query: Readonly<Record<string, string>>,
): ConnectorError {
  if (status === 400 && query.marker !== undefined && BAD_MARKER.has(code)) return new DeltaCursorInvalid();
  if (GONE.has(code)) return new ScopeRefused('not_found', 'blob_container_not_found');
  if (code === 'InvalidResourceName') return new ScopeRefused('malformed_id', 'blob_container_name_invalid');
  if (status === 403) return new ScopeRefused('denied', 'blob_container_denied', 'auth');
  return new ConnectorError(retryClassOfStatus(status), 'blob_container_refused');
}
