import type { CloudDriveCall } from '../../kernel/vocabulary.ts';
import { type PathValues, pathOf, queryOf } from '../cloud-http/call-path.ts';
import {
  type Answer,
  type AnswerOptions,
  CALL_TIMEOUT_MS,
  type Calls,
  type CallsParts,
  createCalls,
  READ_TIMEOUT_MS,
  UNCOMPRESSED,
} from '../cloud-http/calls.ts';
import { addressOn } from '../cloud-http/checked-address.ts';
import { createDownload, type Downloaded } from '../cloud-http/download.ts';
import { readJson } from '../cloud-http/read-body.ts';
import type { Outgoing } from '../cloud-http/source-rules.ts';
import { ConnectorError } from '../connector.ts';
import type { AllowedCall } from './allowed-calls.ts';
import type { DriveCloud } from './drive-cloud.ts';
import { driveRules, placeOfCall } from './drive-rules.ts';
import { type DelegationParts, type DriveScope, delegatedTokens, READS } from './service-account.ts';

const QUERY_NAMES = [
  'acknowledgeAbuse',
  'alt',
  'corpora',
  'customer',
  'driveId',
  'fields',
  'includeDerivedMembership',
  'includeItemsFromAllDrives',
  'includeLabels',
  'includeRemoved',
  'maxResults',
  'mimeType',
  'pageSize',
  'pageToken',
  'q',
  'query',
  'roles',
  'spaces',
  'supportsAllDrives',
  'useDomainAdminAccess',
  'view',
] as const;
type CallQuery = Readonly<Partial<Record<(typeof QUERY_NAMES)[number], string | number>>>;

/**
 * Calls Google Drive in the name of one person. Throws `ConnectorError`s alone, with `cloud_drive_<call>_<status or reason>`
 * as the diagnostic.
 */
export type DriveClient = {
  call<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    options: AnswerOptions<T, E> & { query: CallQuery },
  ): Promise<Answer<T, E>>;
  /** What is answered with bytes, also where the answer leads to, without the bearer. `too_large` past `maxBytes`. */
  bytes(
    name: AllowedCall,
    values: PathValues,
    query: CallQuery,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Downloaded>;
};

/** Clients by the address of the person. Each keeps its token. */
export type DriveClients = (person: string) => DriveClient;

export type DriveClientParts = Omit<CallsParts<CloudDriveCall>, 'tokens'> & DelegationParts;

/** @param scope what the tokens are for; each API has its own */
export function createDriveClients(parts: DriveClientParts, scope: DriveScope = READS): DriveClients {
  const made = new Map<string, DriveClient>();
  const { cloud } = parts;
  const rules = driveRules(cloud);
  return (person) => {
    const known = made.get(person);
    if (known !== undefined) return known;
    const tokens = delegatedTokens(parts, person, scope);
    const client = createDriveClient(cloud, createCalls(rules, { ...parts, tokens }));
    made.set(person, client);
    return client;
  };
}

function createDriveClient(cloud: DriveCloud, calls: Calls<CloudDriveCall>): DriveClient {
  const urlOf = (name: AllowedCall, values: PathValues, query: CallQuery) => {
    const { origin, shape } = placeOfCall(cloud, name);
    const path = pathOf(shape, values);
    const asked = queryOf(QUERY_NAMES, query);
    if (path === null || asked === null)
      throw new ConnectorError('permanent', `cloud_drive_${name}_value_refused`);
    return new URL(`${path}${asked}`, origin);
  };
  const download = createDownload<CloudDriveCall>(calls, {
    elsewhere: 'download',
    toAddress: (address) => contentAddress(cloud, address),
  });
  return {
    call: async (name, values, { query, ...options }) => {
      const request: Outgoing<AllowedCall> = {
        call: name,
        method: 'GET',
        url: urlOf(name, values, query),
        headers: { Accept: 'application/json' },
        timeoutMs: CALL_TIMEOUT_MS,
      };
      return calls.answer(name, () => calls.exchange(request, readJson, options.signal), options);
    },
    bytes: async (name, values, query, maxBytes, signal) => {
      const url = urlOf(name, values, query);
      const request = { call: name, method: 'GET', url, headers: UNCOMPRESSED } as const;
      return download({ ...request, timeoutMs: READ_TIMEOUT_MS }, maxBytes, signal);
    },
  };
}

/** The address of a content, if it lies on a host of Google's contents. */
function contentAddress(cloud: DriveCloud, address: string | null): URL {
  const url = addressOn(cloud, address ?? '');
  if (url === null) throw new ConnectorError('permanent', 'cloud_drive_download_link_refused');
  return url;
}
