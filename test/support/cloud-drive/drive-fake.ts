import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importSPKI, jwtVerify } from 'jose';
import { directoryAnswer, type FakeDirectory } from './directory-routes.ts';

const READS = 'https://www.googleapis.com/auth/drive.readonly';
export const READS_LABELS = 'https://www.googleapis.com/auth/drive.labels.readonly';
export const READS_DIRECTORY = ['user', 'group'].map(
  (each) => `https://www.googleapis.com/auth/admin.directory.${each}.readonly`,
);
const DIRECTORY = '/admin/directory/v1/';
const GOOGLE = 'application/vnd.google-apps.';
export const FOLDER = `${GOOGLE}folder`;
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  [`${GOOGLE}document`]: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [`${GOOGLE}spreadsheet`]: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [`${GOOGLE}presentation`]: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
};
const EXPORT_LIMIT = 10 * 1024 * 1024;

export type FakePermission = {
  id: string;
  type: 'user' | 'group' | 'domain' | 'anyone';
  role: string;
  emailAddress?: string;
  domain?: string;
  allowFileDiscovery?: boolean;
  expirationTime?: string;
  deleted?: boolean;
  view?: string;
  pendingOwner?: boolean;
  inheritedPermissionsDisabled?: boolean;
  permissionDetails?: { permissionType: string; role: string; inherited: boolean; inheritedFrom?: string }[];
};

export type FakeFile = {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** Of a shared drive. */
  driveId?: string;
  /** Of a person's drive. */
  owner?: string;
  bytes: Buffer;
  version: number;
  modifiedTime: string;
  modifiedBy: string;
  trashed: boolean;
  permissions: FakePermission[];
  canDownload: boolean;
  isAbusive: boolean;
  isEncrypted: boolean;
  /** The choices of each label, by the id of the label. */
  labels: Map<string, readonly string[]>;
};

/** A published label with one field of choices. */
type FakeLabel = { fieldId: string; title: string; choices: Readonly<Record<string, string>> };

type Fault = { path: RegExp; status: number; reason: string; retryAfter?: string; times: number };
/** The place of the last change of each file, and of the shared drive itself, in the order of places. */
type Log = Map<string, number>;

/** Each API has a scope of its own. */
function scopeFor(pathname: string): string | undefined {
  if (pathname.startsWith('/v2/labels/')) return READS_LABELS;
  if (pathname.startsWith(DIRECTORY))
    return READS_DIRECTORY[pathname.startsWith(`${DIRECTORY}users`) ? 0 : 1];
  return READS;
}

export type DriveFake = Awaited<ReturnType<typeof startDriveFake>>;

/**
 * A fake of Google Drive with domain-wide delegation. It is as strict as the vendor documents: a token reads with one
 * scope only, an administrator sees members of a shared drive and not its files, a page is at most as long as asked for
 * and may be shorter, and changes hold the current state.
 * Its answers are checked against the vendor's schema in `test/unit/cloud-drive-fake.test.ts`.
 */
