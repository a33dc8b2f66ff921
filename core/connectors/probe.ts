import { untilAborted } from './abort.ts';
import { STORAGE_RIGHTS } from './blob/account-settings.ts';
import {
  type Connector,
  ConnectorError,
  type ScopePage,
  ScopeRefused,
  type SourceScope,
} from './connector.ts';
import { LoginCanWrite, type WritingRight } from './sql/engine.ts';

/** What a test of a source looks at, in the order in which each rests on those before it. */
export const PROBED = [
  ...(['token', 'sites', 'drive', 'sharing', 'labels', 'directory', 'notifications'] as const),
  ...(['reach', 'files'] as const),
] as const;
type ProbedCapability = (typeof PROBED)[number];

export const PROBE_STATES = ['ok', 'warning', 'blocked', 'failed', 'not_configured'] as const;
export const PROBE_REASONS = [
  // warning: the source can be read, and the credential can do more, or nobody knows whether more
  'reads_all_mailboxes',
  'mailbox_reach_unknown',
  'no_read_only_credential',
  // blocked: the source answers, and something must be granted or corrected
  'missing_permission',
  'credentials_refused',
  'login_can_write',
  'login_unchecked',
  'api_not_enabled',
  'site_not_found',
  'no_site',
  'no_library',
  'not_offered',
  'webhook_refused',
  // failed: the source could not be asked
  'unreachable',
  'tls_refused',
  'throttled',
  'too_late',
  'refused_otherwise',
  'internal_error',
  // not_configured
  'setting_missing',
  'switched_off',
  'optional_permission',
  'not_part_of_source',
  'not_part_of_release',
] as const;
export type ProbeReason = (typeof PROBE_REASONS)[number];

/** The result for one capability. It holds words of closed sets and a position, and nothing of the source. */
export type Probed =
  | { state: 'ok' }
  | {
      state: 'warning' | 'blocked' | 'failed' | 'not_configured';
      reason: ProbeReason;
      /** Names of the permissions or settings that are missing. */
      missing: string[];
      /** The place in the selection, from 1, of the first site or mailbox that was refused. */
      position?: number;
      /** Of `login_can_write`: on what the login has a right beyond reading. */
      right?: WritingRight;
    };

export type SourceProbe = Readonly<Record<ProbedCapability, Probed>>;

/** `mode`: null if the source is not configured. */
export type TestedSource = { mode: 'mock' | 'live' | null; probe: SourceProbe };

export const OK: Probed = { state: 'ok' };
export const blocked = (reason: ProbeReason, ...missing: string[]): Probed => ({
  state: 'blocked',
  reason,
  missing,
});
export const notConfigured = (reason: ProbeReason, ...missing: string[]): Probed => ({
  state: 'not_configured',
  reason,
  missing,
});

/** The same for every capability. */
export const everywhere = (probed: Probed): SourceProbe => ({
  token: probed,
  sites: probed,
  drive: probed,
  sharing: probed,
  labels: probed,
  directory: probed,
  notifications: probed,
  reach: probed,
  files: probed,
});

/** Whether the source can be scanned. Without the other capabilities a scan knows less and still runs. */
export const canBeScanned = ({ token, sites, drive }: SourceProbe): boolean =>
  [token, sites, drive].every(
    (probed) =>
      probed.state === 'ok' || (probed.state === 'not_configured' && probed.reason === 'not_part_of_source'),
  );

/** One word for a result: its reason, or `ok`. */
export const wordOf = (probed: Probed): ProbeReason | 'ok' => (probed.state === 'ok' ? 'ok' : probed.reason);

/** Makes a result of whatever a look at a source throws. */
export async function probed(look: () => Promise<Probed>, signal: AbortSignal): Promise<Probed> {
  try {
    return await untilAborted(signal, look);
  } catch (error) {
    return failure(error, signal);
  }
}

const failed = (reason: ProbeReason): Probed => ({ state: 'failed', reason, missing: [] });

/** What has a reason of its own, whatever its class. */
const BY_DIAGNOSTIC: Readonly<Record<string, Probed>> = {
  cloud_drive_token_not_delegated: blocked('missing_permission', 'drive.readonly'),
  sql_login_unchecked: blocked('login_unchecked'),
  sql_tls_refused: failed('tls_refused'),
  sql_tls_required: failed('tls_refused'),
};

/** What any call of a source may end with. */
const BY_ENDING: readonly (readonly [RegExp, Probed])[] = [
  [/^cloud_drive_.*_scope_missing$/, blocked('missing_permission', 'drive.readonly')],
  [/^box_.*_scope_missing$/, blocked('missing_permission', 'root_readonly')],
  [/_api_not_enabled$/, blocked('api_not_enabled')],
];

