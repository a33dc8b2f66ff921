import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Line, printedOf } from '../../support/replay/printed.ts';

const GRAPH = 'https://graph.microsoft.com/v1.0';
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const FILE = { name: 'a.txt', size: 3, eTag: 'e1', file: { mimeType: 'text/plain', irmEnabled: false } };
const RECORDINGS = {
  'delta.json': {
    request: `GET ${GRAPH}/drives/b!abc/root/delta`,
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: {
      '@odata.nextLink': `${GRAPH}/me/drive/root/delta(token='x')`,
      value: [
        { id: '01A', root: {}, name: 'root' },
        { id: '01B', ...FILE, parentReference: { id: '01A' } },
        { id: '01C', ...FILE, cTag: null, parentReference: { id: '01A' } },
        { id: '01D', deleted: { state: 'deleted' } },
      ],
    },
  },
  'gone.json': {
    request: { method: 'GET', url: `${GRAPH}/drives/x/root/delta?token=1` },
    status: 410,
    headers: { Location: `${GRAPH}/drives/x/root/delta?token=2` },
    body: { error: { code: 'resyncRequired', innererror: {} } },
  },
  'item.json': {
    request: { method: 'GET', url: `${GRAPH}/drives/x/items/1` },
    status: 429,
    headers: { 'Retry-After': ['120'] },
    body: { error: { code: 'activityLimitReached' } },
  },
  'batch.json': {
    request: {
      method: 'POST',
      url: `${GRAPH}/$batch`,
      body: {
        requests: [
          { id: 1, method: 'GET', url: '/drives/x/items/1/permissions' },
          { id: 2, method: 'POST', url: '/drives/x/items/1/extractSensitivityLabels' },
        ],
      },
    },
    status: 200,
    body: {
      responses: [
        { id: '2', status: 200, body: { value: { labels: [] } } },
        {
          id: '1',
          status: 200,
          body: { value: [{ roles: ['read'], link: { scope: 'anonymous', type: 'view' } }] },
        },
      ],
    },
  },
  'bad-token.json': { request: `GET ${GRAPH}/drives/x/root/delta?token=bad`, status: 400, body: {} },
  'changes.json': {
    request: `GET ${GRAPH}/drives/x/root/delta(token='t')`,
    status: 200,
    body: {
      '@odata.deltaLink': `${GRAPH}/drives('x')/root/delta(token='u')`,
      value: [{ id: '01B', ...FILE }, { id: '01B', deleted: {} }, { name: 'no id' }],
    },
  },
  'folder.json': {
    request: `GET ${GRAPH}/me/drive/items/f`,
    status: 200,
    body: { id: '01F', name: 'Plans', folder: { childCount: 0 }, parentReference: { id: '01A' } },
  },
  'permissions.json': {
    request: `GET ${GRAPH}/me/drive/items/1/permissions`,
    status: 200,
    body: {
      '@odata.nextLink': `${GRAPH}/me/drive/items/1/permissions?$skiptoken=x`,
      value: [
        {
          roles: ['write'],
          invitation: { email: 'a@b.example' },
          expirationDateTime: '0001-01-01T00:00:00Z',
        },
      ],
    },
  },
  'sites.json': {
    request: `GET ${GRAPH}/sites/getAllSites`,
    status: 200,
    body: {
      value: [
        { id: 'c,1,2', displayName: 'HR' },
        { id: 'c,3,4', isPersonalSite: true },
        { id: 'c,5,6', name: 'Sales' },
      ],
    },
  },
  'drives.json': {
    request: `GET ${GRAPH}/sites/c,1,2/drives`,
    status: 200,
    body: { value: [{ id: 'b!1', name: 'Documents', driveType: 'documentLibrary' }] },
  },
  'assign.json': {
    request: {
      method: 'post',
      url: `${GRAPH}/drives/x/items/1/assignSensitivityLabel`,
      body: JSON.stringify({ sensitivityLabelId: 'abc', justificationText: 'why' }),
    },
    status: 202,
    headers: { Location: 'https://contoso.sharepoint.com/_api/v2.0/monitor/abc?tempAuth=secret' },
  },
  'assign-metered.json': {
    request: `POST ${GRAPH}/drives/x/items/1/assignSensitivityLabel`,
    status: 402,
    body: { error: { code: 'paymentRequired' } },
  },
  'monitor.json': {
    request: 'GET https://{tenant}.sharepoint.com/_api/v2.0/monitor/abc?tempAuth=secret',
    status: 200,
    body: { status: 'failed', errorCode: 'fileDoubleKeyEncrypted' },
  },
  'monitor-done.json': {
    request: `GET ${GRAPH}/drives/x/operations/abc`,
    status: 200,
    body: { status: 'succeeded' },
  },
  'download.json': {
    request: 'GET https://contoso.sharepoint.com/_layouts/15/download.aspx?tempauth=secret',
    status: 200,
    body: 'text',
  },
  'whole-batch.json': { request: `POST ${GRAPH}/$batch`, status: 429, headers: { 'Retry-After': '60' } },
  'two.json': [
    { request: `DELETE ${GRAPH}/subscriptions/s`, status: 204 },
    { request: `GET ${GRAPH}/users/u`, status: '404', headers: { odd: 'a\nb' } },
  ],
  'empty-list.json': [],
  'no-recording.json': { status: 200 },
  'other.json': { request: `GET ${GRAPH}/me/events`, status: 200, body: {} },
};

