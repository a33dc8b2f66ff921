import type { ConnectorMode } from './connector.ts';

/**
 * What came of a write: `changed` where the item no longer has the version that the write was meant for, so that
 * nothing was written; `gone` where there is no such item any more.
 */
export type LabelWrite = 'written' | 'changed' | 'gone';

/**
 * The one thing that the service changes at a source. Connectors only read; this acts as an identity of its own, the
 * remediation identity, and only for actions that were approved.
 */
export type LabelWriter = {
  readonly mode: ConnectorMode;
  /**
   * Sets an item's sensitivity label, or removes it (`labelGuid` null), if the item still has `ifSourceVersion`. A
   * rejection (`ConnectorError`) may come after the source has written: whoever tries again reads first.
   */
  writeLabel(
    item: { scopeExternalId: string; externalId: string; ifSourceVersion: string },
    labelGuid: string | null,
    signal: AbortSignal,
  ): Promise<LabelWrite>;
};
