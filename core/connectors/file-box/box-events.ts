import { createHash } from 'node:crypto';
import type { BoxEvent } from './box-answers.ts';
import { type BoxPlace, externalIdOf } from './item-id.ts';

/** They may bring a folder with all that is in it. */
const BRINGS = [
  'COPY',
  'ITEM_COPY',
  'ITEM_CREATE',
  'ITEM_MOVE',
  'ITEM_UNDELETE_VIA_TRASH',
  'ITEM_UPLOAD',
  'MOVE',
  'UNDELETE',
  'UPLOAD',
] as const;

/** The types of events that are asked for: changes of content, place, sharing, lock and classification. */
export const EVENT_TYPES = [
  ...BRINGS,
  'ADVANCED_FOLDER_SETTINGS_UPDATE',
  'CHANGE_FOLDER_PERMISSION',
  'COLLABORATION_ACCEPT',
  'COLLABORATION_EXPIRATION',
  'COLLABORATION_INVITE',
  'COLLABORATION_REMOVE',
  'COLLABORATION_ROLE_CHANGE',
  'DELETE',
  'EDIT',
  'FILE_MARKED_MALICIOUS',
  'FILE_VERSION_RESTORE',
  'GROUP_ADD_ITEM',
  'GROUP_REMOVE_ITEM',
  'ITEM_MAKE_CURRENT_VERSION',
  'ITEM_MODIFY',
  'ITEM_RENAME',
  'ITEM_SHARED',
  'ITEM_SHARED_CREATE',
  'ITEM_SHARED_UNSHARE',
  'ITEM_SHARED_UPDATE',
  'ITEM_TRASH',
  'LOCK',
  'METADATA_CASCADE_POLICY_APPLY',
  'METADATA_INSTANCE_COPY',
  'METADATA_INSTANCE_CREATE',
  'METADATA_INSTANCE_DELETE',
  'METADATA_INSTANCE_UPDATE',
  'RENAME',
  'SHARE',
  'SHARE_EXPIRATION',
  'STORAGE_EXPIRATION',
  'UNLOCK',
  'UNSHARE',
  'UPDATE_COLLABORATION_EXPIRATION',
  'UPDATE_SHARE_EXPIRATION',
  'WATERMARK_LABEL_CREATE',
  'WATERMARK_LABEL_DELETE',
] as const;

/** Of one delta. Box repeats events at least within an answer and its neighbours. */
const REMEMBERED = 1_000;

/** `brings`: what is in the folder may be new. */
export type Touched = BoxPlace & { brings: boolean };

/**
 * What the events are about, each once, and the events that are known from now on. An event says where a thing is and not
 * where it was, and events come repeated and in any order, so each thing is to be looked at afresh. Types that were not asked
 * for, and events without a source, are dropped.
 * @param seen digests of events that were taken before
 */
export function touchedBy(
  events: readonly (BoxEvent | null)[],
  seen: readonly string[],
): { touched: Touched[]; seen: string[] } {
  const known = new Set(seen);
  const found = new Map<string, Touched>();
  for (const event of events) {
    const place = event && placeIn(event);
    if (!event || place === null) continue;
    const mark = event.event_id ? markOf(event.event_id) : null;
    if (mark !== null && known.has(mark)) continue;
    if (mark !== null) known.add(mark);
    const key = externalIdOf(place);
    const brings = (BRINGS as readonly string[]).includes(event.event_type ?? '');
    found.set(key, { ...place, brings: brings || found.get(key)?.brings === true });
  }
  return { touched: [...found.values()], seen: [...known].slice(-REMEMBERED) };
}

const markOf = (eventId: string): string =>
  createHash('sha256').update(eventId).digest('base64url').slice(0, 8);

function placeIn({ event_type, source }: BoxEvent): BoxPlace | null {
  if (!source || !(EVENT_TYPES as readonly string[]).includes(event_type ?? '')) return null;
  const { item_type, item_id, file_id, folder_id, type, id } = source;
  const named = [
    { kind: item_type, id: item_id },
    { kind: 'file', id: file_id },
    { kind: 'folder', id: folder_id },
    { kind: type, id },
  ].find((each) => (each.kind === 'file' || each.kind === 'folder') && /^\d{1,20}$/.test(each.id ?? ''));
  return named === undefined ? null : { kind: named.kind as BoxPlace['kind'], id: named.id ?? '' };
}
