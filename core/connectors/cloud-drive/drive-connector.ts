import type { Clock } from '../../kernel/clock.ts';
import { throwIfAborted, untilAborted } from '../abort.ts';
import { ConnectorError, type FeedConnector, type Permissions, type SourceItem } from '../connector.ts';
import { kept } from '../kept.ts';
import { latestChanges } from '../latest-changes.ts';
import { ASKED, DriveFile, ITEM_ID } from './drive-answers.ts';
import { createDriveClients, type DriveClient, type DriveClientParts } from './drive-client.ts';
import { changesPage, walkPage } from './drive-feed.ts';
import { changesOf, entryOf, leftOutOf, topOf } from './drive-items.ts';
import { type DriveLabel, includeLabels, readDriveLabel, readLabelOf } from './drive-labels.ts';
import { createDriveScopes, type ReadDrive, selectedDrives } from './drive-scopes.ts';
import { grantsOf } from './grants.ts';
import { listPermissions } from './list-permissions.ts';
import { readContent } from './read-content.ts';
import { READS_LABELS } from './service-account.ts';

export type CloudDriveOptions = DriveClientParts & {
  /** The address of an administrator, in whose name shared drives and their members are listed. */
  admin: string;
  /** Addresses of people, and ids of shared drives. */
  drives: readonly string[];
  /** Further domains of the organisation, beside that of the administrator. */
  domains: readonly string[];
  /** `LABEL` or `LABEL/FIELD`: the label of Drive that says how sensitive a file is. Null if none does. */
  label: string | null;
  clock: Clock;
};

/** How long the names of a label's choices are taken for true. */
const LABEL_KEPT_MS = 10 * 60_000;

const REFUSED = [403, 404, 410] as const;
const MAX_PERMISSION_PAGES = 100;

/** The domains of the organization. */
export const domainsOf = ({ admin, domains }: Pick<CloudDriveOptions, 'admin' | 'domains'>): Set<string> =>
  new Set([admin.slice(admin.lastIndexOf('@') + 1), ...domains].map((each) => each.toLowerCase()));

/**
 * Reads shared drives of Google Drive, and what selected people own. A scope is one of them. The feed begins before the
 * walk. A renamed folder is one change, since the service derives the paths of what is in it. A folder that is shared
 * otherwise is one change too: the service reads again who has access to what is in it.
 */
