import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { ConnectorError, ScopeRefused } from '../connector.ts';
import type { S3Answer } from './s3-calls.ts';

/** The credential itself is refused, whatever it asks for: wrong, expired, or of an account without the service. */
const CREDENTIAL = new Set([
  'AccountProblem',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'NotSignedUp',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** The error for a bucket that the store does not list. */
export function bucketRefused({ status, code }: S3Answer): ConnectorError {
  if (status === 401 || CREDENTIAL.has(code)) return new ConnectorError('auth', 's3_credential_refused');
  if (code === 'NoSuchBucket') return new ScopeRefused('not_found', 's3_bucket_not_found');
  if (code === 'InvalidBucketName') return new ScopeRefused('malformed_id', 's3_bucket_name_invalid');
  if (status === 403) return new ScopeRefused('denied', 's3_bucket_denied', 'auth');
  if (status >= 300 && status < 400) return new ConnectorError('permanent', 's3_bucket_elsewhere');
  if (status === 501) return new ConnectorError('permanent', 's3_not_offered');
  return new ConnectorError(retryClassOfStatus(status), 's3_bucket_refused');
}
