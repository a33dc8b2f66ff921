import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createBlobConnector } from '../../core/connectors/blob/blob-connector.ts';
import type { TokenSource } from '../../core/connectors/cloud-http/token-source.ts';
import type { ComparisonConnector, SourceItem } from '../../core/connectors/connector.ts';
import { type BlobAccount, startBlobAccount } from '../support/blob-account.ts';
import { walkAll } from './connector.exercise.ts';

const live = new AbortController().signal;
const MAX_BYTES = 1_000_000;

describe('on the emulator', () => {
  let account: BlobAccount;
  let made = 0;
  beforeAll(async () => {
    account = await startBlobAccount();
  });
  afterAll(() => account.stop());

  const newContainer = async (access?: 'container' | 'blob') => {
    const name = `container-${++made}`;
    await account.createContainer(name, access);
    return name;
  };
  const connectorOf = (container: string, secret = account.connectionString) =>
    createBlobConnector({ accountUrl: account.url, secret, containers: [container] });
  const scopeOf = (container: string) => `svclocal/${container}`;
  const itemsOf = async (connector: ComparisonConnector, container: string) =>
    (await walkAll(connector, scopeOf(container), live)).items;
  const grantsOf = async (container: string, name = 'a.txt') =>
    (await connectorOf(container).getPermissions(scopeOf(container), name, live)) as {
      grants: { principalKind: string; role: string; inherited: boolean | null }[];
      complete: boolean;
    };

  test('reads names that no file system expects', async () => {
    const container = await newContainer();
    const names = [
      'a b/ü+%25&<>"\'.txt',
      'double//slash.txt',
      'ends in a slash/',
      'fraction?#[]@!$()*,;=:.txt',
      '🗂 folder/名前.txt',
    ];
    for (const name of names) await account.put(container, name, `text of ${name}`);
    const connector = connectorOf(container);
    const items = await itemsOf(connector, container);
    expect(items.map(({ externalId }) => externalId).toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const content = await connector.readContent(scopeOf(container), name, MAX_BYTES, live);
      expect(content.state === 'available' && Buffer.from(content.bytes).toString()).toBe(`text of ${name}`);
    }
    expect(items.map(({ name }) => name)).toContain('名前.txt');
    expect(items.map(({ name }) => name)).toContain('ends in a slash/');
  });

  test('reads with an account key, and with a connection string', async () => {
    const container = await newContainer();
    await account.put(container, 'a.txt', 'a');
    for (const secret of [account.key, account.connectionString])
      expect(await itemsOf(connectorOf(container, secret), container)).toHaveLength(1);
    await expect(itemsOf(connectorOf(container, 'none of them'), container)).rejects.toMatchObject({
      retryClass: 'auth',
      safeDiagnostic: 'blob_credential_malformed',
    });
  });

  test('reports a container that does not exist, whatever is asked of it', async () => {
    const container = await newContainer();
    await account.put(container, 'a.txt', 'a');
    const connector = connectorOf(container);
    await account.deleteContainer(container);
    const gone = { name: 'ScopeRefused', reason: 'not_found' };
    await expect(connector.listItems(scopeOf(container), null, live)).rejects.toMatchObject(gone);
    await expect(connector.getItem(scopeOf(container), 'a.txt', live)).rejects.toMatchObject(gone);
    await expect(connector.readContent(scopeOf(container), 'a.txt', MAX_BYTES, live)).rejects.toMatchObject(
      gone,
    );
  });

  test('shows who can read a public container, once for all items', async () => {
    const open = await newContainer('container');
    await account.put(open, 'a.txt', 'a');
    expect(await grantsOf(open)).toMatchObject({
      grants: [
        { principal: 'Anyone (public container)', principalKind: 'anyone', role: 'read', inherited: true },
      ],
      complete: false,
    });
    const named = await newContainer('blob');
    await account.put(named, 'a.txt', 'a');
    expect((await grantsOf(named)).grants).toMatchObject([
      { principal: 'Anyone who knows the address (public blobs)', principalKind: 'anyone' },
    ]);
    const closed = await newContainer();
    await account.put(closed, 'a.txt', 'a');
    expect(await grantsOf(closed)).toEqual({ grants: [], complete: false });
  });

  test('shows stored policies as evidence of signatures, and not as exposure', async () => {
    const container = await newContainer();
    await account.setPolicies(container, { readers: 'r', writers: 'rw' });
    expect((await grantsOf(container)).grants).toMatchObject([
      { principalKind: 'link', role: 'read', external: false },
      { principalKind: 'link', role: 'write', external: false },
    ]);
  });

  test('never asks for a blob in an archive tier', async () => {
    const container = await newContainer();
    await account.put(container, 'cold.txt', 'cold');
    await account.setTier(container, 'cold.txt', 'Archive');
    const connector = connectorOf(container);
    const [item] = await itemsOf(connector, container);
    expect(item?.notRead).toBe('archived');
    expect(await connector.readContent(scopeOf(container), 'cold.txt', MAX_BYTES, live)).toEqual({
      state: 'inaccessible',
      reason: 'archived',
    });
  });

  test('notices a changed tag, and a verdict of the malware scanner', async () => {
    const container = await newContainer();
    await account.put(container, 'a.txt', 'a');
    const connector = connectorOf(container);
    const [before] = await itemsOf(connector, container);
    await account.setTags(container, 'a.txt', { 'Malware Scanning scan result': 'Malicious' });
    const [after] = await itemsOf(connector, container);
    expect(after?.sourceVersion).not.toBe(before?.sourceVersion);
    expect(after?.contentVersion).toBe(before?.contentVersion);
    expect([before?.notRead, after?.notRead]).toEqual([undefined, 'malware']);
  });
});

