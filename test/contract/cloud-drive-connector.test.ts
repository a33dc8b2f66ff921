import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FeedConnector } from '../../core/connectors/connector.ts';
import { ADMIN, connectDrive } from '../support/cloud-drive/connect.ts';
import { type DriveFake, FOLDER, startDriveFake, userPermission } from '../support/cloud-drive/drive-fake.ts';
import { exerciseConnector, refusal, type Subject, walkAll } from './connector.exercise.ts';

const live = new AbortController().signal;
const MAX_BYTES = 20 * 1024 * 1024;
const SHARED = '0AFinance';
const SCOPE = `drive:${SHARED}`;
const ADA = 'ada@nordwind.example';
const MINE = `person:${ADA}`;

/** A shared drive with one manager, and a person. */
async function open(): Promise<DriveFake> {
  const fake = await startDriveFake();
  for (const person of [ADMIN, ADA, 'olga@nordwind.example']) fake.act.addPerson(person);
  fake.act.addDrive(SHARED, 'canary drive', [
    userPermission('writer@nordwind.example', 'writer'),
    userPermission('olga@nordwind.example', 'organizer'),
  ]);
  return fake;
}

async function filled(container: string): Promise<{ fake: DriveFake; close: () => Promise<void> }> {
  const fake = await open();
  const folder = fake.act.add(container, 'canary folder', '', { mimeType: FOLDER });
  for (let n = 0; n < 250; n++)
    fake.act.add(container, `canary-${n}.txt`, `file ${n}`, n % 2 === 0 ? { parents: [folder] } : {});
  return { fake, close: fake.stop };
}

for (const [name, container, scopeExternalId] of [
  ['a shared drive', SHARED, SCOPE],
  ['a drive of a person', ADA, MINE],
] as const) {
  exerciseConnector(`cloud drive: ${name}`, async (): Promise<Subject> => {
    const { fake, close } = await filled(container);
    return {
      connector: connectDrive(fake, [SHARED, ADA]),
      scopeExternalId,
      canaries: ['canary', 'nordwind', SHARED, '127.0.0.1', 'ya29'],
      act: {
        add: async (file, text) => fake.act.add(container, file, text),
        edit: async (id, text) => fake.act.edit(id, text),
        rename: async (id, to) => {
          fake.act.rename(id, to);
          return id;
        },
        remove: async (id) => fake.act.remove(id),
      },
      close,
    };
  });
}