/** What the script prints, by file. Of a file with several recordings, a list. */
async function printed(
  recordings: Record<string, unknown>,
  ...options: string[]
): Promise<Record<string, Line | Line[]>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recordings-'));
  folders.push(folder);
  for (const [name, recording] of Object.entries(recordings))
    await writeFile(path.join(folder, name), JSON.stringify(recording));
  const { byFile } = await printedOf(folder, ...options);
  return Object.fromEntries(
    Object.entries(byFile).map(([file, of = []]) => [file, of.length === 1 ? (of[0] as Line) : of]),
  );
}

test('a folder of recordings is printed as what the connector makes of each', async () => {
  expect(await printed(RECORDINGS)).toMatchObject({
    'delta.json': {
      call: 'delta',
      made: {
        items: [{ externalId: '01B' }, { externalId: '01C', contentVersion: 'at::3' }],
        folders: [{ externalId: '01A', name: '' }],
        gone: ['01D'],
        nextPageToken: expect.any(String),
      },
    },
    'gone.json': { error: { name: 'DeltaCursorInvalid', restartsAt: 'location' } },
    'bad-token.json': { error: { name: 'DeltaCursorInvalid', restartsAt: 'beginning' } },
    'changes.json': {
      made: { changes: [{ type: 'delete', externalId: '01B' }], leftOut: ['unreadable'] },
    },
    'item.json': { error: { retryClass: 'throttled', retryAfterMs: 120_000 } },
    'folder.json': { call: 'item', made: { folders: [{ externalId: '01F', parentExternalId: '01A' }] } },
    'permissions.json': {
      hasNextPage: true,
      made: { grants: [{ principal: 'a@b.example', role: 'write' }] },
    },
    'sites.json': { made: [{ name: 'HR / replayed' }, { name: 'Sales / replayed' }] },
    'drives.json': { made: [{ externalId: 'b!1', name: 'replayed / Documents' }] },
    'assign.json': { call: 'label_assign', made: { state: 'accepted', monitor: 'usable' } },
    'assign-metered.json': { made: { state: 'refused', reason: 'metered_api_off' } },
    'monitor.json': { call: 'monitor', made: { state: 'failed', reason: 'file_encrypted' } },
    'monitor-done.json': { call: 'monitor', made: { state: 'completed' } },
    'download.json': { call: 'download', made: { state: 'available', bytes: 4 } },
    'batch.json': {
      made: [
        { call: 'permissions', made: { grants: [{ principalKind: 'anyone' }] } },
        { call: 'labels_extract', made: { state: 'unlabeled' } },
      ],
    },
    'whole-batch.json': { error: { retryClass: 'throttled', retryAfterMs: 60_000 } },
    'two.json': [
      { call: 'subscription_delete', made: { ok: true } },
      { call: 'user', made: null },
    ],
    'empty-list.json': { notReplayed: expect.stringContaining('empty') },
    'no-recording.json': { notReplayed: expect.stringContaining('request') },
    'other.json': { notReplayed: expect.stringContaining('no such call') },
  });
});

const CHANNEL = `${GRAPH}/teams/5a1e9f30-0000-4000-8000-00000000000a/channels/19:abc@thread.tacv2`;
const posted = (id: string, more: object = {}) => ({
  ...{ id, messageType: 'message', etag: id, createdDateTime: '2026-11-01T08:00:00Z', subject: null },
  ...{ body: { contentType: 'html', content: `<p>${id}</p>` }, attachments: [], ...more },
});
const FOLDER = `${GRAPH}/users/ada@contoso.example/mailFolders('AAMkInbox')/messages`;
const mailed = (id: string, more: object = {}) => ({
  ...{ id, changeKey: 'c1', parentFolderId: 'AAMkInbox', isDraft: false, hasAttachments: true },
  ...{ sentDateTime: '2026-11-01T08:00:00Z', subject: 'Pay', body: { contentType: 'text', content: id } },
  ...{ from: { emailAddress: { address: 'ada@contoso.example' } }, ...more },
});

