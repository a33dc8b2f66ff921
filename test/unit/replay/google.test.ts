import path from 'node:path';
import { expect, test } from 'vitest';
import { printedOf } from '../../support/replay/printed.ts';

const RECORDINGS = path.join(import.meta.dirname, '../../support/replay/recordings/google');
const OURS = ['--domain', 'nordwind.example'];

const throttled = { error: { retryClass: 'throttled' } };
const INVALID = { error: { name: 'DeltaCursorInvalid', restartsAt: 'beginning' } };
const user = { principalKind: 'user' };

/** By the documentation of Google, in the order of the recordings of each file. */
const GRANTS = [
  { ...user, role: 'owner', external: false, inherited: true },
  { ...user, role: 'write', external: true, inherited: false },
  { principalKind: 'group', role: 'read', external: false, inherited: false },
  { principalKind: 'organization', role: 'read', external: false, inherited: null },
  { principalKind: 'organization', role: 'read', external: true, inherited: null },
  { principalKind: 'anyone', role: 'read', external: true, principal: 'anyone with the link' },
  { principalKind: 'anyone', role: 'write', external: true, principal: 'anyone on the web' },
  { ...user, role: 'write', external: false },
];
const READ = {
  'permissions.json': [
    { call: 'permissions', made: { grants: GRANTS } },
    { hasNextPage: true, made: { grants: [{ ...user, role: 'owner', inherited: null }] } },
    { made: 'denied' },
    throttled,
    { error: { retryClass: 'throttled', retryAfterMs: 30_000 } },
    { made: { grants: [], complete: false } },
  ],
  'files.json': [
    {
      call: 'files',
      made: {
        items: [
          { externalId: '1PlanOfSales', parentExternalId: '1FolderOfSales', sizeBytes: 2048 },
          { externalId: '1Locked', notRead: 'no_download' },
          { externalId: '1Document', parentExternalId: null, mimeType: expect.stringContaining('word') },
          { externalId: '1Form', notRead: 'package' },
          { externalId: '1Encrypted', notRead: 'encrypted' },
        ],
        folders: [
          { externalId: '0ASharedDriveOfSales', parentExternalId: null },
          { externalId: '1FolderOfSales', parentExternalId: '0ASharedDriveOfSales' },
        ],
        leftOut: ['shortcut'],
        nextPageToken: expect.any(String),
        deltaCursor: null,
      },
    },
    { made: { items: [{ externalId: '1Own' }], nextPageToken: null, deltaCursor: expect.any(String) } },
    { error: { retryClass: 'transient' } },
    INVALID,
    { call: 'file', made: { externalId: '1Own', kind: 'file', contentVersion: 'c3'.repeat(16) } },
    { call: 'file', made: { items: [], folders: [{ externalId: '1FolderOfSales' }] } },
    { made: 'denied' },
    { made: null },
    throttled,
    { error: { retryClass: 'auth' } },
  ],
  'changes.json': [
    {
      made: {
        changes: [
          { type: 'folder', folder: { externalId: '0ASharedDriveOfSales' } },
          { type: 'upsert', item: { externalId: '1PlanOfSales' } },
          { type: 'delete', externalId: '1Gone' },
          { type: 'delete', externalId: '1Moved' },
          { type: 'delete', externalId: '1Trash' },
        ],
        nextPageToken: null,
        deltaCursor: '45',
      },
    },
    { made: { changes: [], nextPageToken: expect.any(String), deltaCursor: null } },
    INVALID,
    { call: 'start_token', made: { deltaCursor: '41' } },
  ],
  'contents.json': [
    { call: 'content', made: { state: 'available', bytes: 4 } },
    { call: 'content', made: { state: 'redirected' } },
    { call: 'download', made: { state: 'available', bytes: 4 } },
    { made: { state: 'inaccessible', reason: 'malware' } },
    throttled,
    { call: 'export', made: { state: 'available', bytes: 10 } },
    { call: 'export', made: { state: 'too_large' } },
    { call: 'export', made: { state: 'inaccessible' } },
  ],
  'labels.json': [
    {
      call: 'label',
      made: [
        { guid: 'ChoiceA', name: 'Internal' },
        { guid: 'ChoiceB', name: 'Secret' },
      ],
    },
    { call: 'labels', made: { state: 'labeled', labelGuid: 'ChoiceB', labelName: 'Secret' } },
    { made: { state: 'unlabeled' } },
    { made: { state: 'unknown' } },
    { made: { state: 'unknown' } },
  ],
  'scopes.json': [
    { call: 'drive', made: { scopes: [{ kind: 'shared drive' }], refused: [] } },
    { call: 'drive', made: { scopes: [], refused: [{ reason: 'not_found' }] } },
    { call: 'token', made: { refused: [{ reason: 'denied' }] } },
    { call: 'token', error: { retryClass: 'auth' } },
    { notReplayed: expect.any(String) },
  ],
};

test('documented answers of Google Drive are read as they are documented', async () => {
  const { byFile, stdout } = await printedOf(RECORDINGS, ...OURS);
  expect(byFile).toMatchObject(READ);
  expect(Object.keys(byFile).sort()).toEqual(Object.keys(READ).sort());
  expect(stdout).not.toMatch(/falk|kim|nordwind|partner/i);
});

test('without --domain nobody is external by address, and a hint says so', async () => {
  const { byFile } = await printedOf(RECORDINGS);
  expect(byFile['permissions.json']?.[0]).toMatchObject({
    hint: expect.stringContaining('--domain'),
    made: { grants: GRANTS.map((each) => ({ ...each, external: each.principalKind === 'anyone' })) },
  });
});
