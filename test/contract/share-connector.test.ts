import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBlobConnector } from '../../core/connectors/blob/blob-connector.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { type FilesFake, startFilesFake } from '../support/files/files-fake.ts';
import { expectSafe, refusal, walkAll } from './connector.exercise.ts';

const live = new AbortController().signal;
const MAX_BYTES = 1_000_000;
const MIB = 1024 * 1024;

let files: FilesFake;
let share = '';
let made = 0;
beforeAll(async () => {
  files = await startFilesFake();
});
afterAll(() => files.stop());
beforeEach(() => {
  share = `share-${++made}`;
  files.createShare(share);
  files.answerNext(null);
  files.asked.length = 0;
});

const connectorOf = (secret = files.signature()) =>
  createBlobConnector({ containers: [], filesUrl: files.url, shares: [share], secret });
const scope = () => `${files.account}/files/${share}`;
const idsOf = async (connector = connectorOf()) =>
  (await walkAll(connector, scope(), live)).items.map(({ externalId }) => externalId);
const listings = () => files.asked.filter(({ query }) => query.get('comp') === 'list');

describe('a walk over a share', () => {
  test('gives each file once: wide, deep, empty and nested directories', async () => {
    const expected: string[] = [];
    const add = (path: string) => {
      files.put(share, path, 'x');
      expected.push(path);
    };
    for (let at = 0; at < 450; at++) add(`wide/${String(at).padStart(3, '0')}.txt`);
    for (let at = 0; at < 130; at++) add(`many/${String(at).padStart(3, '0')}/one.txt`);
    add(`${'d/'.repeat(60)}deep.txt`);
    files.mkdir(share, 'empty/inside');
    add('top.txt');
    const { pages, items } = await walkAll(connectorOf(), scope(), live);
    expect(items.map(({ externalId }) => externalId).toSorted()).toEqual(expected.toSorted());
    expect(Math.max(...pages.map(({ items: each }) => each.length))).toBeLessThanOrEqual(200);
  });

  test('goes on in another process from its token alone', async () => {
    for (let at = 0; at < 150; at++)
      for (const file of ['a.txt', 'b.txt']) files.put(share, `${String(at).padStart(3, '0')}/${file}`, 'x');
    const ids: string[] = [];
    let token: string | null = null;
    do {
      const page = await connectorOf().listItems(scope(), token, live);
      ids.push(...page.items.map(({ externalId }) => externalId));
      token = page.nextPageToken;
    } while (token !== null);
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
  });

  test('costs about one listing for each page of a directory', async () => {
    for (let at = 0; at < 640; at++) files.put(share, `${at}.txt`, 'x');
    await idsOf();
    // The fake gives 64 entries at once.
    expect(listings().length).toBeLessThanOrEqual(15);
  });

  test('goes on when a directory goes while it is in it', async () => {
    for (let at = 0; at < 300; at++) files.put(share, `b/${at}.txt`, 'x');
    files.put(share, 'a/1.txt', 'x');
    files.put(share, 'c/1.txt', 'x');
    const { nextPageToken } = await connectorOf().listItems(scope(), null, live);
    files.remove(share, 'b');
    const rest = await connectorOf().listItems(scope(), nextPageToken, live);
    expect(rest.items.map(({ externalId }) => externalId)).toContain('c/1.txt');
    expect(rest.nextPageToken).toBeNull();
  });

  test('loses nothing when its directories change before it comes back to them', async () => {
    const added = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => {
        const path = `${prefix}${String(at).padStart(3, '0')}`;
        files.put(share, path, 'x');
        return path;
      });
    const expected = [...added('000/', 250), ...added('files/1', 70), ...added('files/0/', 250)];
    for (let at = 0; at < 70; at++) expected.push(...added(`many/${String(at).padStart(2, '0')}/`, 5));
    const ids = new Set<string>();
    let token: string | null = null;
    for (let round = 0; round === 0 || token !== null; round++) {
      // Each page in another process, which has kept no listing.
      const page = await connectorOf().listItems(scope(), token, live);
      for (const { externalId } of page.items) ids.add(externalId);
      token = page.nextPageToken;
      // The first file of a page that was taken goes, and a directory comes before the others.
      if (ids.has('files/1000')) files.remove(share, 'files/1000');
      if (ids.has('many/00/000')) files.mkdir(share, `many/00-${round}`);
    }
    expect(expected.filter((path) => !ids.has(path))).toEqual([]);
  });

  test('never asks for a snapshot, and sends reads alone', async () => {
    files.put(share, 'a.txt', 'x');
    await idsOf();
    await connectorOf().getPermissions(scope(), 'a.txt', live);
    await connectorOf().readContent(scope(), 'a.txt', MAX_BYTES, live);
    expect(new Set(files.asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(files.asked.filter(({ query }) => query.has('sharesnapshot'))).toEqual([]);
  });

  test('reads names that no file system expects', async () => {
    const names = ["ü +%25&'.txt", 'odd\uFFFE.txt', 'ends in a dot.', '#[]@!$(),;=.txt', '\u{1F600}.txt'];
    for (const name of names) files.put(share, `folder ü/${name}`, name);
    const connector = connectorOf();
    expect((await idsOf(connector)).toSorted()).toEqual(names.map((name) => `folder ü/${name}`).toSorted());
    for (const name of names)
      expect(await connector.readContent(scope(), `folder ü/${name}`, MAX_BYTES, live)).toEqual({
        state: 'available',
        bytes: Buffer.from(name),
      });
    expect(files.asked.every(({ headers }) => headers['x-ms-allow-trailing-dot'] === 'true')).toBe(true);
  });

  test('another case of a name is no other file', async () => {
    files.put(share, 'Report.txt', 'x');
    expect(await connectorOf().getItem(scope(), 'report.TXT', live)).toBeNull();
    expect(await connectorOf().getItem(scope(), 'Report.txt', live)).toMatchObject({ name: 'Report.txt' });
  });

  test('names that lead out of the directory are left out', async () => {
    const entry = (name: string) =>
      `<Directory><Name>${name}</Name><Properties /></Directory><File><Name>${name}</Name><Properties><Content-Length>1</Content-Length></Properties></File>`;
    const body = `<EnumerationResults><Entries>${['..', 'a/b', ''].map(entry).join('')}</Entries><NextMarker /></EnumerationResults>`;
    files.answerNext(() => ({ status: 200, body }));
    expect(await connectorOf().listItems(scope(), null, live)).toMatchObject({
      items: [],
      leftOut: Array(6).fill('unreadable'),
      nextPageToken: null,
    });
  });
});

describe('faults of a share', () => {
  test.each([
    ['a repeated marker', '<EnumerationResults><Entries /><NextMarker>m</NextMarker></EnumerationResults>'],
    ['an answer that is none', '<html>sign in</html>'],
    ['no answer at all', ''],
  ])('%s is a failure and not an end', async (_, body) => {
    files.answerNext(() => ({ status: 200, body }));
    expect(await refusal(idsOf())).toMatchObject({ retryClass: 'transient' });
  });

  test('a share that is gone or refused is a refused scope, whatever is asked of it', async () => {
    files.put(share, 'a.txt', 'x');
    const refusedBy = async (secret: string, reason: string) => {
      const connector = connectorOf(secret);
      for (const attempt of [
        () => connector.listItems(scope(), null, live),
        () => connector.getItem(scope(), 'a.txt', live),
        () => connector.readContent(scope(), 'a.txt', MAX_BYTES, live),
      ])
        expect(await refusal(attempt())).toMatchObject({ name: 'ScopeRefused', reason });
    };
    await refusedBy(files.signature('x'), 'denied');
    files.deleteShare(share);
    await refusedBy(files.signature(), 'not_found');
  });

  test('a wrong signature is a refused credential, and not a refused share', async () => {
    const error = await refusal(idsOf(connectorOf('?sv=2024-11-04&ss=f&sp=rl&sig=wrong')));
    expect(error).toMatchObject({ name: 'ConnectorError', safeDiagnostic: 'blob_credential_refused' });
  });

  test('a busy service is asked again later', async () => {
    files.answerNext(() => ({ status: 503, code: 'ServerBusy' }));
    expect(await refusal(idsOf())).toMatchObject({ retryClass: 'throttled', safeDiagnostic: 'blob_busy' });
  });

  test('a marker that the service no longer knows starts the walk again', async () => {
    for (let at = 0; at < 300; at++) files.put(share, `${at}.txt`, 'x');
    const { nextPageToken } = await connectorOf().listItems(scope(), null, live);
    files.answerNext(({ query }) =>
      query.has('marker') ? { status: 400, code: 'InvalidQueryParameterValue' } : null,
    );
    expect(await refusal(connectorOf().listItems(scope(), nextPageToken, live))).toMatchObject({
      name: 'DeltaCursorInvalid',
    });
  });

  test('an empty end is none if the service has forgotten its markers', async () => {
    for (let at = 0; at < 300; at++) files.put(share, `folder/${String(at).padStart(3, '0')}.txt`, 'x');
    const { items, nextPageToken } = await connectorOf().listItems(scope(), null, live);
    expect(items.length).toBeLessThan(300);
    const empty = '<EnumerationResults><Entries /><NextMarker /></EnumerationResults>';
    let forgotten = 0;
    files.answerNext(({ query }) =>
      query.has('marker') && forgotten++ === 0 ? { status: 200, body: empty } : null,
    );
    expect(await refusal(connectorOf().listItems(scope(), nextPageToken, live))).toMatchObject({
      name: 'DeltaCursorInvalid',
    });
  });

  test('an empty end is one if nothing is listed beyond it', async () => {
    for (let at = 0; at < 300; at++) files.put(share, `${String(at).padStart(3, '0')}.txt`, 'x');
    const { items, nextPageToken } = await connectorOf().listItems(scope(), null, live);
    for (let at = items.length; at < 300; at++) files.remove(share, `${String(at).padStart(3, '0')}.txt`);
    expect(await connectorOf().listItems(scope(), nextPageToken, live)).toMatchObject({
      items: [],
      nextPageToken: null,
    });
  });

  test('a walk that is too deep to remember fails, and drops nothing silently', async () => {
    const name = 'd'.repeat(255);
    const body = `<EnumerationResults><Entries><Directory><Name>${name}</Name></Directory></Entries><NextMarker /></EnumerationResults>`;
    files.answerNext(() => ({ status: 200, body }));
    const error = await refusal(idsOf());
    expect(error).toMatchObject({ retryClass: 'permanent', safeDiagnostic: 'blob_walk_too_deep' });
    expectSafe(error, [share, name]);
  });
});

test('an impossible name of a container or share is refused, and the others are read', async () => {
  files.put(share, 'a.txt', 'x');
  const connector = createBlobConnector({
    accountUrl: 'http://127.0.0.1:1/account',
    containers: ['No_Container'],
    filesUrl: files.url,
    shares: [share, 'Finance'],
    secret: files.signature(),
  });
  expect((await connector.listScopes(null, live)).scopes).toMatchObject([
    { name: 'No_Container', kind: 'container' },
    { name: 'Finance', kind: 'share' },
    { name: share, kind: 'share' },
  ]);
  expect(await idsOf(connector)).toEqual(['a.txt']);
  for (const id of ['account/No_Container', `${files.account}/files/Finance`])
    expect(await refusal(connector.listItems(id, null, live))).toMatchObject({
      name: 'ScopeRefused',
      reason: 'malformed_id',
    });
});

describe('contents of a share', () => {
  test('are read in ranges, and never beyond what was asked for', async () => {
    const content = Buffer.alloc(20 * MIB, 'content ');
    files.put(share, 'large.bin', content);
    const read = await connectorOf().readContent(scope(), 'large.bin', 32 * MIB, live);
    expect(read.state === 'available' && content.equals(read.bytes)).toBe(true);
    expect(files.asked.map(({ headers }) => headers['x-ms-range'])).toEqual([
      'bytes=0-8388607',
      'bytes=8388608-16777215',
      'bytes=16777216-25165823',
    ]);
    files.asked.length = 0;
    expect(await connectorOf().readContent(scope(), 'large.bin', 9 * MIB, live)).toEqual({
      state: 'too_large',
      sizeBytes: 20 * MIB,
    });
    expect(files.asked).toHaveLength(1);
  });

  test('an empty file has no range and is available', async () => {
    files.put(share, 'empty.txt', '');
    expect(await connectorOf().readContent(scope(), 'empty.txt', MAX_BYTES, live)).toEqual({
      state: 'available',
      bytes: new Uint8Array(),
    });
  });

  test('a file that changes between two ranges is read again later', async () => {
    files.put(share, 'a.bin', Buffer.alloc(9 * MIB));
    files.answerNext(({ headers }) => {
      if (headers['x-ms-range'] !== 'bytes=0-8388607') files.put(share, 'a.bin', Buffer.alloc(9 * MIB, 'x'));
      return null;
    });
    expect(await refusal(connectorOf().readContent(scope(), 'a.bin', 32 * MIB, live))).toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 'blob_file_changed',
    });
  });

  test('a file that a client holds is read again later, and is not inaccessible', async () => {
    files.put(share, 'a.txt', 'x');
    files.open(share, 'a.txt', 'exclusive');
    expect(await refusal(connectorOf().readContent(scope(), 'a.txt', MAX_BYTES, live))).toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 'blob_file_in_use',
    });
  });

  test('the size of a file that a client writes is the present one', async () => {
    files.put(share, 'a.txt', 'twelve bytes');
    files.open(share, 'a.txt', 'writing');
    expect(await connectorOf().getItem(scope(), 'a.txt', live)).toMatchObject({ sizeBytes: 12 });
  });

  test('an answer that ignores the range is a failure', async () => {
    files.answerNext(() => ({ status: 200, body: 'whole' }));
    const attempt = connectorOf().readContent(scope(), 'a.txt', MAX_BYTES, live);
    expect(await refusal(attempt)).toBeInstanceOf(ConnectorError);
  });
});

