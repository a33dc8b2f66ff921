import type { Connector } from '../../../core/connectors/connector.ts';
import { BOX_CLOUD } from '../../../core/connectors/file-box/box-calls.ts';
import { createBoxClient } from '../../../core/connectors/file-box/box-client.ts';
import { readCaller, readColleagues } from '../../../core/connectors/file-box/box-people.ts';
import { clientTokens } from '../../../core/connectors/file-box/box-tokens.ts';
import { createFileBoxConnector } from '../../../core/connectors/file-box/file-box-connector.ts';
import { encoded } from '../../../core/connectors/file-box/walk-place.ts';
import { WITHOUT_BOUND } from '../graph/connect.ts';
import type { Besides, ReplayedCall } from './given.ts';
import { addressOf, type Recording } from './recording.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const CONTENTS = 'https://replayed.boxcloud.com';
const live = new AbortController().signal;

/** @param folderId of the scope that the recording is in */
export function partsOf(folderId: string) {
  const counted = { cloud: BOX_CLOUD, count: () => undefined };
  const identity = { clientId: 'replayed', secret: () => 'replayed' };
  const tokens = clientTokens(counted, identity, { type: 'enterprise', id: '0' });
  const client = createBoxClient({
    ...{ ...counted, tokens, gate: WITHOUT_BOUND, priority: 'background', clock: Date.now },
    wait: async () => undefined,
  });
  const connector: Connector = createFileBoxConnector({
    ...{ reader: client, admin: client, contents: () => client, clock: Date.now },
    ...{ account: '0', folders: [folderId], readsEvents: true, sharingKeptMs: 0 },
  });
  return { client, connector, tokens, scopeId: folderId === '0' ? '0@0' : folderId };
}
type Call = ReplayedCall<ReturnType<typeof partsOf>>;

/** The file or folder of a recording, as the service names it. */
export function itemIn(recording: Recording): string {
  const [, kind, id = ''] = /\/(files|folders)\/([^/]+)/.exec(addressOf(recording).path) ?? [];
  const known = /^\d{1,20}$/.test(id) ? id : '1';
  return kind === 'folders' ? `folder:${known}` : known;
}

/** An answer with a choice of fields has no path, and no name, if they were not asked for. */
function asAsked(body: unknown, recording: Recording): unknown {
  const fields = addressOf(recording).query.get('fields')?.split(',') ?? [];
  const isChoice = fields.length > 0 && !fields.includes('path_collection');
  return isChoice
    ? { name: 'replayed', path_collection: { entries: [{ id: '0' }] }, ...(body as object) }
    : body;
}

const place: Besides[number] = [
  /\/2\.0\/(?:files|folders)\/\d+\?/,
  (request) => {
    const [, kind, id] = /\/(file|folder)s\/(\d+)\?/.exec(request) ?? [];
    return Response.json({ type: kind, id, name: 'replayed', path_collection: { entries: [{ id: '0' }] } });
  },
];
/** Where the folder has no recording of them: a file or folder of everybody's top folder, which nobody shares. */
export const MADE_UP: Besides = [place, [/\/collaborations\?/, () => Response.json({ entries: [] })]];

const NO_EVENTS: Besides[number] = [
  /\/events\?/,
  () => Response.json({ entries: [], next_stream_position: '1' }),
];
/** A folder in a list is another recording. */
const NOTHING_INSIDE: Besides[number] = [/\/items\?/, () => Response.json({ entries: [] })];
const REDIRECTED: Besides[number] = [
  /\/content$/,
  () => new Response(null, { status: 302, headers: { location: `${CONTENTS}/download` } }),
];

/** All that the service reads of one answer of a file or a folder. */
const entry: Call['read'] = async ({ connector, scopeId }, recording) => {
  const id = itemIn(recording);
  const item = await connector.getItem(scopeId, id, live);
  if (item === 'denied') return item;
  const permissions = await connector.getPermissions(scopeId, id, live);
  const label = item === null ? null : await connector.getLabel(scopeId, id, live);
  return { item, permissions, ...(label !== null && { label }) };
};
const permissions: Call['read'] = ({ connector, scopeId }, recording) =>
  connector.getPermissions(scopeId, itemIn(recording), live);
const content: Call['read'] = ({ connector, scopeId }, recording) =>
  connector.readContent(scopeId, itemIn(recording), MAX_BYTES, live);

/** A cursor of yesterday. */
const cursor = (): string =>
  encoded({ position: '1', readAt: Date.now() - 86_400_000, seen: [], empty: 0, frames: [] });

/** The call of the connector that an address belongs to, by how its path ends. The first that fits counts. */
export const BOX_CALLS: readonly Call[] = [
  {
    ...{ call: 'token', at: 'api', path: /\/oauth2\/token$/, answers: /\/oauth2\/token$/ },
    read: async ({ tokens }) => ({ state: (await tokens.token(live)) === '' ? 'none' : 'granted' }),
  },
  {
    ...{ call: 'me', at: 'api', path: /\/users\/me$/, answers: /\/users\/me\?/ },
    read: async ({ client }) => ({ id: (await readCaller(client, live)).id }),
  },
  {
    ...{ call: 'users', at: 'api', path: /\/users$/, answers: /\/users\?/ },
    read: async ({ client }) => ({ people: (await readColleagues(client, live))?.size ?? null }),
  },
  {
    ...{ call: 'items', at: 'api', path: /\/folders\/[^/]+\/items$/ },
    ...{ besides: [NO_EVENTS, NOTHING_INSIDE] },
    read: ({ connector, scopeId }) => connector.listItems(scopeId, null, live),
  },
  {
    ...{ call: 'folder_collaborations', at: 'api', path: /\/folders\/[^/]+\/collaborations$/ },
    read: permissions,
  },
  { call: 'file_collaborations', at: 'api', path: /\/files\/[^/]+\/collaborations$/, read: permissions },
  {
    ...{ call: 'classification', at: 'api' },
    path: /\/files\/[^/]+\/metadata\/enterprise(?:_\d+)?\/securityClassification-6VMVochwUWo$/,
    ...{ answers: /\/metadata\/enterprise\//, besides: [place] },
    read: ({ connector, scopeId }, recording) => connector.getLabel(scopeId, itemIn(recording), live),
  },
  {
    ...{ call: 'classifications', at: 'api' },
    path: /\/metadata_templates\/enterprise(?:_\d+)?\/securityClassification-6VMVochwUWo\/schema$/,
    answers: /\/metadata_templates\//,
    read: ({ connector }) => connector.listLabels(live),
  },
  {
    ...{ call: 'events', at: 'api', path: /\/events$/, answers: /\/events\?/ },
    read: ({ connector, scopeId }) =>
      connector.delta === 'feed' ? connector.listDelta(scopeId, cursor(), null, live) : Promise.resolve(null),
  },
  {
    ...{ call: 'content', at: 'api', path: /\/files\/[^/]+\/content$/, answers: /\/content$/ },
    ...{ besides: [[/\.boxcloud\.com\//, () => new Response('replayed')]], read: content },
  },
  { call: 'folder', at: 'api', path: /\/folders\/[^/]+$/, as: asAsked, read: entry },
  { call: 'file', at: 'api', path: /\/files\/[^/]+$/, as: asAsked, read: entry },
  {
    ...{ call: 'download', at: 'elsewhere', path: /./, answers: /\.boxcloud\.com\//, besides: [REDIRECTED] },
    read: content,
  },
];
