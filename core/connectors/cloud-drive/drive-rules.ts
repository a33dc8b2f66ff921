import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import type { CloudDriveCall } from '../../kernel/vocabulary.ts';
import { isCallAt } from '../cloud-http/call-path.ts';
import { addressOn } from '../cloud-http/checked-address.ts';
import { fieldOf, isCode } from '../cloud-http/read-body.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
import type { SourceRules, WholeRefusal } from '../cloud-http/source-rules.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';
import type { DriveCloud } from './drive-cloud.ts';

/** The address of a call without its values, and where it goes. */
export const placeOfCall = (
  { apiOrigin, labelsOrigin, directoryOrigin }: DriveCloud,
  call: AllowedCall,
): { origin: string; shape: string } => {
  const { api, path } = ALLOWED_CALLS[call];
  if (api === 'labels') return { origin: labelsOrigin, shape: `/v2/${path}` };
  return api === 'directory'
    ? { origin: directoryOrigin, shape: `/admin/directory/v1/${path}` }
    : { origin: apiOrigin, shape: `/drive/v3/${path}` };
};

const MAX_CODES = 8;

/** The reasons with which Drive asks to wait by a 403. Other reasons of a 403 are refusals. */
const ASKS_TO_WAIT: readonly string[] = ['userRateLimitExceeded', 'rateLimitExceeded', 'RATE_LIMIT_EXCEEDED'];

const API_NOT_ENABLED: WholeRefusal = { reason: 'api_not_enabled', retryClass: 'auth' };
const SCOPE_MISSING: WholeRefusal = { reason: 'scope_missing', retryClass: 'auth' };
/** It ends with the day. */
const DAILY_LIMIT: WholeRefusal = { reason: 'daily_limit', retryClass: 'throttled' };
const NO_REASON: WholeRefusal = { reason: 'no_reason', retryClass: 'transient' };

/** Reasons that say nothing of the file or drive that was asked for. */
const OF_THE_WHOLE = new Map<string, WholeRefusal>([
  ['accessNotConfigured', API_NOT_ENABLED],
  ['SERVICE_DISABLED', API_NOT_ENABLED],
  ['insufficientPermissions', SCOPE_MISSING],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', SCOPE_MISSING],
  // An administrator forbids applications to use Drive.
  ['domainPolicy', { reason: 'domain_policy', retryClass: 'auth' }],
  ['dailyLimitExceeded', DAILY_LIMIT],
  ['quotaExceeded', DAILY_LIMIT],
  ['downloadQuotaExceeded', DAILY_LIMIT],
]);

/** What may leave for Google Drive, how its errors read, and which of its answers ask to wait. */
export const driveRules = (cloud: DriveCloud): SourceRules<CloudDriveCall> => ({
  source: 'cloud_drive',
  userAgent: 'DataGovernanceService/1.0',
  isAllowed: ({ call, method, url }) => {
    if (call === 'token') return false;
    if (call === 'download') return method === 'GET' && addressOn(cloud, url.href)?.href === url.href;
    const { origin, shape } = placeOfCall(cloud, call);
    return method === 'GET' && isCallAt(origin, shape, url);
  },
  isElsewhere: (call) => call === 'download',
  isOnce: () => false,
  codesIn,
  isThrottling: (status, codes) =>
    isThrottlingStatus(status) || (status === 403 && codes.some((code) => ASKS_TO_WAIT.includes(code))),
  retryClassOf: retryClassOfStatus,
  refusesAll: (_call, status, codes) => refusalOfAll(status, codes),
});

/** Google gives a reason with every refusal. What has none comes from something in between, such as a proxy. */
function refusalOfAll(status: number, codes: readonly string[]): WholeRefusal | null {
  if (status < 400 || status >= 500) return null;
  if (codes.length === 0) return NO_REASON;
  return codes.map((code) => OF_THE_WHOLE.get(code)).find((whole) => whole !== undefined) ?? null;
}

/** The reasons of an error. The status alone says too little: a 403 is a refusal, a limit or a wait. */
function codesIn(body: unknown): string[] {
  const error = fieldOf(body, 'error');
  const listed = [fieldOf(error, 'errors'), fieldOf(error, 'details')].flatMap((list) =>
    Array.isArray(list) ? list.slice(0, MAX_CODES).map((each) => fieldOf(each, 'reason')) : [],
  );
  return [fieldOf(error, 'status'), ...listed].filter(isCode);
}