describe('versions of a file', () => {
  const seen = async () => {
    const item = await connectorOf().getItem(scope(), 'a.txt', live);
    return item === null || item === 'denied' ? expect.unreachable('There is no file.') : item;
  };

  test('a changed access list changes the source version alone', async () => {
    files.put(share, 'a.txt', 'x');
    const before = await seen();
    files.setAccess(share, 'a.txt', 'O:SYG:SYD:(A;;FR;;;WD)');
    const after = await seen();
    expect(after.sourceVersion).not.toBe(before.sourceVersion);
    expect(after.contentVersion).toBe(before.contentVersion);
  });

  test('a time that the service does not know is none', async () => {
    const body = `<EnumerationResults><Entries><File><Name>a.txt</Name><Properties><Content-Length>1</Content-Length><CreationTime>0001-01-01T00:00:00.0000000Z</CreationTime><LastWriteTime>0001-01-01T00:00:00.0000000Z</LastWriteTime></Properties></File></Entries><NextMarker /></EnumerationResults>`;
    files.answerNext(() => ({ status: 200, body }));
    expect(await seen()).toMatchObject({ createdAt: null, modifiedAt: null });
  });
});

describe('who has access to a file', () => {
  const LIST = 'O:SYG:SYD:(A;;FA;;;BA)(A;ID;0x1200a9;;;AU)';
  const grantsBy = async (secret: string) => {
    const found = await connectorOf(secret).getPermissions(scope(), 'a.txt', live);
    return found === 'denied' ? expect.unreachable('Nobody may say.') : found;
  };
  beforeEach(() => {
    files.put(share, 'a.txt', 'x', LIST);
    files.put(share, 'b.txt', 'x', LIST);
    files.setPolicies(share, { readers: 'rl' });
  });

  test('the account key reads access lists and stored policies', async () => {
    const { grants, complete } = await grantsBy(files.connectionString);
    expect(complete).toBe(false);
    expect(grants).toMatchObject([
      { principal: 'Administrators', role: 'owner', inherited: false },
      { principal: 'Authenticated users', principalKind: 'organization', role: 'read', inherited: true },
      { principalKind: 'link', role: 'read' },
    ]);
  });

  test('a signature may read neither: nothing is known, and nobody is claimed', async () => {
    expect(await grantsBy(files.signature())).toEqual({ grants: [], complete: false });
  });

  test('a list that many files share is read once', async () => {
    const connector = connectorOf(files.connectionString);
    for (const name of ['a.txt', 'b.txt', 'a.txt']) await connector.getPermissions(scope(), name, live);
    const of = (comp: string) => files.asked.filter(({ query }) => query.get('comp') === comp).length;
    expect([of('filepermission'), of('acl')]).toEqual([1, 1]);
  });
});

