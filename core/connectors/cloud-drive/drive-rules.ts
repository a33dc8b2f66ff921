import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { isCallAt } from '../cloud-http/call-path.ts';
import { fieldOf, isCode } from '../cloud-http/read-body.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
import type { SourceRules } from '../cloud-http/source-rules.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';
import type { DriveCloud } from './drive-cloud.ts';

export const API = '/drive/v3/';

const MAX_CODES = 8;

/** The reasons with which Drive asks to wait by a 403. Other reasons of a 403 are refusals. */
const ASKS_TO_WAIT: readonly string[] = ['userRateLimitExceeded', 'rateLimitExceeded'];

/** What may leave for Google Drive, how its errors read, and which of its answers ask to wait. */
export const driveRules = ({ apiOrigin }: DriveCloud): SourceRules<AllowedCall> => ({
  source: 'cloud_drive',
  userAgent: 'DataGovernanceService/1.0',
  isAllowed: ({ call, method, url }) =>
    method === 'GET' && isCallAt(apiOrigin, `${API}${ALLOWED_CALLS[call].path}`, url),
  isElsewhere: () => false,
  isOnce: () => false,
  codesIn,
  isThrottling: (status, codes) =>
    isThrottlingStatus(status) || (status === 403 && codes.some((code) => ASKS_TO_WAIT.includes(code))),
  // The customer's own cap of calls a day, which ends with the day.
  retryClassOf: (status, codes) =>
    codes.includes('dailyLimitExceeded') ? 'throttled' : retryClassOfStatus(status),
});

/** The reasons of an error. The status alone says too little: a 403 is a refusal, a limit or a wait. */
function codesIn(body: unknown): string[] {
  const errors = fieldOf(fieldOf(body, 'error'), 'errors');
  if (!Array.isArray(errors)) return [];
  return errors
    .slice(0, MAX_CODES)
    .map((each) => fieldOf(each, 'reason'))
    .filter(isCode);
}
