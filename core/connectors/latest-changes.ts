import type { DeltaChange } from './connector.ts';

/**
 * A source may report an item more than once in one answer. The last entry counts. What is an item and a folder at once,
 * such as a notebook, has one entry of each kind.
 */
export function latestChanges(changes: readonly DeltaChange[]): DeltaChange[] {
  const items = new Map<string, DeltaChange>();
  const folders = new Map<string, DeltaChange>();
  for (const change of changes) {
    const id = idOf(change);
    if (change.type === 'delete') folders.delete(id);
    if (change.type === 'folder' && items.get(id)?.type === 'delete') items.delete(id);
    (change.type === 'folder' ? folders : items).set(id, change);
  }
  return [...folders.values(), ...items.values()];
}

function idOf(change: DeltaChange): string {
  if (change.type === 'folder') return change.folder.externalId;
  return change.type === 'upsert' ? change.item.externalId : change.externalId;
}
