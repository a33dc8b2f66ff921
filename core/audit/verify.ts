import { hash } from 'node:crypto';
import { linksOf } from './canonical-record.ts';

export const GENESIS_HASH = '0'.repeat(64);

export type StoredEvent = { tenantId: string; seq: number; record: string; hash: string };
export type ChainHead = { seq: number; hash: string };

export const BREAK_REASONS = [
  'sequence_gap',
  'hash_mismatch',
  'not_canonical',
  'previous_hash_mismatch',
  'wrong_tenant',
  'head_mismatch',
  // What checkpoints find.
  'checkpoint_forged',
  'checkpoint_gap',
  'checkpoint_mismatch',
  'checkpoint_key_unknown',
  'tail_cut',
] as const;
export type BreakReason = (typeof BREAK_REASONS)[number];

/** The state that is kept while events are checked in order. */
export type ChainState = { count: number; head: ChainHead };

export const emptyChain = (): ChainState => ({ count: 0, head: { seq: 0, hash: GENESIS_HASH } });

/**
 * Checks one event against its predecessors. Returns null if it is valid, otherwise the reason. Pure except that it
 * advances `state`.
 */
export function checkEvent(state: ChainState, tenantId: string, event: StoredEvent): BreakReason | null {
  if (event.seq !== state.head.seq + 1) return 'sequence_gap';
  if (event.tenantId !== tenantId) return 'wrong_tenant';
  if (hash('sha256', event.record) !== event.hash) return 'hash_mismatch';
  const record = linksOf(event.record);
  if (record === null) return 'not_canonical';
  if (record.prev !== state.head.hash) return 'previous_hash_mismatch';
  if (record.seq !== event.seq) return 'sequence_gap';
  if (record.tenantId !== tenantId) return 'wrong_tenant';
  state.head = { seq: event.seq, hash: event.hash };
  state.count++;
  return null;
}