describe('an Entra identity', () => {
  const tokensOf = (...tokens: string[]) => {
    const given: (string | undefined)[] = [];
    return {
      given,
      token: async (_: AbortSignal, refused?: string) => {
        given.push(refused);
        return tokens[refused === undefined ? 0 : tokens.indexOf(refused) + 1] ?? 'none';
      },
    };
  };
  const connectorBy = (tokens: ReturnType<typeof tokensOf>) =>
    createBlobConnector({ containers: [], filesUrl: files.url, shares: [share], tokens });

  test('reads files and their access lists past the lists, as a backup does', async () => {
    files.put(share, 'a.txt', 'x', 'O:SYG:SYD:(A;;FR;;;BA)');
    files.grantToken('t1');
    const connector = connectorBy(tokensOf('t1'));
    expect(await idsOf(connector)).toEqual(['a.txt']);
    expect(await connector.readContent(scope(), 'a.txt', MAX_BYTES, live)).toMatchObject({
      state: 'available',
    });
    expect(await connector.getPermissions(scope(), 'a.txt', live)).toMatchObject({
      grants: [{ principal: 'Administrators' }],
      complete: false,
    });
  });

  test('gets another token when one has expired in a walk, once', async () => {
    files.put(share, 'a.txt', 'x');
    files.grantToken('new');
    const tokens = tokensOf('old', 'new');
    expect(await idsOf(connectorBy(tokens))).toEqual(['a.txt']);
    expect(tokens.given).toEqual([undefined, 'old']);
    files.revokeToken('new');
    expect(await refusal(idsOf(connectorBy(tokens)))).toMatchObject({
      retryClass: 'auth',
      safeDiagnostic: 'blob_credential_refused',
    });
  });
});