function sendEndlessly(response: ServerResponse, sent: { bytes: number }): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const go = () => {
    while (!response.destroyed) {
      sent.bytes += chunk.length;
      if (!response.write(chunk)) return;
    }
  };
  response.on('drain', go);
  go();
}

describe('on a service that does what the emulator does not', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  type Answer = {
    status?: number;
    headers?: Record<string, string>;
    body?: string;
    cut?: boolean;
    /** Counts what is sent in chunks until the other side has had enough. */
    endless?: { bytes: number };
  };
  const openConnections = () =>
    new Promise<number>((resolve) => server?.getConnections((_, count) => resolve(count)));
  /** A connector for a service that answers each request as `answer` says, with the requests that it got. */
  async function on(
    answer: (url: URL, request: IncomingMessage) => Answer,
    credential: { secret: string } | { tokens: TokenSource; manages?: string } = {
      secret: '?sv=2021-12-02&sp=rl&sig=c2lnbmF0dXJl',
    },
    container = 'reports',
  ) {
    const requests: { method: string; url: URL; signed: boolean }[] = [];
    const reply = (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '', 'http://service.test');
      const signed = request.headers.authorization !== undefined || url.searchParams.has('sig');
      requests.push({ method: request.method ?? '', url, signed });
      const { status = 200, headers = {}, body = '', cut = false, endless } = answer(url, request);
      if (endless !== undefined) {
        sendEndlessly(response, endless);
        return;
      }
      const length = Buffer.byteLength(body) + (cut ? 10 : 0);
      response.writeHead(status, { 'content-length': length, ...headers });
      response.write(body);
      if (cut) response.destroy();
      else response.end();
    };
    server = createServer(reply);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const connector = createBlobConnector({
      accountUrl: `http://127.0.0.1:${port}/account`,
      ...credential,
      ...('tokens' in credential &&
        credential.manages !== undefined && {
          managed: {
            id: credential.manages,
            managementUrl: `http://127.0.0.1:${port}`,
            tokens: credential.tokens,
          },
        }),
      containers: [container],
    });
    return { connector, requests };
  }
  const SCOPE = 'account/reports';
  const blob = (name: string, more = '', properties = '') =>
    `<Blob><Name>${name}</Name><Properties><Last-Modified>Thu, 05 Nov 2026 10:00:00 GMT</Last-Modified><Etag>0x1</Etag>` +
    `<Content-Length>4</Content-Length><Content-Type>text/plain</Content-Type><Content-MD5 />${properties}</Properties>${more}</Blob>`;
  const listing = (blobs: string, marker = '') =>
    `\uFEFF<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="https://x/" ContainerName="reports"><Blobs>${blobs}</Blobs><NextMarker>${marker}</NextMarker></EnumerationResults>`;
  const walk = async (connector: ComparisonConnector): Promise<SourceItem[]> =>
    (await walkAll(connector, SCOPE, live)).items;
  const idsOf = async (connector: ComparisonConnector) =>
    (await walk(connector)).map(({ externalId }) => externalId);

  test('a page may be short or empty before the last one', async () => {
    const pages: Record<string, string> = {
      '': listing(blob('a'), 'm1'),
      m1: listing('', 'm2'),
      m2: listing(blob('b')),
    };
    const { connector } = await on((url) => ({ body: pages[url.searchParams.get('marker') ?? ''] ?? '' }));
    expect(await idsOf(connector)).toEqual(['a', 'b']);
  });

  test('a marker that the service no longer knows starts the walk again', async () => {
    const { connector } = await on((url) =>
      url.searchParams.has('marker')
        ? { status: 400, headers: { 'x-ms-error-code': 'OutOfRangeInput' } }
        : { body: listing(blob('a'), 'm1') },
    );
    await expect(walk(connector)).rejects.toMatchObject({ name: 'DeltaCursorInvalid' });
  });

  describe('an empty page at the end of a walk', () => {
    /** Pages by their marker, as the service has them at the moment. */
    const listedBy = async (pages: Record<string, string>) => {
      const { connector } = await on((url) => ({
        body: pages[url.searchParams.get('marker') ?? ''] ?? listing(''),
      }));
      return connector;
    };

    test('is no end if the service has forgotten the marker', async () => {
      const pages: Record<string, string> = {
        '': listing(blob('a'), 'm1'),
        m1: listing(blob('b'), 'm2'),
        m2: listing(blob('c'), 'm3'),
        m3: listing(blob('d')),
      };
      const connector = await listedBy(pages);
      const tokens: (string | null)[] = [];
      let token: string | null = null;
      do {
        token = (await connector.listItems(SCOPE, token, live)).nextPageToken;
        tokens.push(token);
      } while (token !== null);
      // The service restarts, and knows other markers for the same places.
      for (const marker of ['m1', 'm2', 'm3']) delete pages[marker];
      pages[''] = listing(blob('a'), 'n1');
      pages.n1 = listing(blob('b'), 'n2');
      for (const resumed of tokens.slice(0, 3))
        await expect(connector.listItems(SCOPE, resumed, live)).rejects.toMatchObject({
          name: 'DeltaCursorInvalid',
        });
    });

    test('is no end if the page before has become longer than it was', async () => {
      const pages: Record<string, string> = { '': listing(blob('a'), 'm1') };
      const connector = await listedBy(pages);
      const { nextPageToken } = await connector.listItems(SCOPE, null, live);
      pages[''] = listing(blob('a') + blob('b'));
      await expect(connector.listItems(SCOPE, nextPageToken, live)).rejects.toMatchObject({
        name: 'DeltaCursorInvalid',
      });
    });

    test('is the end if nothing is listed beyond it, as behind deleted blobs', async () => {
      expect(await idsOf(await listedBy({ '': listing(blob('a'), 'm1'), m1: listing('', 'm2') }))).toEqual([
        'a',
      ]);
      expect(await idsOf(await listedBy({ '': listing(blob('a'), 'm1') }))).toEqual(['a']);
      const pages: Record<string, string> = { '': listing(blob('a'), 'm1') };
      const connector = await listedBy(pages);
      const { nextPageToken } = await connector.listItems(SCOPE, null, live);
      pages[''] = listing(blob('a'));
      expect(await connector.listItems(SCOPE, nextPageToken, live)).toMatchObject({
        items: [],
        nextPageToken: null,
      });
    });
  });

  test('a repeated marker is a failure and not an end', async () => {
    const { connector } = await on(() => ({ body: listing(blob('a'), 'again') }));
    await expect(walk(connector)).rejects.toMatchObject({ safeDiagnostic: 'blob_marker_repeated' });
  });

  test('directories of a hierarchical namespace are no items; empty blobs are', async () => {
    const directories =
      blob('dir', '', '<ResourceType>directory</ResourceType>') +
      blob('other', '<Metadata><Hdi_IsFolder>true</Hdi_IsFolder></Metadata>') +
      blob('dir/empty.txt').replace('<Content-Length>4', '<Content-Length>0');
    const { connector } = await on(() => ({ body: listing(directories) }));
    expect(await idsOf(connector)).toEqual(['dir/empty.txt']);
  });

  test('a name that XML cannot hold is decoded', async () => {
    const encoded = blob('').replace('<Name></Name>', '<Name Encoded="true">odd%EF%BF%BF.txt</Name>');
    const { connector } = await on(() => ({ body: listing(encoded) }));
    expect(await idsOf(connector)).toEqual(['odd\uFFFF.txt']);
  });

  test('a name with dots as a segment is listed, and never becomes an address', async () => {
    const { connector, requests } = await on((url) =>
      url.searchParams.get('comp') === 'list' ? { body: listing(blob('../../other/secret.txt')) } : {},
    );
    const [item] = await walk(connector);
    expect(item).toMatchObject({ externalId: '../../other/secret.txt', sourceUrl: null });
    expect(await connector.getItem(SCOPE, '../../other/secret.txt', live)).toEqual(item);
    expect(await connector.readContent(SCOPE, '../../other/secret.txt', MAX_BYTES, live)).toEqual({
      state: 'inaccessible',
    });
    expect(await connector.getPermissions(SCOPE, '../../other/secret.txt', live)).toEqual({
      grants: [],
      complete: false,
    });
    expect(new Set(requests.map(({ url }) => url.pathname))).toEqual(new Set(['/account/reports']));
  });

  test('tags are left out if the credential may not read them, and asked for once', async () => {
    const { connector, requests } = await on((url) =>
      url.searchParams.get('include')?.includes('tags')
        ? { status: 403, headers: { 'x-ms-error-code': 'AuthorizationPermissionMismatch' } }
        : { body: listing(blob('a')) },
    );
    expect(await idsOf(connector)).toEqual(['a']);
    expect(await idsOf(connector)).toEqual(['a']);
    const includes = requests.flatMap(({ url }) => url.searchParams.get('include') ?? []);
    expect(includes.filter((include) => include.includes('tags'))).toHaveLength(2);
    expect(includes).toHaveLength(4);
  });

  test('a busy service is asked again later, when it says', async () => {
    const { connector } = await on(() => ({
      status: 503,
      headers: { 'x-ms-error-code': 'ServerBusy', 'retry-after': '7' },
    }));
    await expect(walk(connector)).rejects.toMatchObject({
      retryClass: 'throttled',
      retryAfterMs: 7_000,
      safeDiagnostic: 'blob_busy',
    });
  });

  test.each([
    ['InternalError', 500],
    ['OperationTimedOut', 500],
  ])('%s is tried again', async (code, status) => {
    const { connector } = await on(() => ({ status, headers: { 'x-ms-error-code': code } }));
    await expect(walk(connector)).rejects.toMatchObject({ retryClass: 'transient' });
  });

  test('a refused credential is not a refused container', async () => {
    const { connector } = await on(() => ({
      status: 403,
      headers: { 'x-ms-error-code': 'AuthenticationFailed' },
    }));
    await expect(walk(connector)).rejects.toMatchObject({
      name: 'ConnectorError',
      retryClass: 'auth',
      safeDiagnostic: 'blob_credential_refused',
    });
  });

  test('a denied container is a refused scope', async () => {
    const { connector } = await on(() => ({
      status: 403,
      headers: { 'x-ms-error-code': 'AuthorizationFailure' },
    }));
    await expect(walk(connector)).rejects.toMatchObject({ name: 'ScopeRefused', reason: 'denied' });
  });

  test.each([
    ['BlobBeingRehydrated', { state: 'inaccessible', reason: 'archived' }],
    ['BlobUsesCustomerSpecifiedEncryption', { state: 'inaccessible' }],
  ])('a content that is refused with 409 %s is inaccessible', async (code, content) => {
    const { connector } = await on(() => ({ status: 409, headers: { 'x-ms-error-code': code } }));
    expect(await connector.readContent(SCOPE, 'a.txt', MAX_BYTES, live)).toEqual(content);
  });

  test('a content that breaks off is not taken for the whole', async () => {
    const { connector } = await on(() => ({ body: 'half', cut: true }));
    await expect(connector.readContent(SCOPE, 'a.txt', MAX_BYTES, live)).rejects.toMatchObject({
      retryClass: 'transient',
    });
  });

  test('an answer that says no length is cut at the bound of its call', async () => {
    const sent = { bytes: 0 };
    const { connector } = await on(() => ({ endless: sent }));
    const bound = 256 * 1024;
    await expect(connector.readContent(SCOPE, 'a.txt', bound, live)).rejects.toMatchObject({
      retryClass: 'permanent',
      safeDiagnostic: 'blob_answer_too_large',
    });
    await expect.poll(() => server?.listening && openConnections()).toBe(0);
    // What the sockets of both sides hold was sent too.
    expect(sent.bytes).toBeLessThan(bound + 8 * 1024 * 1024);
  });

  test('an identity signs all but the calls that try what anyone can do', async () => {
    const { connector, requests } = await on(() => ({ body: listing(blob('a.txt')) }), {
      tokens: { token: async () => 'token' },
    });
    await walk(connector);
    await connector.getPermissions(SCOPE, 'a.txt', live);
    expect(requests.filter(({ signed }) => !signed)).toHaveLength(2);
    expect(requests).toHaveLength(5);
  });

  test('a listing that is none is a failure and not an empty container', async () => {
    for (const body of ['', '<html>sign in</html>', listing('<Blob><Name>x</Name></Blob>')]) {
      const { connector } = await on(() => ({ body }));
      await expect(walk(connector)).rejects.toMatchObject({ safeDiagnostic: 'blob_listing_malformed' });
      server?.close();
    }
  });

  test('an account that forbids public access keeps a public container closed', async () => {
    const { connector } = await on((url, request) => {
      if (url.searchParams.get('comp') === 'acl')
        return { headers: { 'x-ms-blob-public-access': 'container' }, body: '<SignedIdentifiers />' };
      return url.searchParams.has('sig') || request.headers.authorization
        ? { body: listing(blob('a.txt')) }
        : { status: 409, headers: { 'x-ms-error-code': 'PublicAccessNotPermitted' } };
    });
    expect(await connector.getPermissions(SCOPE, 'a.txt', live)).toEqual({ grants: [], complete: false });
  });

  test.each([
    [404, 'BlobNotFound'],
    [409, 'BlobArchived'],
  ])('a container that answers %s %s to anyone is public', async (status, code) => {
    const { connector } = await on((url, request) => {
      const isRead = url.searchParams.get('comp') === null && request.headers.authorization === undefined;
      // A signature may not read the setting of a container.
      return isRead && !url.searchParams.has('sig')
        ? { status, headers: { 'x-ms-error-code': code } }
        : { status: 403, headers: { 'x-ms-error-code': 'AuthorizationPermissionMismatch' } };
    });
    expect(await connector.getPermissions(SCOPE, 'a.txt', live)).toMatchObject({
      grants: [{ principal: 'Anyone who knows the address (public blobs)', principalKind: 'anyone' }],
    });
  });

  test('the container of a static website is open to anyone, unconfirmed', async () => {
    const { connector } = await on(
      (url) =>
        url.searchParams.has('sig')
          ? {}
          : { status: 409, headers: { 'x-ms-error-code': 'PublicAccessNotPermitted' } },
      undefined,
      '$web',
    );
    expect(await connector.getPermissions('account/$web', 'index.html', live)).toMatchObject({
      grants: [{ principalKind: 'anyone', external: true, unconfirmed: true }],
    });
  });

  test('a container counts as public by its setting if this host may not try', async () => {
    const { connector, requests } = await on((url) => {
      if (url.searchParams.get('comp') === 'acl')
        return { headers: { 'x-ms-blob-public-access': 'blob' }, body: '<SignedIdentifiers />' };
      return { status: 403, headers: { 'x-ms-error-code': 'AuthorizationFailure' } };
    });
    for (const name of ['a.txt', 'b.txt', 'c.txt'])
      expect(await connector.getPermissions(SCOPE, name, live)).toMatchObject({
        grants: [{ principalKind: 'anyone' }],
      });
    expect(requests).toHaveLength(3);
    expect(requests.filter(({ signed }) => !signed)).toHaveLength(2);
  });

  test('tags, legal holds and policies of a blob and of its container are facts of it', async () => {
    const kept =
      blob(
        'kept',
        '<Tags><TagSet><Tag><Key>case</Key><Value>42</Value></Tag></TagSet></Tags>',
        '<LegalHold>true</LegalHold><ImmutabilityPolicyUntilDate>Fri, 05 Nov 2027 10:00:00 GMT</ImmutabilityPolicyUntilDate>',
      ) + blob('plain');
    const factsIn = async (headers: Record<string, string>) => {
      const { connector } = await on((url) =>
        url.searchParams.get('comp') === 'list' ? { body: listing(kept) } : { headers },
      );
      const facts = (await walk(connector)).map((item) => item.facts);
      server?.close();
      return facts;
    };
    const tags = [{ name: 'case', value: '42' }];
    const immutableUntil = '2027-11-05T10:00:00.000Z';
    const retention = { legalHold: true, immutable: true, immutableUntil };
    expect(await factsIn({})).toEqual([{ tags, retention }, undefined]);
    expect(await factsIn({ 'x-ms-has-immutability-policy': 'true' })).toEqual([
      { tags, retention },
      { tags: [], retention: { legalHold: false, immutable: true, immutableUntil: null } },
    ]);
  });

  describe('the settings of the account', () => {
    const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/account';
    /** A container that its setting opens, of an account that answers no call without a credential. */
    const grantsOf = async (account: Answer) => {
      const tokens = { token: async () => 'token' };
      const { connector, requests } = await on(
        (url, request) => {
          if (url.pathname === ID) return account;
          if (url.searchParams.get('comp') === 'acl')
            return { headers: { 'x-ms-blob-public-access': 'container' }, body: '<SignedIdentifiers />' };
          return request.headers.authorization === undefined
            ? { status: 403, headers: { 'x-ms-error-code': 'AuthorizationFailure' } }
            : { body: listing(blob('a.txt')) };
        },
        { tokens, manages: ID },
      );
      const found = await connector.getPermissions(SCOPE, 'a.txt', live);
      await connector.getPermissions(SCOPE, 'b.txt', live);
      expect(requests.filter(({ url }) => url.pathname === ID)).toHaveLength(1);
      return found === 'denied' ? expect.unreachable('Nobody may say.') : found.grants;
    };
    const properties = (members: object) => ({ body: JSON.stringify({ properties: members }) });

    test('confirm what a container opens', async () => {
      const grants = await grantsOf(properties({ allowBlobPublicAccess: true }));
      expect(grants).toMatchObject([{ principalKind: 'anyone', external: true }]);
      expect(grants[0]).not.toHaveProperty('unconfirmed');
    });

    test('close it if they forbid public access', async () => {
      expect(await grantsOf(properties({ allowBlobPublicAccess: false }))).toEqual([]);
    });

    test.each([
      { networkAcls: { defaultAction: 'Deny' } },
      { publicNetworkAccess: 'Disabled' },
      { publicNetworkAccess: 'SecuredByPerimeter' },
    ])('open it to the networks of the account alone: %o', async (limits) => {
      expect(await grantsOf(properties({ allowBlobPublicAccess: true, ...limits }))).toMatchObject([
        { principalKind: 'organization', external: false },
      ]);
    });

    test.each<[string, Answer]>([
      ['refused', { status: 403, body: '{}' }],
      ['of another form', { body: '<html>' }],
    ])('leave it unconfirmed if they are %s', async (_, account) => {
      expect(await grantsOf(account)).toMatchObject([{ principalKind: 'anyone', unconfirmed: true }]);
    });
  });

  test('nothing is sent but reads', async () => {
    const { connector, requests } = await on(() => ({ body: listing(blob('a.txt')) }));
    await walk(connector);
    await connector.getItem(SCOPE, 'a.txt', live);
    await connector.getPermissions(SCOPE, 'a.txt', live);
    await connector.readContent(SCOPE, 'a.txt', MAX_BYTES, live);
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});
