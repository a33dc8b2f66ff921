import type { Clock } from '../../kernel/clock.ts';
import type { LeftOut } from '../../kernel/vocabulary.ts';
import { type DeltaChange, DeltaCursorInvalid, type DeltaPage } from '../connector.ts';
import { BoxEntry, BoxEvents, ENTRY_FIELDS } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';
import { EVENT_TYPES, type Touched, touchedBy } from './box-events.ts';
import { folderOf, foldersWithin, listedOf } from './box-item.ts';
import { walkOn } from './box-walk.ts';
import { externalIdOf } from './item-id.ts';
import { REFUSED, scopeFolder } from './scope-refusal.ts';
import { DeltaPlace, decoded, encoded, type FeedPlace } from './walk-place.ts';

/** Box keeps events for two weeks. A day is left for the delta itself. */
const KEPT_MS = 13 * 86_400_000;
/** Events of one call: each may become a change, and a page has at most 200. */
const EVENTS = 200;
/** An answer without events may have others after it. What is left after so many is for the next delta. */
const MOST_EMPTY = 3;

/** What a delta is read with. Events are those of the whole enterprise, so the account that reads them is an administrator. */
export type DeltaParts = { reader: BoxClient; events: BoxClient; clock: Clock };

/** Where the stream is now, before a walk that it goes on from. */
export async function feedNow({ events, clock }: DeltaParts, signal: AbortSignal): Promise<FeedPlace> {
  const readAt = clock();
  const answer = await askEvents(events, 'now', signal);
  return { position: answer.ok ? answer.body.next_stream_position : null, readAt, seen: [], empty: 0 };
}

const askEvents = (client: BoxClient, position: string, signal: AbortSignal) =>
  client.get(
    'events',
    {},
    {
      query: {
        stream_type: 'admin_logs_streaming',
        stream_position: position,
        limit: EVENTS,
        event_type: EVENT_TYPES.join(','),
      },
      schema: BoxEvents,
      // 403: the application or the account may not read events.
      expect: [400, 403, 404],
      signal,
    },
  );

/**
 * One page of what has changed in a scope since a cursor: what events are about, as it is now, and folders that came into
 * the scope with all that is in them. Throws `DeltaCursorInvalid` if Box no longer has the events since.
 * @param token a cursor, or the token of the next page
 */
export async function deltaPage(
  parts: DeltaParts,
  scopeFolderId: string,
  token: string,
  signal: AbortSignal,
): Promise<DeltaPage & { hasFolders: boolean }> {
  const { frames: waiting, ...feed } = decoded(DeltaPlace, token);
  if (feed.position === null || parts.clock() - feed.readAt > KEPT_MS) throw new DeltaCursorInvalid();
  if (waiting.length > 0) {
    const walked = await walkOn(parts.reader, scopeFolderId, waiting, signal);
    return {
      changes: [
        ...walked.folders.map((folder): DeltaChange => ({ type: 'folder', folder })),
        ...walked.items.map((item): DeltaChange => ({ type: 'upsert', item })),
      ],
      leftOut: walked.leftOut,
      nextPageToken: encoded({ ...feed, frames: walked.frames }),
      deltaCursor: null,
      hasFolders: false,
    };
  }
  const readAt = parts.clock();
  const answer = await askEvents(parts.events, feed.position, signal);
  if (!answer.ok) throw new DeltaCursorInvalid();
  const { entries, next_stream_position: position } = answer.body;
  const { touched, seen } = touchedBy(entries, feed.seen);
  const looked = await Promise.all(touched.map((each) => lookAt(parts.reader, scopeFolderId, each, signal)));
  const changedAbove = await isAbove(parts.reader, scopeFolderId, looked, signal);
  const empty = entries.length === 0 ? feed.empty + 1 : 0;
  const frames = looked.flatMap(({ walks }) => walks);
  const isEnd = frames.length === 0 && (position === feed.position || empty === MOST_EMPTY);
  const next = { position, readAt, seen, empty: isEnd ? 0 : empty, frames };
  const top: DeltaChange = { type: 'folder', folder: folderOf({ id: scopeFolderId }, null, scopeFolderId) };
  const changes = distinctFolders([
    ...(changedAbove ? [top] : []),
    ...looked.flatMap((each) => each.changes),
  ]);
  return {
    changes,
    leftOut: [
      ...entries.flatMap((entry) => (entry === null ? ['unreadable' as const] : [])),
      ...looked.flatMap(({ leftOut }) => leftOut ?? []),
    ],
    nextPageToken: isEnd ? null : encoded(next),
    deltaCursor: isEnd ? encoded(next) : null,
    hasFolders: changes.some(({ type }) => type === 'folder'),
  };
}