function failure(error: unknown, signal: AbortSignal): Probed {
  if (signal.aborted) return failed('too_late');
  if (!(error instanceof ConnectorError)) return failed('internal_error');
  if (error instanceof LoginCanWrite)
    return { state: 'blocked', reason: 'login_can_write', missing: [], right: error.by };
  const known =
    BY_DIAGNOSTIC[error.safeDiagnostic] ?? BY_ENDING.find(([end]) => end.test(error.safeDiagnostic))?.[1];
  if (known !== undefined) return known;
  switch (error.retryClass) {
    case 'auth':
      return blocked('credentials_refused');
    case 'throttled':
      return failed('throttled');
    case 'transient':
      return failed('unreachable');
    default:
      return failed('refused_otherwise');
  }
}

/** What a scan needs of a scope, as its vendor names it. `docs/permissions.md` has all rights. */
type Rights = { list: string; read: string };

const rightsFor = ({ family }: Connector, { kind }: First): Rights | null => {
  if (family === 's3') return { list: 's3:ListBucket', read: 's3:GetObject' };
  if (family === 'sql') return { list: 'CONNECT', read: 'SELECT' };
  if (family === 'file_box') return { list: 'root_readonly', read: 'root_readonly' };
  if (family !== 'blob') return null;
  const data = kind === 'share' ? 'fileServices/fileShares/files/read' : 'blobServices/containers/blobs/read';
  return { list: STORAGE_RIGHTS + data, read: STORAGE_RIGHTS + data };
};

type First = Pick<SourceScope, 'externalId' | 'kind'> & { position: number };

/** A source has a page of scopes for each of its instances. */
const MAX_PAGES = 50;

/**
 * Tests a connector by its own reads: the scopes, and for the first one of each page of scopes its first page and files, and
 * the rights to what opens it. `directory` is as the caller found it.
 */
export async function probeConnector(
  connector: Connector,
  directory: Probed,
  signal: AbortSignal,
): Promise<SourceProbe> {
  const none = notConfigured('not_part_of_source');
  const firsts: First[] = [];
  const sites = await probed(() => listFirsts(connector, firsts, signal), signal);
  let drive: Probed = blocked('no_library');
  for (const first of firsts) {
    drive = await probed(() => readSome(connector, first, signal), signal);
    if (drive.state === 'ok') continue;
    if (connector.scopeIds !== undefined) drive = { ...drive, position: first.position };
    break;
  }
  const labels = await probed(
    async () => ((await connector.listLabels(signal)).length > 0 ? OK : none),
    signal,
  );
  const notifications = connector.notifications === undefined ? none : OK;
  const sharing =
    drive.state === 'ok' ? await probed(() => rightsBeyond(connector, firsts, signal), signal) : none;
  return { ...everywhere(none), sites, drive, sharing, labels, directory, notifications };
}

/** The rights that are missing beside those to list and read. */
async function rightsBeyond(
  connector: Connector,
  firsts: readonly First[],
  signal: AbortSignal,
): Promise<Probed> {
  const refused = new Set<string>();
  let isTested = false;
  for (const { externalId } of firsts) {
    const rights = await connector.refusedRights?.(externalId, signal);
    isTested ||= Array.isArray(rights);
    for (const right of rights ?? []) refused.add(right);
  }
  if (!isTested) return notConfigured('not_part_of_source');
  return refused.size === 0 ? OK : blocked('missing_permission', ...refused);
}

/** Files may be closed to the service one by one. If these are, reading is not allowed. */
const FILES_READ = 3;
/** Larger files are known to be readable without being read. */
const MOST_BYTES = 1;

/** Lists the first page of a scope and reads its first files. */
async function readSome(connector: Connector, first: First, signal: AbortSignal): Promise<Probed> {
  const rights = rightsFor(connector, first);
  try {
    const { items } = await connector.listItems(first.externalId, null, signal);
    const files = items.filter(({ kind, notRead }) => kind !== 'folder' && notRead === undefined);
    let closed = 0;
    for (const { externalId } of files.slice(0, FILES_READ)) {
      const content = await connector.readContent(first.externalId, externalId, MOST_BYTES, signal);
      if (content.state !== 'inaccessible' || content.reason !== undefined) return OK;
      closed += 1;
    }
    return closed === 0 ? OK : blocked('missing_permission', ...(rights === null ? [] : [rights.read]));
  } catch (error) {
    if (error instanceof ScopeRefused && error.reason === 'denied' && rights !== null)
      return blocked('missing_permission', rights.list);
    throw error;
  }
}

/** Adds the first scope of each page to `firsts`. */
async function listFirsts(connector: Connector, firsts: First[], signal: AbortSignal): Promise<Probed> {
  let token: string | null = null;
  for (let position = 1; position <= MAX_PAGES; position++) {
    const page: ScopePage = await connector.listScopes(token, signal);
    const [refused] = page.refused ?? [];
    if (refused !== undefined) {
      const reason = refused.reason === 'denied' ? 'credentials_refused' : 'no_site';
      return { state: 'blocked', reason, missing: [], position };
    }
    const [first] = page.scopes;
    if (first !== undefined) firsts.push({ ...first, position });
    token = page.nextPageToken;
    if (token === null) break;
  }
  return firsts.length === 0 ? blocked('no_site') : OK;
}
