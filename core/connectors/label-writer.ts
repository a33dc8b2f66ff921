import type { ConnectorMode } from './connector.ts';

/** Why a source does not write a label. A person has to act before another attempt can succeed. */
export const LABEL_REFUSALS = [
  'metered_api_off',
  'license_missing',
  'write_identity_refused',
  'file_checked_out',
  'file_locked',
  'file_encrypted',
  'file_in_decryption',
  'file_type_not_supported',
  'label_needs_person',
  'label_not_available',
  'justification_needed',
  'write_failed_at_source',
] as const;
export type LabelRefusal = (typeof LABEL_REFUSALS)[number];

/**
 * The outcome of a write. `accepted`: the source carries it out later; `monitor` is an address of the source that reports
 * how it goes, or null if the source gave none. Whoever has the address can ask it, so it is a secret. `changed`: the item
 * has another version than the write was meant for, so nothing was written. `gone`: the item no longer exists.
 */
type LabelWrite =
  | { state: 'written' | 'changed' | 'gone' }
  | { state: 'accepted'; monitor: string | null }
  | { state: 'refused'; reason: LabelRefusal };

/** What a monitor reports. `unknown`: it no longer knows the write, or cannot be asked. Read the item instead. */
export type LabelWriteEnd =
  | { state: 'pending' | 'completed' | 'unknown' }
  | { state: 'failed'; reason: LabelRefusal };

export type LabelTarget = { scopeExternalId: string; externalId: string };

/**
 * Writes labels, the only change that the service makes at a source. Connectors only read. A writer has an identity
 * of its own, the remediation identity, and acts only for approved actions.
 */
export type LabelWriter = {
  readonly mode: ConnectorMode;
  /** What is known beforehand to prevent a write to an item. Null if nothing is. Changes nothing at the source. */
  preventionOf(target: LabelTarget, signal: AbortSignal): Promise<LabelRefusal | null>;
  /**
   * Sets an item's sensitivity label, or removes it if `labelGuid` is null, on condition that the item still has
   * `ifSourceVersion`. The source may keep the justification in its own audit log.
   * It can reject with a `ConnectorError` after the source has written. Read the item before you try again.
   */
  writeLabel(
    item: LabelTarget & { ifSourceVersion: string },
    wanted: { labelGuid: string | null; justification: string },
    signal: AbortSignal,
  ): Promise<LabelWrite>;
  /** Asks a monitor once. */
  outcomeOf(monitor: string, signal: AbortSignal): Promise<LabelWriteEnd>;
};
