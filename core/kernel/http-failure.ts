import type { RetryClass } from './vocabulary.ts';

/**
 * What the status of a failed call means for the next attempt. `throttled` are the two that come with `Retry-After`
 * (specification, Limits); a refused credential is `auth`, since it may be renewed meanwhile; what else is wrong with
 * the request stays wrong.
 */
export function retryClassOfStatus(status: number): RetryClass {
  if (status === 429 || status === 503) return 'throttled';
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'transient';
  return 'permanent';
}
