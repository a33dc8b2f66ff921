import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const GRAPH = 'https://graph.microsoft.com/v1.0';
const script = path.join(import.meta.dirname, '../../support/graph/replay.ts');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recordings-'));
});
afterAll(() => rm(folder, { recursive: true }));

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
  'no-recording.json': { status: 200 },
  'other.json': { request: `GET ${GRAPH}/me/messages`, status: 200, body: {} },
};

test('a folder of recordings is printed as what the connector makes of each', async () => {
  for (const [name, recording] of Object.entries(RECORDINGS))
    await writeFile(path.join(folder, name), JSON.stringify(recording));
  const { stdout } = await promisify(execFile)(process.execPath, [script, folder]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const made = Object.fromEntries(lines.map(({ file, ...rest }) => [file, rest]));
  expect(made['delta.json']).toMatchObject({
    call: 'delta',
    made: {
      items: [{ externalId: '01B' }, { externalId: '01C', contentVersion: 'at::3' }],
      folders: [{ externalId: '01A', name: '' }],
      gone: ['01D'],
      nextPageToken: expect.any(String),
    },
  });
  expect(made['gone.json'].error).toMatchObject({ name: 'DeltaCursorInvalid', restartsAt: 'location' });
  expect(made['item.json'].error).toMatchObject({ retryClass: 'throttled', retryAfterMs: 120_000 });
  expect(made['batch.json'].made).toMatchObject([
    { call: 'permissions', made: { grants: [{ principalKind: 'anyone' }] } },
    { call: 'labels_extract', made: { state: 'unlabeled' } },
  ]);
  expect(made['no-recording.json'].notReplayed).toContain('request');
  expect(made['other.json'].notReplayed).toContain('no such call');
});
