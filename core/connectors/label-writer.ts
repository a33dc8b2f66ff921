import type { ConnectorMode } from './connector.ts';

/**
 * The outcome of a write. `changed`: the item has another version than the write was meant for, so nothing was
 * written. `gone`: the item no longer exists.
 */
export type LabelWrite = 'written' | 'changed' | 'gone';

/**
 * Writes labels, the only change that the service makes at a source. Connectors only read. A writer has an identity
 * of its own, the remediation identity, and acts only for approved actions.
 */
export type LabelWriter = {
  readonly mode: ConnectorMode;
  /**
   * Sets an item's sensitivity label, or removes it if `labelGuid` is null, on condition that the item still has
   * `ifSourceVersion`.
   * It can reject with a `ConnectorError` after the source has written. Read the item before you try again.
   */
  writeLabel(
    item: { scopeExternalId: string; externalId: string; ifSourceVersion: string },
    labelGuid: string | null,
    signal: AbortSignal,
  ): Promise<LabelWrite>;
};