export function createCloudDriveConnector(options: CloudDriveOptions): FeedConnector {
  const { admin, drives, clock } = options;
  const scopes = createDriveScopes(createDriveClients(options), admin, drives, clock);
  const ownDomains = domainsOf(options);
  const labelNow = labelOf(options);
  const inScope = <T>(scopeId: string, signal: AbortSignal, run: (read: ReadDrive) => Promise<T>) =>
    untilAborted(signal, async () => {
      const { client, drive } = await scopes.open(scopeId, signal);
      return run({ client, drive: { ...drive, labelId: (await labelNow(signal))?.labelId ?? null } });
    });

  /**
   * What is read of a file; null if it is gone. Drive answers the same to a person who has lost the drive, so it is asked
   * again who reads it before a file counts as gone. Throws `ScopeRefused` if nobody does.
   */
  const ofFile = <T>(scopeId: string, signal: AbortSignal, run: (read: ReadDrive) => Promise<T | null>) =>
    inScope(scopeId, signal, async (read) => {
      const found = await run(read);
      if (found !== null) return found;
      const { client, drive } = await scopes.openAgain(scopeId, signal);
      return client === read.client
        ? null
        : run({ client, drive: { ...drive, labelId: read.drive.labelId } });
    });

  return {
    family: 'cloud_drive',
    mode: 'live',
    delta: 'feed',
    inheritsPermissions: true,
    scopeIds: new Set(selectedDrives(drives).keys()),
    listScopes: (pageToken, signal) => untilAborted(signal, () => scopes.list(pageToken, signal)),
    listLabels: async (signal) => {
      throwIfAborted(signal);
      const known = await labelNow(signal);
      if (known?.choices === null) throw new ConnectorError('transient', 'label_unanswered');
      return [...(known?.choices ?? [])].map(([guid, name]) => ({ guid, name }));
    },
    listItems: (scopeId, pageToken, signal) =>
      inScope(scopeId, signal, async (read) => {
        const { entries, isFirst, ...page } = await walkPage(scopeId, read, pageToken, signal);
        const listed = latestChanges(entries.flatMap(changesOf));
        return {
          items: listed.flatMap((change) => (change.type === 'upsert' ? [change.item] : [])),
          folders: [
            // The list of a drive does not have its top folder.
            ...(isFirst ? [topOf(read.drive)] : []),
            ...listed.flatMap((change) => (change.type === 'folder' ? [change.folder] : [])),
          ],
          leftOut: leftOutOf(entries),
          ...page,
        };
      }),
    listDelta: (scopeId, cursor, pageToken, signal) =>
      inScope(scopeId, signal, async (read) => {
        const { entries, ...page } = await changesPage(scopeId, read, cursor, pageToken, signal);
        return { changes: latestChanges(entries.flatMap(changesOf)), leftOut: leftOutOf(entries), ...page };
      }),
    getItem: (scopeId, itemId, signal) =>
      ofFile<SourceItem | 'denied'>(scopeId, signal, async (read) => {
        const file = await fileOf(read, itemId, signal);
        if (file === null || file === 'denied') return file;
        const entry = entryOf(file, read.drive);
        // What cannot be read is not gone.
        if (entry.type === 'left_out' && entry.reason === 'unreadable')
          throw new ConnectorError('permanent', 'cloud_drive_file_malformed');
        return entry.type === 'item' ? entry.item : null;
      }),
    getPermissions: async (scopeId, itemId, signal) =>
      (await ofFile<Permissions | 'denied'>(scopeId, signal, (read) =>
        readPermissions(read, itemId, ownDomains, clock(), signal),
      )) ?? { grants: [], complete: false },
    getLabel: (scopeId, itemId, signal) =>
      inScope(scopeId, signal, async ({ client }) => {
        const known = await labelNow(signal);
        if (known?.choices === null) return 'denied';
        return known === null || !ITEM_ID.test(itemId)
          ? { state: 'unknown' }
          : readLabelOf(client, itemId, known, signal);
      }),
    readContent: (scopeId, itemId, maxBytes, signal) =>
      inScope(scopeId, signal, async (read) => {
        const file = await fileOf(read, itemId, signal);
        if (file === null || file === 'denied' || entryOf(file, read.drive).type !== 'item')
          return { state: 'inaccessible' };
        return readContent(read.client, file, maxBytes, signal);
      }),
  };
}

/** The selected label, without choices while Google does not answer and they were not known before. Null if Google does not have it. */
const labelOf = ({ label, ...options }: CloudDriveOptions) =>
  kept<DriveLabel | { labelId: string; choices: null } | null>(
    options.clock,
    LABEL_KEPT_MS,
    async (signal) => {
      if (label === null) return null;
      const read = await readDriveLabel(labelClient(options), label, signal);
      return typeof read === 'string' ? null : read;
    },
    // Files are asked for with the same label, so that their versions stay.
    { instead: { labelId: label?.split('/')[0] ?? '', choices: null } },
  );

/** In the name of the administrator, with a token for labels alone. */
export const labelClient = (options: Omit<CloudDriveOptions, 'label'>): DriveClient =>
  createDriveClients(options, READS_LABELS)(options.admin);

async function fileOf(
  { client, drive }: ReadDrive,
  fileId: string,
  signal: AbortSignal,
): Promise<DriveFile | 'denied' | null> {
  if (!ITEM_ID.test(fileId)) return null;
  const query = { fields: ASKED.file, supportsAllDrives: 'true', ...includeLabels(drive) };
  const answer = await client.call('file', { fileId }, { query, schema: DriveFile, expect: REFUSED, signal });
  if (answer.ok) return answer.body;
  return answer.status === 403 ? 'denied' : null;
}

/**
 * Who has access; null if the file is gone. Drive names groups and domains, and not who is in them. Of a shared drive it says what is inherited.
 */
async function readPermissions(
  { client }: ReadDrive,
  fileId: string,
  ownDomains: ReadonlySet<string>,
  now: number,
  signal: AbortSignal,
): Promise<Permissions | 'denied' | null> {
  if (!ITEM_ID.test(fileId)) return null;
  const pages = { asAdmin: false, maxPages: MAX_PERMISSION_PAGES };
  const listed = await listPermissions(client, fileId, pages, signal);
  if (typeof listed === 'number') return listed === 403 ? 'denied' : null;
  if (!listed.isWhole) throw new ConnectorError('permanent', 'cloud_drive_permissions_too_large');
  const grants = listed.permissions.flatMap((each) => grantsOf(each, { ownDomains, now }));
  return { grants, complete: false };
}
