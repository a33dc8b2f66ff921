import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { labelClient } from '../../core/connectors/cloud-drive/drive-connector.ts';
import { probeDriveLabel } from '../../core/connectors/cloud-drive/drive-labels.ts';
import { type FeedConnector, ScopeRefused } from '../../core/connectors/connector.ts';
import { ADMIN, connectDrive, driveOptions } from '../support/cloud-drive/connect.ts';
import {
  type DriveFake,
  FOLDER,
  READS_LABELS,
  startDriveFake,
  userPermission,
} from '../support/cloud-drive/drive-fake.ts';
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
        `olga@nordwind.example GET /drive/v3/drives/${SHARED}`,
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

  test.each([
    [{ isAbusive: true }, { reason: 'malware' }],
    [{ canDownload: false }, { reason: 'no_download' }],
    [{ isEncrypted: true }, { reason: 'encrypted' }],
  ])('content is inaccessible: %j', async (more, reason) => {
    const id = fake.act.add(SHARED, 'closed.txt', 'closed', more);
    expect(await connect().readContent(SCOPE, id, MAX_BYTES, live)).toEqual({
      state: 'inaccessible',
      ...reason,
    });
  });

  test('the list says what is encrypted and what may not be downloaded', async () => {
    fake.act.add(SHARED, 'locked', 'x', { isEncrypted: true });
    fake.act.add(SHARED, 'shown', 'x', { canDownload: false });
    fake.act.add(SHARED, 'open', 'x');
    const { items } = await walkAll(connect(), SCOPE, live);
    expect(Object.fromEntries(items.map(({ name, notRead }) => [name, notRead]))).toEqual({
      locked: 'encrypted',
      shown: 'no_download',
      open: undefined,
    });
  });

  test('a content elsewhere is read without the bearer, on hosts of contents alone', async () => {
    const id = fake.act.add(SHARED, 'a.txt', 'elsewhere');
    const read = () => connect().readContent(SCOPE, id, MAX_BYTES, live);
    fake.state.redirectsTo = 'contents';
    const content = await read();
    expect(content.state === 'available' && Buffer.from(content.bytes).toString()).toBe('elsewhere');
    for (const elsewhere of [fake.url, 'http://169.254.169.254', 'https://googleusercontent.com.example']) {
      fake.state.redirectsTo = new URL(elsewhere);
      const calls = fake.requests.length;
      expect(await refusal(read())).toMatchObject({
        retryClass: 'permanent',
        safeDiagnostic: 'cloud_drive_download_link_refused',
      });
      expect(fake.requests.slice(calls).every(({ call }) => !call.includes('/download/'))).toBe(true);
    }
  });

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

  test.each([
    ['accessNotConfigured', 'auth', 'api_not_enabled'],
    ['insufficientPermissions', 'auth', 'scope_missing'],
    ['domainPolicy', 'auth', 'domain_policy'],
    ['dailyLimitExceeded', 'throttled', 'daily_limit'],
    ['downloadQuotaExceeded', 'throttled', 'daily_limit'],
  ])('a 403 with %s says nothing of the file or the drive', async (reason, retryClass, word) => {
    const id = fake.act.add(SHARED, 'a.txt', 'a');
    const connector = connect();
    fake.fail(/\/files\/1Fake/, 403, reason, 99);
    fake.fail(/\/files$/, 403, reason, 99);
    for (const [call, read] of [
      ['files', () => connector.listItems(SCOPE, null, live)],
      ['file', () => connector.getItem(SCOPE, id, live)],
      ['permissions', () => connector.getPermissions(SCOPE, id, live)],
      ['file', () => connector.readContent(SCOPE, id, MAX_BYTES, live)],
    ] as const)
      expect(await refusal(read())).toMatchObject({
        retryClass,
        safeDiagnostic: `cloud_drive_${call}_${word}`,
      });
  });

  test('a member who has lost the drive deletes nothing: the next one reads it', async () => {
    fake.act.addPerson('writer@nordwind.example');
    const id = fake.act.add(SHARED, 'salaries.txt', 'text');
    const connector = connectDrive(fake, [SHARED]);
    expect(await connector.getItem(SCOPE, id, live)).toMatchObject({ name: 'salaries.txt' });
    fake.act.removeMember(SHARED, 'olga@nordwind.example');
    expect(await connector.getItem(SCOPE, id, live)).toMatchObject({ name: 'salaries.txt' });
    fake.act.removeMember(SHARED, 'writer@nordwind.example');
    for (const read of [connector.getItem(SCOPE, id, live), connector.getPermissions(SCOPE, id, live)])
      await expect(read).rejects.toBeInstanceOf(ScopeRefused);
  });

  test('a 403 that is about the file is a refusal of the file', async () => {
    const id = fake.act.add(SHARED, 'a.txt', 'a');
    const connector = connect();
    fake.fail(/\/files\/1Fake/, 403, 'insufficientFilePermissions', 99);
    expect(await connector.getItem(SCOPE, id, live)).toBe('denied');
    expect(await connector.getPermissions(SCOPE, id, live)).toBe('denied');
  });

  test('a shared drive whose first manager is suspended is read by the next member', async () => {
    fake.act.addPerson('olga@nordwind.example', true);
    fake.act.addPerson('writer@nordwind.example');
    fake.act.add(SHARED, 'a.txt', 'a');
    expect((await walkAll(connect(), SCOPE, live)).items).toHaveLength(1);
    fake.act.addPerson('writer@nordwind.example', true);
    expect(await refusal(connect().listItems(SCOPE, null, live))).toMatchObject({
      reason: 'denied',
      safeDiagnostic: 'cloud_drive_member_missing',
    });
  });

  test('a new member of a shared drive is a change of its top folder', async () => {
    fake.act.add(SHARED, 'a.txt', 'a');
    const connector = connect();
    const cursor = await cursorOf(connector);
    fake.act.addMember(SHARED, userPermission('new@nordwind.example', 'reader'));
    expect(await changesSince(connector, cursor)).toEqual([
      { type: 'folder', folder: { externalId: SHARED, parentExternalId: null, name: '' } },
    ]);
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

  test('a folder with limited access keeps what is its own, and its managers', async () => {
    const cut = { inheritedPermissionsDisabled: true, type: 'user' as const };
    const from = (inherited: boolean) => [{ permissionType: 'member', role: 'writer', inherited }];
    const at = (name: string) => `${name}@nordwind.example`;
    const id = fake.act.add(SHARED, 'limited', '', {
      mimeType: FOLDER,
      permissions: [
        { ...cut, id: '1', role: 'writer', emailAddress: at('above'), permissionDetails: from(true) },
        { ...cut, id: '2', role: 'reader', emailAddress: at('name'), view: 'metadata' },
        { ...cut, id: '3', role: 'writer', emailAddress: at('own'), permissionDetails: from(false) },
        { ...cut, id: '4', role: 'organizer', emailAddress: at('head'), permissionDetails: from(true) },
        { id: '5', type: 'user', role: 'writer', emailAddress: at('next'), pendingOwner: true },
        { id: '6', type: 'user', role: 'curator', emailAddress: at('unknown') },
        { id: '7', type: 'anyone', role: 'reader', view: 'published' },
      ],
    });
    const grants = await grantsOf(id);
    expect(
      grants === 'denied' ? grants : grants.slice(2).map(({ principal, role }) => [principal, role]),
    ).toEqual([
      [at('own'), 'write'],
      [at('head'), 'owner'],
      [at('next'), 'write'],
      [at('unknown'), 'read'],
      ['anyone with the link', 'read'],
    ]);
  });

  describe('labels', () => {
    const SECRECY = {
      fieldId: 'level',
      title: 'Secrecy',
      choices: { c1: 'Public', c2: 'Internal', c3: 'Secret' },
    };
    const reading = (label: string | null = 'secrecy') => connectDrive(fake, [SHARED], { label });
    beforeEach(() => {
      fake.delegated.add(READS_LABELS);
      fake.act.publishLabel('secrecy', SECRECY);
    });

    test('the strongest choice is the label, and a file without one is unlabeled', async () => {
      const [file = '', bare = ''] = ['a', 'b'].map((name) => fake.act.add(SHARED, name, name));
      fake.act.label(file, 'secrecy', 'c3', 'c1');
      fake.act.label(bare, 'other', 'x');
      const secret = { state: 'labeled', labelGuid: 'c3', labelName: 'Secret' };
      expect(await reading().getLabel(SCOPE, file, live)).toEqual(secret);
      expect(await reading('secrecy/level').getLabel(SCOPE, file, live)).toEqual(secret);
      expect(await reading().getLabel(SCOPE, bare, live)).toEqual({ state: 'unlabeled' });
      expect(await reading().listLabels(live)).toEqual(
        Object.entries(SECRECY.choices).map(([guid, name]) => ({ guid, name })),
      );
    });

    test('a changed label is another version, and the list says it without a call', async () => {
      const file = fake.act.add(SHARED, 'a', 'a');
      const connector = reading();
      const before = await connector.getItem(SCOPE, file, live);
      const cursor = await cursorOf(connector);
      fake.act.label(file, 'secrecy', 'c2');
      const [change] = await changesSince(connector, cursor);
      expect(change).toMatchObject({ type: 'upsert', item: { externalId: file } });
      const item = await connector.getItem(SCOPE, file, live);
      expect(item).not.toEqual(before);
      expect(change).toEqual({ type: 'upsert', item });
      expect((await walkAll(connector, SCOPE, live)).items).toEqual([item]);
      expect(fake.requests.filter(({ call }) => call.endsWith('/listLabels'))).toEqual([]);
    });

    test('the bearer for labels reads labels alone', async () => {
      fake.act.add(SHARED, 'a', 'a');
      await walkAll(reading(), SCOPE, live);
      expect(fake.requests.filter(({ call }) => call.includes('/v2/'))).toEqual([
        { call: 'GET /v2/labels/secrecy', person: ADMIN },
      ]);
    });

    test.each([
      ['no label is selected', null, undefined],
      ['nobody delegated the scope', 'secrecy', () => fake.delegated.delete(READS_LABELS)],
      ['the edition or the id has none', 'unknown', undefined],
      ['the API is off', 'secrecy', () => fake.fail(/labels/, 403, 'SERVICE_DISABLED', 99)],
    ])('is not known here if %s, and files are read', async (_why, label, act) => {
      const file = fake.act.add(SHARED, 'a', 'a');
      fake.act.label(file, 'secrecy', 'c2');
      act?.();
      const connector = reading(label);
      expect(await connector.getLabel(SCOPE, file, live)).toEqual({ state: 'unknown' });
      expect((await walkAll(connector, SCOPE, live)).items).toHaveLength(1);
    });

    test('while its names cannot be read, files are, and no label counts as taken off', async () => {
      const file = fake.act.add(SHARED, 'a', 'a');
      fake.act.label(file, 'secrecy', 'c2');
      fake.fail(/v2.labels/, 503, 'backendError', 5);
      let now = Date.now();
      const connector = connectDrive(fake, [SHARED], { label: 'secrecy', clock: () => now });
      expect(await connector.getLabel(SCOPE, file, live)).toBe('denied');
      await expect(connector.listLabels(live)).rejects.toMatchObject({ safeDiagnostic: 'label_unanswered' });
      const unanswered = await walkAll(connector, SCOPE, live);
      expect(unanswered.items).toHaveLength(1);
      expect(await connector.getPermissions(SCOPE, file, live)).toMatchObject({ complete: false });
      expect(await connector.readContent(SCOPE, file, MAX_BYTES, live)).toMatchObject({ state: 'available' });
      // The API is not asked again for each file.
      expect(fake.requests.filter(({ call }) => call.includes('/v2/'))).toHaveLength(5);
      now += 10 * 60_000 + 1;
      expect(await connector.getLabel(SCOPE, file, live)).toMatchObject({ labelName: 'Internal' });
      expect((await walkAll(connector, SCOPE, live)).items).toEqual(unanswered.items);
      fake.fail(/v2.labels/, 503, 'backendError', 99);
      now += 10 * 60_000 + 1;
      expect(await connector.getLabel(SCOPE, file, live)).toMatchObject({ labelName: 'Internal' });
    });

    test('the test of the connection says why it is not known', async () => {
      const options = driveOptions(fake, [SHARED]);
      const probe = (label: string) => probeDriveLabel(labelClient(options), label, live);
      expect(await probe('secrecy')).toEqual({ state: 'ok' });
      expect(await probe('unknown')).toMatchObject({ reason: 'not_offered' });
      fake.delegated.delete(READS_LABELS);
      const refused = { reason: 'missing_permission', missing: ['drive.labels.readonly'] };
      expect(await probeDriveLabel(labelClient(options), 'secrecy', live)).toMatchObject(refused);
    });
  });
});
