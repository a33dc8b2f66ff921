import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { nextPageToken, placeOf } from '../page-token.ts';
import { ASKED, ChangePage, FilePage, StartPageToken } from './drive-answers.ts';
import { type Entry, entryOf, entryOfChange } from './drive-items.ts';
import { includeLabels } from './drive-labels.ts';
import { type ReadDrive, refusalOf } from './drive-scopes.ts';

const PAGE_SIZE = 200;
const REFUSED = [400, 403, 404, 410] as const;

type Page = { entries: Entry[]; nextPageToken: string | null; deltaCursor: string | null };

const allDrives = { supportsAllDrives: 'true', includeItemsFromAllDrives: 'true' };

/**
 * One page of a walk. The place of the feed is asked for before the first page, so that the feed covers the walk. Throws
 * `DeltaCursorInvalid` if Drive no longer knows the place: such places live for hours.
 */
export async function walkPage(
  scopeId: string,
  { client, drive }: ReadDrive,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<Page & { isFirst: boolean }> {
  const place = placeOf(scopeId, pageToken);
  const start = place?.after ?? (await startToken({ client, drive }, signal));
  const ofDrive =
    drive.kind === 'shared'
      ? { ...allDrives, corpora: 'drive', driveId: drive.rootId, q: 'trashed = false' }
      : // What others own and share is an item of theirs.
        { corpora: 'user', q: "'me' in owners and trashed = false" };
  const query = {
    ...ofDrive,
    spaces: 'drive',
    pageSize: PAGE_SIZE,
    fields: ASKED.files,
    ...includeLabels(drive),
    ...(place !== null && { pageToken: place.marker }),
  };
  const answer = await client.call('files', {}, { query, schema: FilePage, expect: REFUSED, signal });
  if (!answer.ok) throw refusal('files', answer.status, place !== null);
  const { files, incompleteSearch } = answer.body;
  if (incompleteSearch === true) throw new ConnectorError('transient', 'cloud_drive_list_incomplete');
  // A page may be short or empty while others follow.
  const marker = answer.body.nextPageToken || null;
  return {
    entries: (files ?? []).map((file) => entryOf(file, drive)),
    isFirst: place === null,
    nextPageToken: nextPageToken(scopeId, place, marker, 'cloud_drive_token_repeated', {
      after: start,
      before: null,
    }),
    deltaCursor: marker === null ? start : null,
  };
}

async function startToken({ client, drive }: ReadDrive, signal: AbortSignal): Promise<string> {
  const query = drive.kind === 'shared' ? { supportsAllDrives: 'true', driveId: drive.rootId } : {};
  const answer = await client.call(
    'start_token',
    {},
    { query, schema: StartPageToken, expect: REFUSED, signal },
  );
  if (!answer.ok) throw refusal('start_token', answer.status, false);
  return answer.body.startPageToken;
}

/** One page of the changes since `cursor`. Throws `DeltaCursorInvalid` if Drive does not know the place. */
export async function changesPage(
  scopeId: string,
  { client, drive }: ReadDrive,
  cursor: string,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<Page> {
  const place = placeOf(scopeId, pageToken);
  const ofDrive = drive.kind === 'shared' ? { ...allDrives, driveId: drive.rootId } : {};
  const query = {
    ...ofDrive,
    includeRemoved: 'true',
    spaces: 'drive',
    pageSize: PAGE_SIZE,
    fields: ASKED.changes,
    ...includeLabels(drive),
    pageToken: place?.marker ?? cursor,
  };
  const answer = await client.call('changes', {}, { query, schema: ChangePage, expect: REFUSED, signal });
  if (!answer.ok) throw refusal('changes', answer.status, true);
  const { changes, newStartPageToken } = answer.body;
  const marker = answer.body.nextPageToken || null;
  if (marker === null && !newStartPageToken)
    throw new ConnectorError('transient', 'cloud_drive_token_missing');
  return {
    entries: (changes ?? []).flatMap((change) => entryOfChange(change, drive) ?? []),
    nextPageToken: nextPageToken(scopeId, place, marker, 'cloud_drive_token_repeated'),
    deltaCursor: marker === null ? (newStartPageToken ?? null) : null,
  };
}

/** A place that Drive does not know is answered with 400. 404 is the drive. */
function refusal(
  call: 'files' | 'changes' | 'start_token',
  status: (typeof REFUSED)[number],
  hasPlace: boolean,
): ConnectorError {
  if (status === 403 || status === 404) return refusalOf(call, status);
  return hasPlace
    ? new DeltaCursorInvalid()
    : new ConnectorError('permanent', `cloud_drive_${call}_${status}`);
}
