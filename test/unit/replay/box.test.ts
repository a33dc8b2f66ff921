import path from 'node:path';
import { expect, test } from 'vitest';
import { printedOf } from '../../support/replay/printed.ts';

const RECORDINGS = path.join(import.meta.dirname, '../../support/replay/recordings/box');

const INVALID = { error: { name: 'DeltaCursorInvalid', restartsAt: 'beginning' } };
const OWNER = { principalKind: 'user', role: 'owner', external: false };
/** What people get on folder 41. One of them sees the way to something in it alone. */
const OF_FOLDER = (inherited: boolean) => [
  { principalKind: 'group', role: 'read', external: false, inherited },
  {
    ...{ principalKind: 'user', role: 'read', external: true, inherited },
    ...(inherited && { unconfirmed: true }),
  },
];
const OF_FILE = [
  OWNER,
  { principalKind: 'link', role: 'write', external: true, inherited: false },
  { principalKind: 'user', role: 'write', external: true },
  { principalKind: 'user', role: 'read', external: false },
  { principalKind: 'user', role: 'write', external: true },
  { principalKind: 'organization', role: 'read', external: false },
];
const linked = (...grants: object[]) => ({ call: 'file', made: { permissions: { grants } } });

/** By the documentation of Box, in the order of the recordings of each file. */
const READ = {
  'people.json': [
    { call: 'users', made: { people: 2 } },
    { call: 'me', made: { id: '901' } },
  ],
  'folder-41.json': [
    {
      call: 'folder',
      made: {
        folders: [{ externalId: 'folder:0' }, { externalId: 'folder:41', parentExternalId: 'folder:0' }],
        permissions: { grants: [OWNER, ...OF_FOLDER(false)], complete: true },
      },
    },
    { call: 'folder_collaborations', made: { grants: [OWNER, ...OF_FOLDER(false)] } },
    {
      call: 'items',
      hasNextPage: true,
      made: {
        items: [{ externalId: '51', parentExternalId: 'folder:41' }],
        folders: [{ externalId: 'folder:41' }, { externalId: 'folder:42', parentExternalId: 'folder:41' }],
        leftOut: ['no_content'],
      },
    },
    INVALID,
  ],
  'files.json': [
    {
      call: 'file',
      made: {
        item: {
          ...{ externalId: '51', kind: 'file', sizeBytes: 629_644, contentVersion: 'a1'.repeat(20) },
          facts: { tags: [{ value: 'yes' }, { value: 'yes' }] },
        },
        permissions: {
          grants: [
            OWNER,
            { principalKind: 'anyone', role: 'read', external: true, principal: 'open link' },
            ...OF_FOLDER(true),
          ],
          complete: true,
        },
        label: { state: 'labeled', labelGuid: '0c1b', labelName: 'Secret' },
      },
    },
    {
      made: {
        item: { externalId: '52', notRead: 'no_download' },
        permissions: { grants: OF_FILE },
        label: { state: 'unlabeled' },
      },
    },
    linked({ principalKind: 'organization', role: 'read', external: false }),
    linked(),
    linked(),
    { call: 'file', made: { item: null } },
    { call: 'file', made: { item: null } },
    { error: { retryClass: 'throttled', retryAfterMs: 100_000 } },
  ],
  'collaborations.json': [
    { call: 'file_collaborations', made: { grants: OF_FILE } },
    { hasNextPage: true, made: { grants: [], complete: false } },
    { made: { grants: [], complete: false } },
  ],
  'classification.json': [
    {
      call: 'classifications',
      made: [
        { guid: '0c1a', name: 'Public' },
        { guid: '0c1b', name: 'Secret' },
      ],
    },
    { call: 'classification', made: { state: 'labeled', labelGuid: '0c1b', labelName: 'Secret' } },
    { made: { state: 'unlabeled' } },
    { made: { state: 'unknown' } },
  ],
  'events.json': [
    {
      call: 'events',
      made: {
        changes: [
          { type: 'folder', folder: { externalId: 'folder:0' } },
          { type: 'upsert', item: { externalId: '52' } },
          { type: 'delete', externalId: '99' },
          { type: 'folder', folder: { externalId: 'folder:41' } },
        ],
        nextPageToken: expect.any(String),
      },
    },
    INVALID,
    INVALID,
  ],
  'contents.json': [
    { call: 'content', made: { state: 'redirected' } },
    { call: 'download', made: { state: 'available', bytes: 4 } },
    { error: { retryClass: 'throttled', retryAfterMs: 5_000 } },
    { made: { state: 'inaccessible', reason: 'malware' } },
    { made: { state: 'inaccessible', reason: 'no_download' } },
    { call: 'token', error: { retryClass: 'auth' } },
  ],
};

test('documented answers of Box are read as they are documented', async () => {
  const { byFile, stdout } = await printedOf(RECORDINGS);
  expect(byFile).toMatchObject(READ);
  expect(Object.keys(byFile).sort()).toEqual(Object.keys(READ).sort());
  expect(stdout).not.toMatch(/falk|kim|nordwind|partner/i);
});