test('recordings of channels and mailboxes are read as messages', async () => {
  const recordings = {
    'channel-delta.json': {
      request: `GET ${CHANNEL}/messages/delta?$expand=replies`,
      status: 200,
      body: {
        '@odata.nextLink': `${CHANNEL}/messages/delta()?$skiptoken=x`,
        value: [
          posted('1', { replies: [posted('2')] }),
          posted('3', {
            deletedDateTime: '2026-11-02T08:00:00Z',
            body: { contentType: 'text', content: '' },
          }),
          { id: '4', messageType: 'unknownFutureValue' },
        ],
      },
    },
    'channel-changes.json': { request: `GET ${CHANNEL}/messages/delta?$deltatoken=x`, status: 410, body: {} },
    'channel-list.json': {
      request: `GET ${CHANNEL}/messages?$top=50`,
      status: 200,
      body: { value: [posted('5')] },
    },
    'channel-denied.json': {
      request: `GET ${CHANNEL}/messages`,
      status: 403,
      body: { error: { code: 'Forbidden' } },
    },
    'replies.json': {
      request: `GET ${CHANNEL}/messages/1/replies`,
      status: 200,
      body: {
        value: [
          posted('6', { attachments: [{ id: 'a', contentType: 'reference', contentUrl: 'https://x' }] }),
        ],
      },
    },
    'members.json': {
      request: `GET ${GRAPH}/teams/5a1e9f30-0000-4000-8000-00000000000a/members`,
      status: 200,
      body: {
        value: [
          { roles: ['owner'], tenantId: 'a' },
          { roles: ['guest'], tenantId: 'b' },
        ],
      },
    },
    'no-folder.json': { request: `GET ${CHANNEL}/filesFolder`, status: 404, body: {} },
    'mail-delta.json': {
      request: `GET ${FOLDER}/delta`,
      status: 200,
      body: {
        '@odata.nextLink': `${FOLDER}/delta?$skiptoken=x`,
        value: [mailed('M1'), { id: 'M2', isRead: true }, { id: 'M3', '@removed': { reason: 'deleted' } }],
      },
    },
    'mail-gone.json': {
      request: `GET ${FOLDER}/delta?$deltatoken=x`,
      status: 410,
      body: { error: { code: 'syncStateNotFound' } },
    },
    'mail-message.json': {
      request: `GET ${GRAPH}/users/ada@contoso.example/messages/M4`,
      status: 200,
      body: mailed('M4', { internetMessageHeaders: [{ name: 'Content-Class', value: 'rpmsg.message' }] }),
    },
    'attachments.json': {
      request: `GET ${GRAPH}/me/messages/M1/attachments`,
      status: 200,
      body: {
        value: [
          { '@odata.type': '#microsoft.graph.fileAttachment', id: 'A1', name: 'pay.txt', size: 3 },
          { '@odata.type': '#microsoft.graph.referenceAttachment', id: 'A2', name: 'link' },
        ],
      },
    },
    'folders.json': {
      request: `GET ${GRAPH}/users/u/mailFolders`,
      status: 200,
      body: {
        value: [
          { id: 'F1', childFolderCount: 0 },
          { '@odata.type': '#microsoft.graph.mailSearchFolder', id: 'F2' },
        ],
      },
    },
  };
  const page = (...ids: string[]) => ({ messages: ids.map((externalId) => ({ externalId })) });
  expect(await printed(recordings)).toMatchObject({
    'channel-delta.json': {
      call: 'channel_delta',
      made: { ...page('1', '1/2'), gone: ['3'], isCaughtUp: false },
    },
    'channel-changes.json': { error: { name: 'DeltaCursorInvalid' } },
    'channel-list.json': { call: 'channel_messages', made: page('5') },
    'channel-denied.json': { error: { name: 'ScopeRefused', retryClass: 'auth' } },
    'replies.json': {
      call: 'channel_replies',
      made: { messages: [{ externalId: '1/6', rootExternalId: '1', attachments: [{ kind: 'reference' }] }] },
    },
    'members.json': { call: 'team_members', made: { members: 2, guests: 1 } },
    'no-folder.json': { call: 'channel_files', made: null },
    'mail-delta.json': {
      call: 'mail_delta',
      made: { messages: [{ externalId: 'M1', subject: 'Pay' }], gone: ['M2', 'M3'], isCaughtUp: false },
    },
    'mail-gone.json': { error: { name: 'DeltaCursorInvalid' } },
    'mail-message.json': { call: 'mail_message', made: { messages: [{ body: null }] } },
    'attachments.json': {
      call: 'mail_attachments',
      made: [
        { kind: 'file', name: 'pay.txt' },
        { kind: 'reference', content: { state: 'link' } },
      ],
    },
    'folders.json': { call: 'mail_folders', made: ['F1'] },
  });
});