/** `outside`: the id of a folder that is not in the scope. `isRefused`: Box does not show the thing. */
type Looked = {
  changes: DeltaChange[];
  walks: string[];
  outside?: string;
  isRefused?: true;
  leftOut?: LeftOut;
};

/**
 * A thing as it is now. What the account does not see, and what is elsewhere, is not in the scope. A file that came is
 * reported with the folders that it is in, since a new folder may have no event of its own.
 */
async function lookAt(
  client: BoxClient,
  scopeFolderId: string,
  touched: Touched,
  signal: AbortSignal,
): Promise<Looked> {
  const gone: DeltaChange[] = [{ type: 'delete', externalId: externalIdOf(touched) }];
  const options = { query: { fields: ENTRY_FIELDS }, schema: BoxEntry, expect: REFUSED, signal };
  const answer =
    touched.kind === 'file'
      ? await client.get('file', { fileId: touched.id }, options)
      : await client.get('folder', { folderId: touched.id }, options);
  // A refusal may pass, and what was known stays. Of what is gone, and of what it never showed, Box says 404.
  if (!answer.ok) return { changes: answer.status === 403 ? [] : gone, walks: [], isRefused: true };
  // Without its path nobody knows whether it is still in the scope.
  if (!answer.body.path_collection) return { changes: [], walks: [], leftOut: 'unreadable' };
  const within = foldersWithin(answer.body, scopeFolderId);
  if (within === null)
    return { changes: gone, walks: [], ...(touched.kind === 'folder' && { outside: touched.id }) };
  const listed = listedOf(answer.body, scopeFolderId);
  if (listed.type === 'left_out') return { changes: [], walks: [], leftOut: listed.reason };
  if (listed.type === 'gone') return { changes: gone, walks: [] };
  const above = touched.brings
    ? within.map(
        (folder, at): DeltaChange => ({
          type: 'folder',
          folder: folderOf(folder, within[at - 1]?.id ?? null, scopeFolderId),
        }),
      )
    : [];
  if (listed.type === 'item')
    return { changes: [...above, { type: 'upsert', item: listed.item }], walks: [] };
  const walks = touched.brings ? [touched.id] : [];
  return { changes: [...above, { type: 'folder', folder: listed.folder }], walks };
}

/**
 * Whether a folder above that of the scope has changed, which may have changed who has access to the scope. Throws
 * `ScopeRefused` if Box no longer shows the scope, so that its files are not deleted one by one.
 */
async function isAbove(
  client: BoxClient,
  scopeFolderId: string,
  looked: readonly Looked[],
  signal: AbortSignal,
): Promise<boolean> {
  const outside = new Set(looked.flatMap((each) => each.outside ?? []));
  if (outside.size === 0 && !looked.some(({ isRefused }) => isRefused)) return false;
  const { path_collection } = await scopeFolder(client, scopeFolderId, 'type,id,path_collection', signal);
  return path_collection?.entries.some(({ id }) => outside.has(id)) ?? false;
}

/** A folder that many files are in is reported once. */
function distinctFolders(changes: readonly DeltaChange[]): DeltaChange[] {
  const met = new Set<string>();
  return changes.filter((change) => {
    if (change.type !== 'folder') return true;
    const isNew = !met.has(change.folder.externalId);
    met.add(change.folder.externalId);
    return isNew;
  });
}
