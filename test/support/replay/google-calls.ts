import {
  type CloudDriveOptions,
  createCloudDriveConnector,
} from '../../../core/connectors/cloud-drive/drive-connector.ts';
import type { FeedConnector } from '../../../core/connectors/connector.ts';
import type { Besides, ReplayedCall } from './given.ts';
import { addressOf, type Recording } from './recording.ts';

export type GoogleParts = { connector: FeedConnector; scopeId: string };

const PERSON = 'replayed@replayed.invalid';
export const CURSOR = 'replayed';
const MAX_BYTES = 64 * 1024 * 1024;
const CONTENTS = 'https://replayed.googleusercontent.com';
const live = new AbortController().signal;

/** @param driveId of the shared drive that the recording is of; null for what a person owns */
export function partsOf(options: Omit<CloudDriveOptions, 'drives'>, driveId: string | null): GoogleParts {
  const connector = createCloudDriveConnector({ ...options, drives: [driveId ?? PERSON] });
  return { connector, scopeId: driveId === null ? `person:${PERSON}` : `drive:${driveId}` };
}

const json = (body: unknown, status = 200) => Response.json(body, { status });
const idIn = (recording: Recording): string =>
  /\/files\/([^/]+)/.exec(addressOf(recording).path)?.[1]?.replace(/[^\w-]/g, '') || 'replayed';
const isMedia = (recording: Recording): boolean => addressOf(recording).query.get('alt') === 'media';
const fileOf = (mimeType: string): Besides => [
  [
    /\/drive\/v3\/files\/(?!root\?)[^/?]+\?(?!.*alt=media)/,
    (request) =>
      json({
        ...{ id: /\/files\/([^/?]+)/.exec(request)?.[1], name: 'replayed', mimeType, ownedByMe: true },
        ...{ size: '1', version: '1' },
      }),
  ],
];
const OF_CONTENT = fileOf('text/plain');
const OF_EXPORT = fileOf('application/vnd.google-apps.document');
/** The content lies elsewhere. */
const REDIRECTED: Besides[number] = [
  /alt=media/,
  () => new Response(null, { status: 302, headers: { location: `${CONTENTS}/download` } }),
];

const hasToken = (recording: Recording): boolean => addressOf(recording).query.has('pageToken');
const PAGE_BEFORE: Besides[number] = [
  /\/drive\/v3\/files\?/,
  () => json({ kind: 'drive#fileList', files: [], nextPageToken: 'replayed' }),
];

const content: ReplayedCall<GoogleParts>['read'] = ({ connector, scopeId }, recording) =>
  connector.readContent(scopeId, idIn(recording), MAX_BYTES, live);
const scopes: ReplayedCall<GoogleParts>['read'] = async ({ connector }) => {
  const { scopes: found, refused } = await connector.listScopes(null, live);
  return { scopes: found.map(({ kind }) => ({ kind })), refused: refused?.map(({ reason }) => ({ reason })) };
};
const items: ReplayedCall<GoogleParts>['read'] = ({ connector, scopeId }) =>
  connector.listItems(scopeId, null, live);
const permissions: ReplayedCall<GoogleParts>['read'] = ({ connector, scopeId }, recording) =>
  connector.getPermissions(scopeId, idIn(recording), live);

/** The call of the connector that an address belongs to, by how its path ends. The first that fits counts. */
export const GOOGLE_CALLS: readonly ReplayedCall<GoogleParts>[] = [
  { call: 'token', at: 'api', path: /\/token$/, answers: /^POST .*\/token$/, read: scopes },
  { call: 'drive', at: 'api', path: /\/drives\/[^/]+$/, answers: /\/drives\/[^/]+\?/, read: scopes },
  {
    ...{ call: 'start_token', at: 'api', path: /\/changes\/startPageToken$/, answers: /\/startPageToken\b/ },
    read: items,
  },
  {
    ...{ call: 'changes', at: 'api', path: /\/changes$/, answers: /\/changes\?/ },
    read: ({ connector, scopeId }) => connector.listDelta(scopeId, CURSOR, null, live),
  },
  {
    ...{ call: 'files', at: 'api', path: /\/files$/, when: hasToken },
    ...{ answers: /\/drive\/v3\/files\?.*pageToken=replayed/, besides: [PAGE_BEFORE] },
    read: async ({ connector, scopeId }) => {
      const { nextPageToken } = await connector.listItems(scopeId, null, live);
      return connector.listItems(scopeId, nextPageToken, live);
    },
  },
  { call: 'files', at: 'api', path: /\/files$/, answers: /\/drive\/v3\/files\?/, read: items },
  {
    ...{ call: 'permissions', at: 'api', path: /\/files\/[^/]+\/permissions$/ },
    ...{ answers: /\/permissions\?(?!.*useDomainAdminAccess)/, read: permissions },
  },
  {
    ...{ call: 'permissions', at: 'api', path: /\/files\/[^/]+\/permissions\/[^/]+$/ },
    ...{ answers: /\/permissions\?(?!.*useDomainAdminAccess)/, read: permissions },
    as: (permission) => ({ kind: 'drive#permissionList', permissions: [permission] }),
  },
  {
    ...{ call: 'labels', at: 'api', path: /\/files\/[^/]+\/listLabels$/, answers: /\/listLabels\?/ },
    read: ({ connector, scopeId }, recording) => connector.getLabel(scopeId, idIn(recording), live),
  },
  {
    ...{ call: 'label', at: 'api', path: /\/labels\/[^/]+$/, answers: /\/v2\/labels\/[^/]+\?/ },
    read: ({ connector }) => connector.listLabels(live),
  },
  {
    ...{ call: 'export', at: 'api', path: /\/files\/[^/]+\/export$/, answers: /\/export\?/ },
    ...{ besides: OF_EXPORT, read: content },
  },
  {
    ...{ call: 'content', at: 'api', path: /\/files\/[^/]+$/, when: isMedia, answers: /alt=media/ },
    ...{ besides: [[/\.googleusercontent\.com\//, () => new Response('replayed')], ...OF_CONTENT] },
    read: content,
  },
  {
    ...{ call: 'file', at: 'api', path: /\/files\/root$/, answers: /\/files\/root\?/, read: scopes },
  },
  {
    ...{ call: 'file', at: 'api', path: /\/files\/[^/]+$/, answers: /\/files\/(?!root\?)[^/?]+\?/ },
    read: ({ connector, scopeId }, recording) => connector.getItem(scopeId, idIn(recording), live),
  },
  {
    ...{ call: 'download', at: 'elsewhere', path: /./, method: 'GET', answers: /\.googleusercontent\.com\// },
    ...{ besides: [REDIRECTED, ...OF_CONTENT], read: content },
  },
];
