import { z } from 'zod';
import { ConnectorError, DeltaCursorInvalid, type ScopePage, ScopeRefused } from '../connector.ts';
import { ITEM_ID, SharedDrive } from './drive-answers.ts';
import type { DriveClient, DriveClients } from './drive-client.ts';
import type { Drive } from './drive-items.ts';
import { listPermissions } from './list-permissions.ts';

/** One entry of the selection: the address of a person, or the id of a shared drive. */
type Selected = { externalId: string } & ({ person: string } | { driveId: string });

/** The drives that are selected, by the ids of their scopes. A person is an address in lower case. */
export const selectedDrives = (entries: readonly string[]): ReadonlyMap<string, Selected> =>
  new Map<string, Selected>(
    entries.map((entry) => {
      const address = entry.toLowerCase();
      return entry.includes('@')
        ? [`person:${address}`, { externalId: `person:${address}`, person: address }]
        : [`drive:${entry}`, { externalId: `drive:${entry}`, driveId: entry }];
    }),
  );

/** A drive as it is read: in whose name, and where its top is. */
export type ReadDrive = { client: DriveClient; drive: Drive };
type OpenDrive = { client: DriveClient; drive: Omit<Drive, 'labelId'> };

export type DriveScopes = {
  list(pageToken: string | null, signal: AbortSignal): Promise<ScopePage>;
  /** Throws `ConnectorError` `scope_unknown`, or `ScopeRefused`. */
  open(scopeId: string, signal: AbortSignal): Promise<OpenDrive>;
  /** As `open`, but asks Drive again in whose name the drive is read. */
  openAgain(scopeId: string, signal: AbortSignal): Promise<OpenDrive>;
};

const PAGE = 20;
/** How long it is taken for true in whose name a drive is read. */
const KNOWN_MS = 10 * 60_000;
const REFUSED = [403, 404] as const;
/** Members are few beside the items. More pages than this are not looked at. */
const MAX_PAGES = 20;
/** Members in whose name a shared drive is tried. */
const MOST_MEMBERS = 10;

export function createDriveScopes(
  clients: DriveClients,
  admin: string,
  entries: readonly string[],
  clock: () => number,
): DriveScopes {
  const selected = selectedDrives(entries);
  const known = new Map<string, { at: number; read: OpenDrive }>();

  const selectedAs = (scopeId: string): Selected => {
    const one = selected.get(scopeId);
    if (one === undefined) throw new ConnectorError('permanent', 'scope_unknown');
    return one;
  };
  const opened = async (one: Selected, signal: AbortSignal): Promise<OpenDrive> => {
    const read =
      'person' in one
        ? await openPerson(clients(one.person), signal)
        : await openShared(clients, admin, one.driveId, signal);
    known.set(one.externalId, { at: clock(), read });
    return read;
  };
  const nameOf = async (one: Selected, signal: AbortSignal) => {
    if ('person' in one) {
      await opened(one, signal);
      return one.person;
    }
    return sharedName(clients(admin), one.driveId, signal);
  };

  return {
    list: async (pageToken, signal) => {
      const start = pageToken === null ? 0 : Number(pageToken);
      if (!Number.isInteger(start) || start < 0 || (start > 0 && start >= selected.size))
        throw new DeltaCursorInvalid();
      const page: Required<ScopePage> = { scopes: [], refused: [], nextPageToken: null };
      const refused: NonNullable<ScopePage['refused']>[number][] = [];
      for (const one of [...selected.values()].slice(start, start + PAGE)) {
        const { externalId } = one;
        const isPerson = 'person' in one;
        try {
          const name = await nameOf(one, signal);
          const kind = isPerson ? 'personal drive' : 'shared drive';
          page.scopes.push({ externalId, name, kind, siteIds: [externalId] });
        } catch (error) {
          if (!(error instanceof ScopeRefused)) throw error;
          const name = isPerson ? one.person : one.driveId;
          refused.push({ siteId: externalId, name, reason: error.reason });
        }
      }
      const next = start + PAGE;
      return { ...page, refused, nextPageToken: next < selected.size ? String(next) : null };
    },
    open: async (scopeId, signal) => {
      const one = selectedAs(scopeId);
      const before = known.get(scopeId);
      return before !== undefined && clock() - before.at <= KNOWN_MS ? before.read : opened(one, signal);
    },
    openAgain: async (scopeId, signal) => opened(selectedAs(scopeId), signal),
  };
}

