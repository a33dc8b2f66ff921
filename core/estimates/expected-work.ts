import type { Connector, SourceItem } from '../connectors/connector.ts';

/** What is stored of an item that the source lists. */
export type KnownItem = {
  /** The version that was last observed; null before the first time, and after a rule left it out. */
  observed: string | null;
  contentVersion: string;
  /** Whether its content is read again although it has not changed. */
  readsAgain: boolean;
  /** Whether the source refused its content when it was last asked for it. */
  wasRefused: boolean;
};

/**
 * What a scan does, or a part of it: items that it processes, contents that it reads, their bytes, and calls to the source.
 * `refusedBytes`: bytes of contents that were refused before. They are read only if access was granted since.
 */
export type Work = { items: number; reads: number; bytes: number; refusedBytes: number; calls: number };

export const NO_WORK: Work = { items: 0, reads: 0, bytes: 0, refusedBytes: 0, calls: 0 };

export const plus = (a: Work, b: Work): Work => ({
  items: a.items + b.items,
  reads: a.reads + b.reads,
  bytes: a.bytes + b.bytes,
  refusedBytes: a.refusedBytes + b.refusedBytes,
  calls: a.calls + b.calls,
});

/** How a scan comes to its items: all that a listing has, those of a listing that have changed, or those of a feed. */
export type Way = 'listing' | 'comparison' | 'feed';

/**
 * What the scan does with one listed item, as `core/scan/process-asset.ts` does it: it looks at the item, reads permissions
 * and label of a new version, and content that is new or worth another attempt.
 */
export function workOf(
  item: SourceItem,
  known: KnownItem | null,
  { way, inherits, maxBytes }: { way: Way; inherits: Connector['inheritsPermissions']; maxBytes: number },
): Work {
  const isSame = known !== null && known.observed === item.sourceVersion;
  if (way === 'comparison' && isSame && !known.readsAgain) return NO_WORK;
  // A source whose files inherit permissions is asked again for those of all.
  const permissions = !isSame || (inherits === true && way !== 'comparison') ? 1 : 0;
  const label = isSame ? 0 : 1;
  const isContentKnown =
    known !== null &&
    known.observed !== null &&
    known.contentVersion === item.contentVersion &&
    !known.readsAgain;
  const reads = isContentKnown || item.kind === 'folder' || item.notRead !== undefined ? 0 : 1;
  const size = reads === 1 && item.sizeBytes <= maxBytes ? item.sizeBytes : 0;
  const isRefused = known?.wasRefused === true;
  const bytes = isRefused ? { bytes: 0, refusedBytes: size } : { bytes: size, refusedBytes: 0 };
  return { items: 1, reads, ...bytes, calls: 1 + permissions + label + reads };
}