describe('a cloud drive', () => {
  let fake: DriveFake;
  beforeEach(async () => {
    fake = await open();
  });
  afterEach(() => fake.stop());

  const connect = () => connectDrive(fake, [SHARED, ADA]);
  const cursorOf = async (connector: FeedConnector, scope = SCOPE) =>
    (await walkAll(connector, scope, live)).pages.at(-1)?.deltaCursor ?? '';
  const changesSince = async (connector: FeedConnector, cursor: string, scope = SCOPE) =>
    (await connector.listDelta(scope, cursor, null, live)).changes;
  const grantsOf = async (id: string, connector = connect()) => {
    const permissions = await connector.getPermissions(SCOPE, id, live);
    return permissions === 'denied' ? permissions : permissions.grants;
  };

  test('shared drives are read in the name of the manager, the list of members as admin', async () => {
    fake.act.add(SHARED, 'a.txt', 'a');
    expect((await walkAll(connect(), SCOPE, live)).items).toHaveLength(1);
    expect(fake.requests.map(({ call, person }) => `${person} ${call}`)).toEqual(
      [
        `${ADMIN} GET /drive/v3/files/${SHARED}/permissions`,
        `${ADMIN} GET /drive/v3/files/${SHARED}/permissions`,
        'olga@nordwind.example GET /drive/v3/changes/startPageToken',
        'olga@nordwind.example GET /drive/v3/files',
      ].filter((line, at, all) => all.indexOf(line) === at),
    );
  });

  test('what others own and share with a person is no item of that person', async () => {
    const mine = fake.act.add(ADA, 'mine.txt', 'mine');
    const theirs = fake.act.add(ADMIN, 'theirs.txt', 'theirs', {
      permissions: [userPermission(ADA, 'reader')],
    });
    const connector = connect();
    expect((await walkAll(connector, MINE, live)).items.map(({ externalId }) => externalId)).toEqual([mine]);
    expect(await connector.getItem(MINE, theirs, live)).toBeNull();
  });

  test('a renamed folder is one change, and costs no call for what is in it', async () => {
    const folder = fake.act.add(SHARED, 'before', '', { mimeType: FOLDER });
    for (let n = 0; n < 50; n++) fake.act.add(SHARED, `${n}.txt`, 'x', { parents: [folder] });
    const connector = connect();
    const cursor = await cursorOf(connector);
    const calls = fake.requests.length;
    fake.act.rename(folder, 'after');
    expect(await changesSince(connector, cursor)).toEqual([
      { type: 'folder', folder: { externalId: folder, parentExternalId: SHARED, name: 'after' } },
    ]);
    expect(fake.requests.length - calls).toBe(1);
  });

  test('the trash, another drive and a deletion end an item', async () => {
    const [trashed, moved, removed] = ['t', 'm', 'r'].map((name) => fake.act.add(SHARED, name, name));
    fake.act.addDrive('0AOther', 'other', [userPermission('olga@nordwind.example', 'organizer')]);
    const connector = connect();
    const cursor = await cursorOf(connector);
    fake.act.trash(trashed ?? '');
    fake.act.move(moved ?? '', '0AOther');
    fake.act.remove(removed ?? '');
    expect((await changesSince(connector, cursor)).map(({ type }) => type)).toEqual([
      'delete',
      'delete',
      'delete',
    ]);
    expect(await connector.getItem(SCOPE, trashed ?? '', live)).toBeNull();
  });

  test('a change during the walk is in the changes after it', async () => {
    for (let n = 0; n < 130; n++) fake.act.add(SHARED, `${n}.txt`, 'x');
    const connector = connect();
    const first = await connector.listItems(SCOPE, null, live);
    const late = fake.act.add(SHARED, 'late.txt', 'late');
    fake.act.edit(first.items[0]?.externalId ?? '', 'edited in the walk');
    let page = first;
    while (page.nextPageToken !== null) page = await connector.listItems(SCOPE, page.nextPageToken, live);
    const ids = (await changesSince(connector, page.deltaCursor ?? '')).map((change) =>
      change.type === 'upsert' ? change.item.externalId : change.type,
    );
    expect(ids).toEqual([late, first.items[0]?.externalId]);
  });

  test('a place that Drive has forgotten begins again', async () => {
    for (let n = 0; n < 130; n++) fake.act.add(SHARED, `${n}.txt`, 'x');
    const connector = connect();
    const { nextPageToken } = await connector.listItems(SCOPE, null, live);
    const invalid = { safeDiagnostic: 'delta_cursor_invalid' };
    fake.state.forgetsPlaces = true;
    expect(await refusal(connector.listItems(SCOPE, nextPageToken, live))).toMatchObject(invalid);
    expect(await refusal(connector.listDelta(SCOPE, '1', null, live))).toMatchObject(invalid);
  });

  test('a shortcut is left out, a form has no content, and a document is an office file', async () => {
    const google = 'application/vnd.google-apps.';
    fake.act.add(SHARED, 'shortcut', '', { mimeType: `${google}shortcut` });
    const form = fake.act.add(SHARED, 'form', '', { mimeType: `${google}form` });
    const doc = fake.act.add(SHARED, 'doc', 'text of it', { mimeType: `${google}document` });
    const connector = connect();
    const page = await connector.listItems(SCOPE, null, live);
    expect(page.leftOut).toEqual(['shortcut']);
    expect(page.items).toMatchObject([
      { externalId: form, notRead: 'package' },
      {
        externalId: doc,
        mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      },
    ]);
    const content = await connector.readContent(SCOPE, doc, MAX_BYTES, live);
    expect(content.state === 'available' && Buffer.from(content.bytes).toString()).toBe('text of it');
  });

  test('an export past the limit of 10 MB is too large, and is asked for once', async () => {
    const id = fake.act.add(SHARED, 'large', Buffer.alloc(10 * 1024 * 1024 + 1), {
      mimeType: 'application/vnd.google-apps.spreadsheet',
    });
    expect(await connect().readContent(SCOPE, id, MAX_BYTES, live)).toMatchObject({ state: 'too_large' });
    expect(fake.requests.filter(({ call }) => call.endsWith('/export'))).toHaveLength(1);
  });

  test.each([{ isAbusive: true }, { canDownload: false }, { isEncrypted: true }])(
    'content is inaccessible: %j',
    async (more) => {
      const id = fake.act.add(SHARED, 'closed.txt', 'closed', more);
      expect(await connect().readContent(SCOPE, id, MAX_BYTES, live)).toEqual({ state: 'inaccessible' });
    },
  );

  test.each([
    ['a 403 with its reason', 403, 'userRateLimitExceeded', undefined],
    ['another such 403', 403, 'rateLimitExceeded', undefined],
    ['429', 429, 'rateLimitExceeded', '1'],
  ])('%s is repeated', async (_what, status, reason, retryAfter) => {
    fake.act.add(SHARED, 'a.txt', 'a');
    fake.fail(/\/files$/, status, reason, 3, retryAfter);
    expect((await walkAll(connect(), SCOPE, live)).items).toHaveLength(1);
  });

  test('throttling that does not end is left to the work unit', async () => {
    fake.fail(/\/files$/, 403, 'userRateLimitExceeded', 99);
    expect(await refusal(connect().listItems(SCOPE, null, live))).toMatchObject({
      retryClass: 'throttled',
      safeDiagnostic: 'throttled_retries_exhausted',
    });
    expect(fake.requests.filter(({ call }) => call.endsWith('/files'))).toHaveLength(5);
  });

  test('a refusal by 403 is not repeated, and refuses the scope', async () => {
    fake.fail(/\/files$/, 403, 'teamDriveMembershipRequired', 99);
    expect(await refusal(connect().listItems(SCOPE, null, live))).toMatchObject({ reason: 'denied' });
    expect(fake.requests.filter(({ call }) => call.endsWith('/files'))).toHaveLength(1);
  });

  test('a suspended person blocks the scope, and the others are listed', async () => {
    fake.act.addPerson(ADA, true);
    const connector = connect();
    expect(await connector.listScopes(null, live)).toEqual({
      scopes: [{ externalId: SCOPE, name: 'canary drive', kind: 'shared drive', siteIds: [SCOPE] }],
      refused: [{ siteId: MINE, name: ADA, reason: 'denied' }],
      nextPageToken: null,
    });
    expect(await refusal(connector.listItems(MINE, null, live))).toMatchObject({ reason: 'denied' });
  });

  test('a scope that is not delegated is an error of the credential', async () => {
    fake.delegated.clear();
    expect(await refusal(connect().listScopes(null, live))).toMatchObject({
      retryClass: 'auth',
      safeDiagnostic: 'cloud_drive_token_not_delegated',
    });
  });

  test('grants name who reads, from where, and whether they inherit', async () => {
    const inherited = [{ permissionType: 'file', role: 'reader', inherited: true }];
    const past = '2020-01-01T00:00:00.000Z';
    const id = fake.act.add(SHARED, 'shared.txt', 'x', {
      permissions: [
        { id: '1', type: 'anyone', role: 'reader', allowFileDiscovery: true },
        { id: '2', type: 'anyone', role: 'commenter', allowFileDiscovery: false },
        { id: '3', type: 'domain', role: 'writer', domain: 'nordwind.example' },
        { id: '4', type: 'domain', role: 'reader', domain: 'partner.example' },
        {
          id: '5',
          type: 'group',
          role: 'reader',
          emailAddress: 'all@partner.example',
          permissionDetails: inherited,
        },
        { id: '6', type: 'user', role: 'reader', emailAddress: 'past@partner.example', expirationTime: past },
        { id: '7', type: 'user', role: 'reader', emailAddress: 'gone@nordwind.example', deleted: true },
        { id: '8', type: 'user', role: 'reader', emailAddress: 'name@nordwind.example', view: 'metadata' },
      ],
    });
    const none = { inherited: null };
    expect(await grantsOf(id)).toEqual([
      {
        ...none,
        principal: 'writer@nordwind.example',
        principalKind: 'user',
        role: 'write',
        external: false,
      },
      { ...none, principal: 'olga@nordwind.example', principalKind: 'user', role: 'owner', external: false },
      { ...none, principal: 'anyone on the web', principalKind: 'anyone', role: 'read', external: true },
      { ...none, principal: 'anyone with the link', principalKind: 'anyone', role: 'read', external: true },
      {
        ...none,
        principal: 'nordwind.example',
        principalKind: 'organization',
        role: 'write',
        external: false,
      },
      { ...none, principal: 'partner.example', principalKind: 'organization', role: 'read', external: true },
      {
        principal: 'all@partner.example',
        principalKind: 'group',
        role: 'read',
        external: true,
        inherited: true,
      },
    ]);
  });
});
