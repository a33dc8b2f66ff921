import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  directory,
  find,
  keyOf,
  type Node,
  newSecret,
  newShare,
  put,
  remove,
  rename,
  type ShareTree,
} from './share-tree.ts';
import { errorXml, FILE_TYPES, type ListedEntry, listingXml, nameOf, policiesXml } from './vendor-types.ts';

const ACCOUNT = 'canaryfiles';

/** What a request may do. A token has the role Storage File Data Privileged Reader. */
type Caller = { kind: 'key' } | { kind: 'sas'; permissions: string } | { kind: 'token' };

type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
};
type Answer = { status: number; code?: string; body?: string | Buffer; headers?: Record<string, string> };

/**
 * A service like Azure Files, as the vendor describes it, with the faults that it is known for: pages are shorter than
 * asked, a time that was not asked for is of the year 1, a size is stale without extended information, and who may
 * only read data may read no policy. `answerNext` answers the next call in its place.
 */
export async function startFilesFake() {
  const key = newSecret();
  const shares = new Map<string, ShareTree>();
  const asked: Asked[] = [];
  const tokens = new Set<string>();
  let answerNext: ((asked: Asked) => Answer | null) | null = null;

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://files.test');
    const call: Asked = {
      method: request.method ?? '',
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      headers: request.headers,
    };
    asked.push(call);
    const answer = answerNext?.(call) ?? answerOf(call, url, { key, shares, tokens });
    send(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${ACCOUNT}`;

  const treeOf = (share: string): ShareTree => {
    const tree = shares.get(share);
    if (tree === undefined) throw new Error('There is no such share.');
    return tree;
  };
  return {
    url,
    account: ACCOUNT,
    asked,
    connectionString: `AccountName=${ACCOUNT};AccountKey=${key};FileEndpoint=${url}`,
    signature: (permissions = 'rl') =>
      `?sv=2024-11-04&ss=f&srt=co&sp=${permissions}&sig=${encodeURIComponent(key)}`,
    answerNext: (answer: typeof answerNext) => {
      answerNext = answer;
    },
    grantToken: (token: string) => void tokens.add(token),
    revokeToken: (token: string) => void tokens.delete(token),
    createShare: (share: string) => void shares.set(share, newShare()),
    deleteShare: (share: string) => void shares.delete(share),
    setPolicies: (share: string, policies: Record<string, string>) => {
      treeOf(share).policies = policies;
    },
    mkdir: (share: string, path: string) => void directory(treeOf(share), path),
    put: (share: string, path: string, content: string | Buffer, sddl?: string) =>
      put(treeOf(share), path, Buffer.from(content), sddl),
    setAccess: (share: string, path: string, sddl: string) => {
      const file = find(treeOf(share), path);
      if (file !== null) file.permissionKey = keyOf(treeOf(share), sddl);
    },
    open: (share: string, path: string, how: Node['open']) => {
      const file = find(treeOf(share), path);
      if (file !== null) file.open = how;
    },
    rename: (share: string, from: string, name: string) => rename(treeOf(share), from, name),
    remove: (share: string, path: string) => remove(treeOf(share), path),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type FilesFake = Awaited<ReturnType<typeof startFilesFake>>;

type World = { key: string; shares: ReadonlyMap<string, ShareTree>; tokens: ReadonlySet<string> };

function send(response: ServerResponse, { status, code, body = '', headers = {} }: Answer): void {
  const bytes = code === undefined ? Buffer.from(body) : Buffer.from(errorXml(code));
  response.writeHead(status, {
    'content-type': 'application/xml',
    'content-length': bytes.length,
    'x-ms-request-id': randomUUID(),
    ...(code !== undefined && { 'x-ms-error-code': code }),
    ...headers,
  });
  response.end(bytes);
}

const refused = (status: number, code: string): Answer => ({ status, code });

function answerOf(call: Asked, url: URL, world: World): Answer {
  if (call.method !== 'GET') return refused(405, 'UnsupportedHttpVerb');
  const version = String(call.headers['x-ms-version'] ?? '');
  if (!/^\d{4}-\d\d-\d\d$/.test(version)) return refused(400, 'MissingRequiredHeader');
  const caller = callerOf(call, url, world, version);
  if ('status' in caller) return caller;
  const [, account, share = '', ...rest] = call.path.split('/');
  if (account !== ACCOUNT) return refused(400, 'InvalidUri');
  const tree = world.shares.get(share);
  if (call.query.has('sharesnapshot')) return refused(404, 'ShareSnapshotNotFound');
  if (tree === undefined) return refused(404, 'ShareNotFound');
  const restype = call.query.get('restype');
  const comp = call.query.get('comp');
  const path = rest.join('/');
  if (restype === 'directory' && comp === 'list') return listed(call, tree, share, path, caller);
  if (restype === 'share' && path === '') return ofShare(call, tree, comp, caller, version);
  if (restype === null && comp === null) return download(call, tree, path, caller, version);
  return refused(400, 'InvalidQueryParameterValue');
}

function callerOf(call: Asked, url: URL, { key, tokens }: World, version: string): Caller | Answer {
  const authorization = call.headers.authorization ?? '';
  if (authorization.startsWith('Bearer ')) {
    if (!tokens.has(authorization.slice('Bearer '.length)))
      return { ...refused(401, 'InvalidAuthenticationInfo'), headers: { 'www-authenticate': 'Bearer' } };
    if (version < '2022-11-02') return refused(403, 'AuthenticationFailed');
    return call.headers['x-ms-file-request-intent'] === 'backup'
      ? { kind: 'token' }
      : refused(400, 'MissingRequiredHeader');
  }
  if (authorization !== '')
    return authorization === signatureOf(call, url, key)
      ? { kind: 'key' }
      : refused(403, 'AuthenticationFailed');
  const { query } = call;
  if (query.get('sig') === key && query.get('ss')?.includes('f') === true)
    return { kind: 'sas', permissions: query.get('sp') ?? '' };
  return query.has('sig')
    ? refused(403, 'AuthenticationFailed')
    : refused(401, 'NoAuthenticationInformation');
}

/** Shared Key authorization, as the vendor's page describes it. */
function signatureOf({ method, headers, query }: Asked, url: URL, key: string): string {
  const standard = [
    'content-encoding',
    'content-language',
    'content-length',
    'content-md5',
    'content-type',
    'date',
  ];
  const conditional = ['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'];
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  const members = [...query].map(([name, value]) => `\n${name}:${value}`).sort();
  const text = [
    method,
    ...[...standard, ...conditional].map((name) => (headers[name] === '0' ? '' : (headers[name] ?? ''))),
    `${own.join('')}/${ACCOUNT}${url.pathname}${members.join('')}`,
  ].join('\n');
  const digest = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  return `SharedKey ${ACCOUNT}:${digest}`;
}

const may = (caller: Caller, permission: string) =>
  caller.kind !== 'sas' || caller.permissions.includes(permission);

const SHORTEST = 64;
const stamp = (at: Date) => at.toISOString().replace('Z', '0000Z');
const NO_TIME = '0001-01-01T00:00:00.0000000Z';

function listed(call: Asked, tree: ShareTree, share: string, path: string, caller: Caller): Answer {
  if (!may(caller, 'l')) return refused(403, 'AuthorizationPermissionMismatch');
  const at = find(tree, path);
  if (at === null) return refused(404, 'ResourceNotFound');
  if (at.children === null) return refused(409, 'ResourceTypeMismatch');
  const { query } = call;
  const most = Number(query.get('maxresults') ?? 5_000);
  if (!(most > 0)) return refused(400, 'OutOfRangeQueryParameterValue');
  const prefix = query.get('prefix') ?? '';
  const marker = query.get('marker');
  const after = marker === null ? null : /^2!\d+!(.*)$/s.exec(Buffer.from(marker, 'base64').toString())?.[1];
  if (after === undefined) return refused(400, 'InvalidQueryParameterValue');
  const all = [...at.children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => (after === null || name > after) && name.startsWith(prefix.toLowerCase()));
  const page = all.slice(0, Math.min(most, SHORTEST));
  const last = page.at(-1)?.[0] ?? '';
  const NextMarker =
    page.length === all.length ? '' : Buffer.from(`2!${last.length}!${last}`).toString('base64');
  const include = new Set((query.get('include') ?? '').split(','));
  const isExtended = call.headers['x-ms-file-extended-info'] === 'true';
  const head = { ServiceEndpoint: 'https://files.test/', ShareName: share, DirectoryPath: path, NextMarker };
  const entries = page.map(
    ([, node]) =>
      [node.children === null ? 'File' : 'Directory', entryOf(node, include, isExtended)] as const,
  );
  return { status: 200, body: listingXml({ ...head, MaxResults: most }, entries) };
}

function entryOf(node: Node, include: ReadonlySet<string>, isExtended: boolean): ListedEntry {
  const times = include.has('Timestamps');
  const time = (at: Date) => (times ? stamp(at) : NO_TIME);
  return {
    ...(isExtended && { FileId: node.id }),
    Name: nameOf(node.name),
    Properties: {
      'Content-Length': node.open === 'writing' && !isExtended ? 0 : node.content.length,
      CreationTime: time(node.createdAt),
      LastAccessTime: time(node.writtenAt),
      LastWriteTime: time(node.writtenAt),
      ChangeTime: time(node.changedAt),
      ...(times && { 'Last-Modified': node.changedAt.toUTCString() }),
      ...(include.has('ETag') && { Etag: node.etag }),
    },
    ...(include.has('Attributes') && { Attributes: node.attributes }),
    ...(include.has('PermissionKey') && { PermissionKey: node.permissionKey }),
  };
}

function ofShare(call: Asked, tree: ShareTree, comp: string | null, caller: Caller, version: string): Answer {
  if (caller.kind === 'token' && version < '2024-11-04') return refused(403, 'AuthenticationFailed');
  if (comp === 'acl')
    return caller.kind === 'key'
      ? { status: 200, body: policiesXml(tree.policies) }
      : refused(403, 'AuthorizationPermissionMismatch');
  if (comp !== 'filepermission') return refused(400, 'InvalidQueryParameterValue');
  if (caller.kind === 'sas') return refused(403, 'AuthorizationPermissionMismatch');
  const permission = tree.lists.get(String(call.headers['x-ms-file-permission-key'] ?? ''));
  if (permission === undefined) return refused(404, 'FilePermissionNotFound');
  const body = JSON.stringify(FILE_TYPES.SharePermission.parse({ permission }));
  return { status: 200, body, headers: { 'content-type': 'application/json' } };
}

function download(call: Asked, tree: ShareTree, path: string, caller: Caller, version: string): Answer {
  if (!may(caller, 'r')) return refused(403, 'AuthorizationPermissionMismatch');
  const file = find(tree, path);
  if (file === null) return refused(404, 'ResourceNotFound');
  if (file.children !== null) return refused(409, 'ResourceTypeMismatch');
  if (file.open === 'exclusive') return refused(409, 'SharingViolation');
  const { content } = file;
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(call.headers['x-ms-range'] ?? ''));
  const from = range === null ? 0 : Number(range[1]);
  if (range !== null && from >= content.length) return refused(416, 'InvalidRange');
  const bytes = range === null ? content : content.subarray(from, Number(range[2]) + 1);
  const headers = FILE_TYPES.FileDownloadHeaders.parse({
    'content-length': bytes.length,
    'content-type': 'application/octet-stream',
    ...(range !== null && {
      'content-range': `bytes ${from}-${from + bytes.length - 1}/${content.length}`,
    }),
    'last-modified': file.changedAt.toUTCString(),
    etag: file.etag,
    'x-ms-request-id': randomUUID(),
    'x-ms-version': version,
    'accept-ranges': 'bytes',
    date: new Date().toUTCString(),
    'x-ms-server-encrypted': true,
    'x-ms-file-attributes': file.attributes,
    'x-ms-file-permission-key': file.permissionKey,
    'x-ms-file-id': file.id,
  });
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return { status: range === null ? 200 : 206, body: bytes, headers: texts };
}