export async function startDriveFake(port = 0) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const verifying = await importSPKI(publicKey, 'RS256');
  const files = new Map<string, FakeFile>();
  const drives = new Map<string, { name: string; members: FakePermission[] }>();
  const people = new Map<string, { rootId: string; isSuspended: boolean }>();
  const delegated = new Set([READS]);
  const labels = new Map<string, FakeLabel>();
  const directory: FakeDirectory = { accounts: [], groups: [] };
  const logs = new Map<string, Log>();
  const faults: Fault[] = [];
  const requests: { call: string; person: string }[] = [];
  const outputs: { kind: string; body: object }[] = [];
  const state = {
    now: Date.parse('2026-01-02T03:04:05.000Z'),
    forgetsPlaces: false,
    /** Where contents are redirected to; null if they are answered at once. `contents` is the host of the fake's own. */
    redirectsTo: null as 'contents' | URL | null,
    damage: (body: object): unknown => body,
  };
  let ids = 0;
  const nextId = () => `1Fake${String(++ids).padStart(8, '0')}`;

  const nextPlaces = new Map<string, number>();
  const placeAfter = (container: string) => nextPlaces.get(container) ?? 1;
  const logOf = (file: FakeFile) => file.driveId ?? file.owner ?? '';
  /** @param id the file or the shared drive that changed */
  const note = (container: string, id: string) => {
    const log: Log = logs.get(container) ?? new Map();
    log.delete(id);
    log.set(id, placeAfter(container));
    logs.set(container, log);
    nextPlaces.set(container, placeAfter(container) + 1);
  };
  const changed = (file: FakeFile, container = logOf(file)) => {
    file.version++;
    note(container, file.id);
  };
  const fileAt = (id: string) => {
    const file = files.get(id);
    if (file === undefined) throw new Error('The fake has no such file.');
    return file;
  };

  const act = {
    addPerson(address: string, isSuspended = false) {
      people.set(address, { rootId: `root-${address.replace(/\W/g, '-')}`, isSuspended });
    },
    addDrive(id: string, name: string, members: FakePermission[]) {
      drives.set(id, { name, members });
    },
    add(
      container: string,
      name: string,
      content: string | Buffer,
      more: Partial<
        Pick<
          FakeFile,
          | 'mimeType'
          | 'parents'
          | 'permissions'
          | 'canDownload'
          | 'isAbusive'
          | 'isEncrypted'
          | 'modifiedTime'
          | 'modifiedBy'
        >
      > = {},
    ): string {
      const isShared = drives.has(container);
      const file: FakeFile = {
        id: nextId(),
        name,
        mimeType: 'text/plain',
        parents: [isShared ? container : (people.get(container)?.rootId ?? '')],
        ...(isShared ? { driveId: container } : { owner: container }),
        bytes: Buffer.from(content),
        version: 0,
        modifiedTime: new Date(state.now).toISOString(),
        modifiedBy: 'editor@nordwind.example',
        trashed: false,
        permissions: [],
        canDownload: true,
        isAbusive: false,
        isEncrypted: false,
        labels: new Map(),
        ...more,
      };
      files.set(file.id, file);
      changed(file);
      return file.id;
    },
    edit(id: string, content: string) {
      const file = fileAt(id);
      file.bytes = Buffer.from(content);
      state.now += 1000;
      file.modifiedTime = new Date(state.now).toISOString();
      changed(file);
    },
    publishLabel(labelId: string, label: FakeLabel) {
      labels.set(labelId, label);
    },
    /** No choice takes the label away. That a label moves the version of a file is documented nowhere. */
    label(id: string, labelId: string, ...choices: string[]) {
      const file = fileAt(id);
      if (choices.length === 0) file.labels.delete(labelId);
      else file.labels.set(labelId, choices);
      changed(file);
      file.version--;
    },
    rename(id: string, name: string) {
      const file = fileAt(id);
      file.name = name;
      changed(file);
    },
    share(id: string, permission: FakePermission) {
      const file = fileAt(id);
      file.permissions.push(permission);
      // The change of a folder is one entry: what is in it has none.
      changed(file);
    },
    addMember(driveId: string, member: FakePermission) {
      drives.get(driveId)?.members.push(member);
      note(driveId, driveId);
    },
    removeMember(driveId: string, address: string) {
      const drive = drives.get(driveId);
      if (drive !== undefined)
        drive.members = drive.members.filter(({ emailAddress }) => emailAddress !== address);
      note(driveId, driveId);
    },
    /** Takes away what was shared here. What is inherited remains. */
    unshare(id: string) {
      const file = fileAt(id);
      file.permissions = [];
      changed(file);
    },
    /** What is in a folder is in the trash with it, without an entry of its own. */
    trash(id: string) {
      const file = fileAt(id);
      file.trashed = true;
      changed(file);
    },
    restore(id: string) {
      const file = fileAt(id);
      file.trashed = false;
      changed(file);
    },
    remove(id: string) {
      const file = fileAt(id);
      files.delete(id);
      changed(file);
    },
    move(id: string, driveId: string) {
      const file = fileAt(id);
      const before = logOf(file);
      file.parents = [driveId];
      file.driveId = driveId;
      delete file.owner;
      changed(file, before);
      changed(file);
    },
  };

  /** The folders above it, the nearest first. */
  const above = (file: FakeFile): FakeFile[] => {
    const parent = files.get(file.parents[0] ?? '');
    return parent === undefined ? [] : [parent, ...above(parent)];
  };
  const isTrashed = (file: FakeFile) => [file, ...above(file)].some(({ trashed }) => trashed);
  /** Of the folders above it. Only in a shared drive does Google say so. */
  const inheritedBy = (file: FakeFile): FakePermission[] =>
    above(file).flatMap(({ id, permissions }) =>
      permissions.map((each) => ({
        ...each,
        ...(file.driveId !== undefined && {
          permissionDetails: [
            { permissionType: 'file', role: each.role, inherited: true, inheritedFrom: id },
          ],
        }),
      })),
    );

  const reaches = (person: string, file: FakeFile) =>
    file.owner === person ||
    [...file.permissions, ...inheritedBy(file)].some(({ emailAddress }) => emailAddress === person) ||
    (file.driveId !== undefined &&
      (drives.get(file.driveId)?.members ?? []).some(({ emailAddress }) => emailAddress === person));

  const labelJson = (labelId: string, selection: readonly string[]) => {
    const fieldId = labels.get(labelId)?.fieldId ?? 'field';
    const field = { kind: 'drive#labelField', id: fieldId, valueType: 'selection', selection };
    return { kind: 'drive#label', id: labelId, revisionId: '1', fields: { [fieldId]: field } };
  };

  const shown = (file: FakeFile, person: string, includeLabels: string | null = null) => {
    const included = [...file.labels].filter(([id]) => includeLabels?.split(',').includes(id));
    const isFolder = file.mimeType === FOLDER;
    const isNative = file.mimeType.startsWith(GOOGLE);
    return {
      id: file.id,
      name: file.name,
      mimeType: file.mimeType,
      parents: file.parents,
      ...(file.driveId !== undefined && { driveId: file.driveId }),
      ...(!isNative && {
        size: String(file.bytes.length),
        sha256Checksum: createHash('sha256').update(file.bytes).digest('hex'),
      }),
      version: String(file.version),
      createdTime: '2026-01-01T00:00:00.000Z',
      modifiedTime: file.modifiedTime,
      trashed: isTrashed(file),
      ...(file.driveId === undefined && { ownedByMe: file.owner === person }),
      webViewLink: `https://drive.google.com/file/d/${file.id}/view`,
      lastModifyingUser: {
        kind: 'drive#user',
        emailAddress: file.modifiedBy,
        displayName: file.modifiedBy.split('@')[0],
      },
      ...(!isFolder && { capabilities: { canDownload: file.canDownload } }),
      ...(included.length > 0 && {
        labelInfo: { labels: included.map(([id, selection]) => labelJson(id, selection)) },
      }),
      ...(file.isEncrypted && { clientEncryptionDetails: { encryptionState: 'encrypted' } }),
    };
  };

  class Refusal extends Error {
    readonly status: number;
    readonly reason: string;
    constructor(status: number, reason: string) {
      super(reason);
      this.status = status;
      this.reason = reason;
    }
  }
  const need = <T>(value: T | undefined, reason = 'notFound'): T => {
    if (value === undefined) throw new Refusal(404, reason);
    return value;
  };
  const page = <T>(all: readonly T[], query: URLSearchParams, prefix: string, most: number) => {
    const token = query.get('pageToken');
    const [, at] = token === null ? ['', '0'] : (new RegExp(`^${prefix}\\.(\\d+)$`).exec(token) ?? []);
    if (at === undefined || (token !== null && state.forgetsPlaces)) throw new Refusal(400, 'invalid');
    const asked = Math.min(most, Number(query.get('pageSize') ?? 100));
    // A page may be shorter than asked for.
    const size = Math.max(1, Math.floor(asked * 0.6));
    const end = Number(at) + size;
    return {
      entries: all.slice(Number(at), end),
      ...(end < all.length && { nextPageToken: `${prefix}.${end}` }),
    };
  };

  const memberOf = (driveId: string, person: string) => {
    const { members } = need(drives.get(driveId));
    if (!members.some(({ emailAddress }) => emailAddress === person)) throw new Refusal(404, 'notFound');
  };

  /** As it is published, if the person may see it. */
  const labelAnswer = (labelId: string, query: URLSearchParams) => {
    const { fieldId, title, choices } = need(labels.get(labelId), 'NOT_FOUND');
    if (query.get('view') !== 'LABEL_VIEW_FULL') return { id: labelId };
    const selectionOptions = {
      choices: Object.entries(choices).map(([id, displayName]) => ({ id, properties: { displayName } })),
    };
    const text = { id: 'note', properties: { displayName: 'Note' }, textOptions: {} };
    const fields = [text, { id: fieldId, properties: { displayName: title }, selectionOptions }];
    return { id: labelId, labelType: 'ADMIN', properties: { title }, fields };
  };

  const answer = (person: string, path: string, query: URLSearchParams): object | Buffer => {
    const asAdmin = query.get('useDomainAdminAccess') === 'true' && person.startsWith('admin@');
    const [, first = '', id = '', third = ''] = path.split('/');
    if (first === 'drives') {
      const drive = need(drives.get(id));
      if (!asAdmin) memberOf(id, person);
      return { kind: 'drive#drive', id, name: drive.name };
    }
    if (first === 'changes' && id === 'startPageToken') {
      const driveId = query.get('driveId');
      if (driveId !== null) memberOf(driveId, person);
      return { kind: 'drive#startPageToken', startPageToken: String(placeAfter(driveId ?? person)) };
    }
    if (first === 'changes') {
      const driveId = query.get('driveId');
      if (driveId !== null) memberOf(driveId, person);
      const token = query.get('pageToken') ?? '';
      if (!/^\d+$/.test(token) || state.forgetsPlaces) throw new Refusal(400, 'invalid');
      const log = logs.get(driveId ?? person) ?? [];
      const since = [...log].filter(([, place]) => place >= Number(token));
      const size = Math.max(1, Math.floor(Number(query.get('pageSize') ?? 100) * 0.6));
      const entries = since.slice(0, size).map(([fileId]) => {
        const time = new Date(state.now).toISOString();
        if (drives.has(fileId))
          return { kind: 'drive#change', changeType: 'drive', driveId: fileId, removed: false, time };
        const file = files.get(fileId);
        const isLost =
          file === undefined || !reaches(person, file) || (driveId !== null && file.driveId !== driveId);
        return {
          kind: 'drive#change',
          changeType: 'file',
          fileId,
          removed: isLost,
          time,
          ...(!isLost && { file: shown(file, person, query.get('includeLabels')) }),
        };
      });
      const next = since[size]?.[1];
      const end = String(placeAfter(driveId ?? person));
      return {
        kind: 'drive#changeList',
        changes: entries,
        ...(next === undefined ? { newStartPageToken: end } : { nextPageToken: String(next) }),
      };
    }
    if (id === '') {
      const driveId = query.get('driveId');
      if (driveId !== null) memberOf(driveId, person);
      const q = query.get('q') ?? '';
      const all = [...files.values()]
        .filter((file) =>
          driveId === null ? reaches(person, file) && file.driveId === undefined : file.driveId === driveId,
        )
        .filter((file) => !q.includes("'me' in owners") || file.owner === person)
        .filter((file) => !q.includes('trashed = false') || !isTrashed(file));
      const { entries, ...rest } = page(all, query, 'list', 1000);
      return {
        kind: 'drive#fileList',
        incompleteSearch: false,
        files: entries.map((file) => shown(file, person, query.get('includeLabels'))),
        ...rest,
      };
    }
    if (id === 'root') return { kind: 'drive#file', id: need(people.get(person)).rootId };
    if (third === 'permissions') {
      const drive = drives.get(id);
      if (drive !== undefined) {
        if (!asAdmin) memberOf(id, person);
        const { entries, ...rest } = page(drive.members, query, 'members', 100);
        return { kind: 'drive#permissionList', permissions: entries, ...rest };
      }
      const file = need(files.get(id));
      if (!reaches(person, file)) throw new Refusal(404, 'notFound');
      const inherited = drives.get(file.driveId ?? '')?.members ?? [];
      const own = file.owner === undefined ? [] : [userPermission(file.owner, 'owner')];
      const { entries, ...rest } = page(
        [...own, ...inherited, ...inheritedBy(file), ...file.permissions],
        query,
        'permissions',
        100,
      );
      return { kind: 'drive#permissionList', permissions: entries, ...rest };
    }
    const file = need(files.get(id));
    if (!reaches(person, file)) throw new Refusal(404, 'notFound');
    if (third === 'listLabels') {
      const { entries, ...rest } = page([...file.labels], query, 'labels', 100);
      return {
        kind: 'drive#labelList',
        labels: entries.map(([id, selection]) => labelJson(id, selection)),
        ...rest,
      };
    }
    if (third === 'export') {
      if (!(EXPORTS[file.mimeType] ?? []).includes(query.get('mimeType') ?? ''))
        throw new Refusal(400, 'badRequest');
      if (file.bytes.length > EXPORT_LIMIT) throw new Refusal(403, 'exportSizeLimitExceeded');
      return file.bytes;
    }
    if (query.get('alt') !== 'media')
      return { kind: 'drive#file', ...shown(file, person, query.get('includeLabels')) };
    if (file.isAbusive) throw new Refusal(403, 'cannotDownloadAbusiveFile');
    if (!file.canDownload) throw new Refusal(403, 'cannotDownloadFile');
    if (file.mimeType.startsWith(GOOGLE)) throw new Refusal(403, 'fileNotDownloadable');
    return file.bytes;
  };

  const tokens = new Map<string, { person: string; scope: string }>();
  const issue = async (body: string) => {
    const form = new URLSearchParams(body);
    const { payload } = await jwtVerify(form.get('assertion') ?? '', verifying, {
      audience: `${url()}/token`,
      issuer: 'reader@project.iam.gserviceaccount.example',
    });
    const person = people.get(payload.sub ?? '');
    if (!delegated.has(String(payload.scope))) return { status: 401, body: { error: 'unauthorized_client' } };
    if (person === undefined || person.isSuspended) return { status: 400, body: { error: 'invalid_grant' } };
    const issued = `ya29.${tokens.size}`;
    tokens.set(issued, { person: payload.sub ?? '', scope: String(payload.scope) });
    return { status: 200, body: { access_token: issued, expires_in: 3599, token_type: 'Bearer' } };
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (error instanceof Refusal) return refuse(response, error.status, error.reason);
      response.writeHead(500).end(String(error));
    });
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    if (pathname === '/token') {
      const { status, body } = await issue(await textOf(request));
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const token = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (token === undefined) throw new Refusal(401, 'authError');
    const { person, scope } = token;
    const labelId = /^\/v2\/labels\/([^/]+)$/.exec(pathname)?.[1];
    if (scope !== scopeFor(pathname)) throw new Refusal(403, 'insufficientPermissions');
    requests.push({ call: `${request.method} ${pathname}`, person });
    if (request.method !== 'GET') throw new Refusal(403, 'insufficientPermissions');
    const fault = faults.find(({ path }) => path.test(pathname));
    if (fault !== undefined) {
      if (--fault.times <= 0) faults.splice(faults.indexOf(fault), 1);
      refuse(response, fault.status, fault.reason, fault.retryAfter);
      return;
    }
    if (labelId !== undefined) {
      const body = labelAnswer(labelId, searchParams);
      outputs.push({ kind: 'label', body });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    if (pathname.startsWith(DIRECTORY)) {
      if (!person.startsWith('admin@')) throw new Refusal(403, 'forbidden');
      const parts = pathname.slice(DIRECTORY.length).split('/').map(decodeURIComponent);
      const body = directoryAnswer(directory, parts, searchParams, (status, reason) => {
        throw new Refusal(status, reason);
      });
      outputs.push({ kind: 'kind' in body ? String(body.kind) : '', body });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const body = answer(
      person,
      pathname.replace('/drive/v3', '').split('/').map(decodeURIComponent).join('/'),
      searchParams,
    );
    if (body instanceof Buffer) {
      const { redirectsTo } = state;
      if (redirectsTo === null) {
        response.writeHead(200, { 'Content-Length': body.length }).end(body);
        return;
      }
      const place = `/download/${downloads.push(body) - 1}`;
      const to = new URL(place, redirectsTo === 'contents' ? originOf(contents) : redirectsTo);
      response.writeHead(302, { Location: to.href }).end();
      return;
    }
    if ('kind' in body) outputs.push({ kind: String(body.kind), body });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(state.damage(body)));
  };
  const refuse = (response: ServerResponse, code: number, reason: string, retryAfter?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
    };
    const error = { code, message: 'Refused.', errors: [{ domain: 'global', reason, message: 'Refused.' }] };
    response.writeHead(code, headers).end(JSON.stringify({ error }));
  };
  /** The host of contents, which refuses a bearer. */
  const downloads: Buffer[] = [];
  const contents = createServer((request, response) => {
    const body = downloads[Number(/^\/download\/(\d+)$/.exec(request.url ?? '')?.[1])];
    const status = request.headers.authorization !== undefined ? 400 : body === undefined ? 404 : 200;
    response.writeHead(status).end(status === 200 ? body : '');
  });
  await listenOn(server, port);
  await listenOn(contents, 0);
  const url = () => originOf(server);

  return {
    url: url(),
    cloud: {
      apiOrigin: url(),
      labelsOrigin: url(),
      directoryOrigin: url(),
      tokenOrigin: url(),
      contentDomains: [],
      contentOrigins: [originOf(contents)],
    },
    key: JSON.stringify({
      type: 'service_account',
      client_email: 'reader@project.iam.gserviceaccount.example',
      private_key: privateKey,
      private_key_id: 'k1',
    }),
    act,
    /** Scopes that are delegated to the service account. */
    delegated,
    people,
    /** The accounts and groups of the organization. */
    directory,
    /** What there is, by its id. */
    files: files as ReadonlyMap<string, Readonly<FakeFile>>,
    above,
    isTrashed,
    requests,
    outputs,
    state,
    /** The next calls to a path fail. */
    fail: (path: RegExp, status: number, reason: string, times = 1, retryAfter?: string) =>
      void faults.push({ path, status, reason, times, ...(retryAfter !== undefined && { retryAfter }) }),
    stop: async () => {
      await Promise.all([stopped(server), stopped(contents)]);
    },
  };
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const listenOn = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

const stopped = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/** A member or a grantee, as a shared drive reports one. */
export const userPermission = (emailAddress: string, role: string): FakePermission => ({
  id: createHash('sha256').update(emailAddress).digest('hex').slice(0, 20),
  type: 'user',
  role,
  emailAddress,
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
