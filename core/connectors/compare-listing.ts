import type { DeltaChange, SourceItem } from './connector.ts';

/**
 * What changed between the known assets (`externalId` to `sourceVersion`) and a listing: new and changed items in
 * the order of the listing, then deletions. The listing must be complete, since whatever it lacks counts as deleted.
 */
export function compareListing(
  known: ReadonlyMap<string, string>,
  listed: Iterable<SourceItem>,
): DeltaChange[] {
  const changes: DeltaChange[] = [];
  const missing = new Set(known.keys());
  for (const item of listed) {
    missing.delete(item.externalId);
    if (known.get(item.externalId) !== item.sourceVersion) changes.push({ type: 'upsert', item });
  }
  for (const externalId of missing) changes.push({ type: 'delete', externalId });
  return changes;
}
