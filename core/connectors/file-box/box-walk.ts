import type { LeftOut } from '../../kernel/vocabulary.ts';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError, DeltaCursorInvalid, type SourceFolder, type SourceItem } from '../connector.ts';
import { BoxItems, ENTRY_FIELDS } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';
import { listedOf } from './box-item.ts';
import { REFUSED, scopeFolder } from './scope-refusal.ts';
import { type Frame, type Frames, frameOf, framesAfter } from './walk-place.ts';

/** Entries of one page of the service. */
const PAGE_SIZE = 200;
/** Folders of one page, of which some are empty. */
const MAX_CALLS = 20;

export type WalkedPage = {
  items: SourceItem[];
  folders: SourceFolder[];
  leftOut: LeftOut[];
  frames: Frames;
};

/**
 * The next entries of a walk over folders, one folder a call, and what is left of the walk. A folder that is gone is empty,
 * unless it is that of the scope. Throws `DeltaCursorInvalid` if Box refuses a marker, and `ConnectorError` if it denies a
 * folder: a refusal may pass, and what is below would look deleted.
 */
export async function walkOn(
  client: BoxClient,
  scopeFolderId: string,
  start: Frames,
  signal: AbortSignal,
): Promise<WalkedPage> {
  const page: WalkedPage = { items: [], folders: [], leftOut: [], frames: start };
  let entries = 0;
  for (let calls = 0; calls < MAX_CALLS && entries <= PAGE_SIZE / 2; calls++) {
    throwIfAborted(signal);
    const frame = page.frames.at(-1);
    if (frame === undefined) break;
    const listed = await listFolder(client, scopeFolderId, frameOf(frame), PAGE_SIZE - entries, signal);
    const inside: string[] = [];
    for (const entry of listed.entries.map((each) => listedOf(each, scopeFolderId))) {
      if (entry.type === 'item') page.items.push(entry.item);
      if (entry.type === 'left_out') page.leftOut.push(entry.reason);
      if (entry.type !== 'folder') continue;
      page.folders.push(entry.folder);
      inside.push(entry.id);
    }
    entries += listed.entries.length;
    page.frames = framesAfter(
      page.frames.slice(0, -1),
      frameOf(frame),
      inside.reverse(),
      listed.next_marker || null,
    );
  }
  return page;
}

async function listFolder(
  client: BoxClient,
  scopeFolderId: string,
  { id: folderId, at }: Frame,
  limit: number,
  signal: AbortSignal,
) {
  const query = {
    fields: ENTRY_FIELDS,
    usemarker: 'true',
    limit,
    ...(at !== undefined && { marker: at.marker }),
  };
  const options = { query, schema: BoxItems, expect: [400, ...REFUSED] as const, signal };
  const answer = await client.get('items', { folderId }, options);
  if (answer.ok) return answer.body;
  if (answer.status === 400) throw new DeltaCursorInvalid();
  await scopeFolder(client, scopeFolderId, 'type,id', signal);
  if (answer.status === 403) throw new ConnectorError('transient', 'box_items_403');
  return { entries: [], next_marker: null };
}