const [OURS, THEIRS] = ['5a1e9f30-0000-4000-8000-000000000001', '5a1e9f30-0000-4000-8000-000000000002'];
const LABELS = ['11111111-0000-4000-8000-00000000000a', '11111111-0000-4000-8000-00000000000b'] as const;
const permissions = (...value: object[]) => ({
  ...{ request: `GET ${GRAPH}/drives/x/items/1/permissions`, status: 200, body: { value } },
});
const extracted = (...tenants: string[]) => ({
  request: `POST ${GRAPH}/drives/x/items/1/extractSensitivityLabels`,
  status: 200,
  body: {
    value: {
      labels: tenants.map((tenantId, at) => ({ tenantId, sensitivityLabelId: LABELS[at] })),
    },
  },
});
const JO = { user: { id: 'u1', displayName: 'Jo', email: 'jo@partner.example' } };
const SHARING = {
  'accepted.json': permissions({
    ...{ roles: ['read'], grantedToV2: JO, invitation: { email: 'jo@partner.example' } },
  }),
  'link.json': permissions({
    link: { scope: 'users', type: 'view' },
    grantedToIdentitiesV2: [JO, { user: { displayName: 'Ada', email: 'ada@contoso.example' } }],
  }),
  'inherited.json': permissions(
    { roles: ['write'], grantedToV2: { siteGroup: { displayName: 'Owners' } } },
    { roles: ['read'], grantedToV2: { siteGroup: { displayName: 'Members' } }, inheritedFrom: {} },
  ),
  'two-tenants.json': extracted(THEIRS, OURS),
  'foreign.json': extracted(THEIRS),
  'empty.json': { request: `GET ${GRAPH}/drives/x/items/1/permissions`, status: 200, body: '' },
  'error.json': {
    ...{ request: `GET ${GRAPH}/drives/x/items/1/permissions`, status: 200 },
    body: { error: { code: 'generalException' }, value: [] },
  },
};
const ORGANIZATION = {
  request: `GET ${GRAPH}/organization`,
  status: 200,
  body: { value: [{ id: OURS, verifiedDomains: [{ name: 'contoso.example', isDefault: true }] }] },
};
const AS_EVER = {
  'accepted.json': { made: { grants: [{ external: true }] } },
  'inherited.json': { made: { grants: [{ inherited: null }, { inherited: true }] } },
  'empty.json': { error: { retryClass: 'transient' } },
  'error.json': { error: { retryClass: 'transient' } },
};

test('a recording of the organization says whose labels and addresses are ours', async () => {
  expect(await printed({ ...SHARING, 'organization.json': ORGANIZATION })).toMatchObject({
    ...AS_EVER,
    'organization.json': { call: 'organization', made: { tenantId: OURS, domains: ['contoso.example'] } },
    'link.json': { made: { grants: [{ external: true }, { external: false }] } },
    'two-tenants.json': {
      made: {
        ...{ state: 'labeled', labelGuid: LABELS[1] },
        foreign: [{ tenantId: THEIRS, labelGuid: LABELS[0] }],
      },
    },
    'foreign.json': { made: { state: 'unlabeled', foreign: [{ tenantId: THEIRS }] } },
  });
});

test('without one, no address is external by domain, and one tenant is ours', async () => {
  expect(await printed(SHARING)).toMatchObject({
    ...AS_EVER,
    'link.json': { made: { grants: [{ external: false }, { external: false }] } },
    'two-tenants.json': { made: { state: 'unknown' }, hint: expect.stringContaining('--tenant') },
    'foreign.json': { made: { state: 'labeled' } },
  });
  expect(await printed(SHARING, '--tenant', OURS)).toMatchObject({
    'two-tenants.json': { made: { state: 'labeled', labelGuid: LABELS[1] } },
    'foreign.json': { made: { state: 'unlabeled' } },
  });
});
