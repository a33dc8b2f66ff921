import type { DeltaChange } from './connector.ts';

/** A source may report an item more than once in one answer. The last entry counts. */
export const latestChanges = (changes: readonly DeltaChange[]): DeltaChange[] => [
  ...new Map(changes.map((change) => [idOf(change), change])).values(),
];

function idOf(change: DeltaChange): string {
  if (change.type === 'folder') return change.folder.externalId;
  return change.type === 'upsert' ? change.item.externalId : change.externalId;
}
