import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import type { BoxCall } from '../../kernel/vocabulary.ts';
import { isCallAt, type PathValues, pathOf, queryOf } from '../cloud-http/call-path.ts';
import { addressOn, type ContentHosts } from '../cloud-http/checked-address.ts';
import { fieldOf, isCode } from '../cloud-http/read-body.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
import type { Outgoing, SourceRules, WholeRefusal } from '../cloud-http/source-rules.ts';
import { ConnectorError } from '../connector.ts';

/** `download` reads the address of a content, without a bearer. `token` asks for a token. */
export type AllowedCall = Exclude<BoxCall, 'download' | 'token'>;

/**
 * Everything that may leave for Box with a bearer: methods that read, by the shape of their path below `/2.0`.
 * `docs/permissions.md` says what each is for.
 */
const ALLOWED = {
  me: 'users/me',
  users: 'users',
  folder: 'folders/{folderId}',
  items: 'folders/{folderId}/items',
  folder_collaborations: 'folders/{folderId}/collaborations',
  file: 'files/{fileId}',
  file_collaborations: 'files/{fileId}/collaborations',
  content: 'files/{fileId}/content',
  classification: 'files/{fileId}/metadata/enterprise/securityClassification-6VMVochwUWo',
  classifications: 'metadata_templates/enterprise/securityClassification-6VMVochwUWo/schema',
  events: 'events',
  groups: 'groups',
  group_memberships: 'groups/{groupId}/memberships',
} as const satisfies Readonly<Record<AllowedCall, string>>;

const QUERY_NAMES = [
  ...['fields', 'limit', 'marker', 'usemarker', 'user_type'],
  ...['stream_type', 'stream_position', 'event_type', 'filter_term', 'offset'],
];

/** Where Box answers. Only a test or the local launcher makes another one. */
export type BoxCloud = ContentHosts & {
  /** Scheme, host and port of the API and of the tokens. */
  apiOrigin: string;
};

export const BOX_CLOUD: BoxCloud = {
  apiOrigin: 'https://api.box.com',
  contentDomains: ['boxcloud.com'],
  contentOrigins: [],
};

export type BoxQuery = Readonly<Record<string, string | number>>;

/** The address of a call. Throws `ConnectorError` if a value could mean another path. */
export function callUrl(cloud: BoxCloud, call: AllowedCall, values: PathValues, query: BoxQuery): URL {
  const path = pathOf(ALLOWED[call], values);
  const parameters = queryOf(QUERY_NAMES, query);
  if (path === null || parameters === null)
    throw new ConnectorError('permanent', `box_${call}_value_refused`);
  return new URL(`/2.0/${path}${parameters}`, cloud.apiOrigin);
}

/** The address of a content, if it lies on a host of Box's contents. Throws `ConnectorError` otherwise. */
export function contentAddress(cloud: BoxCloud, address: string): URL {
  const url = addressOn(cloud, address);
  if (url === null) throw new ConnectorError('permanent', 'box_download_link_refused');
  return url;
}

export const boxRules = (cloud: BoxCloud): SourceRules<BoxCall> => ({
  source: 'box',
  userAgent: 'DataGovernanceService/1.0',
  isAllowed: (outgoing) => isAllowed(cloud, outgoing),
  isElsewhere: (call) => call === 'download',
  isOnce: () => false,
  codesIn,
  isThrottling: isThrottlingStatus,
  retryClassOf: retryClassOfStatus,
  refusesAll,
});

function isAllowed(cloud: BoxCloud, { call, method, url }: Outgoing<BoxCall>): boolean {
  if (method !== 'GET' || call === 'token') return false;
  if (call === 'download') return addressOn(cloud, url.href)?.href === url.href;
  return isCallAt(cloud.apiOrigin, `/2.0/${ALLOWED[call]}`, url);
}

/** Calls that a scan can do without, and contents, whose token may be one for a folder alone. */
const MAY_LACK_SCOPE: readonly BoxCall[] = [
  'users',
  'events',
  'groups',
  'group_memberships',
  'classification',
  'classifications',
  'content',
];

/** Box gives a code with every refusal. What has none comes from something in between, such as a proxy. */
function refusesAll(call: BoxCall, status: number, codes: readonly string[]): WholeRefusal | null {
  // What a 401 refuses is the token, whatever it says.
  if (call === 'download' || status === 401 || status < 400 || status >= 500) return null;
  if (codes.length === 0) return { reason: 'no_reason', retryClass: 'transient' };
  return codes.includes('insufficient_scope') && !MAY_LACK_SCOPE.includes(call)
    ? { reason: 'scope_missing', retryClass: 'auth' }
    : null;
}

/** The code of an error, and the types of the policies that it names. */
function codesIn(body: unknown): string[] {
  const policies = fieldOf(fieldOf(body, 'context_info'), 'policies');
  const types = Array.isArray(policies) ? policies.slice(0, 8).map((policy) => fieldOf(policy, 'type')) : [];
  return [fieldOf(body, 'code') ?? fieldOf(body, 'error'), ...types].filter(isCode);
}