/** What a token says of a person who is unknown or suspended: nothing of that drive is deleted. */
async function ofPerson<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isRefusedPerson(error)) throw new ScopeRefused('denied', error.safeDiagnostic, 'auth');
    throw error;
  }
}

const isRefusedPerson = (error: unknown): error is ConnectorError =>
  error instanceof ConnectorError && error.safeDiagnostic === 'cloud_drive_token_person_refused';

async function openPerson(client: DriveClient, signal: AbortSignal): Promise<OpenDrive> {
  const answer = await ofPerson(() =>
    client.call(
      'file',
      { fileId: 'root' },
      { query: { fields: 'id' }, schema: z.object({ id: z.string().min(1) }), expect: REFUSED, signal },
    ),
  );
  if (!answer.ok) throw new ScopeRefused('denied', `cloud_drive_file_${answer.status}`, 'auth');
  return { client, drive: { kind: 'person', rootId: answer.body.id } };
}

async function sharedName(client: DriveClient, driveId: string, signal: AbortSignal): Promise<string> {
  if (!ITEM_ID.test(driveId)) throw new ScopeRefused('malformed_id', 'cloud_drive_drive_value_refused');
  const query = { fields: 'id,name', useDomainAdminAccess: 'true' };
  const answer = await client.call(
    'drive',
    { driveId },
    { query, schema: SharedDrive, expect: REFUSED, signal },
  );
  if (!answer.ok) throw refusalOf('drive', answer.status);
  return answer.body.name || driveId;
}

export const refusalOf = (
  call: 'drive' | 'permissions' | 'files' | 'changes' | 'start_token',
  status: 403 | 404 | 410,
) =>
  status === 403
    ? new ScopeRefused('denied', `cloud_drive_${call}_${status}`, 'auth')
    : new ScopeRefused('not_found', `cloud_drive_${call}_${status}`, 'permanent');

/** Who sees most comes first: a manager sees limited folders too. */
const SEES = ['organizer', 'fileOrganizer', 'writer', 'commenter', 'reader'];

/** An administrator lists the members of a shared drive and not its files, so it is read in the name of a member. */
async function openShared(
  clients: DriveClients,
  admin: string,
  driveId: string,
  signal: AbortSignal,
): Promise<OpenDrive> {
  if (!ITEM_ID.test(driveId)) throw new ScopeRefused('malformed_id', 'cloud_drive_drive_value_refused');
  const domain = admin.slice(admin.lastIndexOf('@')).toLowerCase();
  const pages = { asAdmin: true, maxPages: MAX_PAGES };
  const listed = await listPermissions(clients(admin), driveId, pages, signal);
  if (typeof listed === 'number') throw refusalOf('permissions', listed);
  const members = listed.permissions.flatMap(({ type, role, emailAddress, deleted }) => {
    const address = emailAddress?.toLowerCase() ?? '';
    const rank = SEES.indexOf(role ?? '');
    const isMember = type === 'user' && deleted !== true && rank !== -1 && address.endsWith(domain);
    return isMember ? [{ address, rank }] : [];
  });
  members.sort((a, b) => a.rank - b.rank || (a.address < b.address ? -1 : 1));
  for (const { address } of members.slice(0, MOST_MEMBERS)) {
    const client = clients(address);
    if (await isReader(client, driveId, signal))
      return { client, drive: { kind: 'shared', rootId: driveId } };
  }
  // A drive that groups alone may open is read by nobody whom the service can name.
  throw new ScopeRefused('denied', 'cloud_drive_member_missing', 'auth');
}

/** Members who were suspended stay members, and read nothing. */
async function isReader(client: DriveClient, driveId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const query = { fields: 'id' };
    const answer = await client.call(
      'drive',
      { driveId },
      { query, schema: SharedDrive, expect: REFUSED, signal },
    );
    return answer.ok;
  } catch (error) {
    if (isRefusedPerson(error)) return false;
    throw error;
  }
}
