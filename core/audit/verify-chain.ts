import type { Tx } from '../db/tx.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointsAfter } from './checkpoints.sql.ts';
import { chainPage, recordedHead } from './read.sql.ts';
import { auditTrail, isCheckpoint } from './trail.ts';
import { type Break, TrailCheck } from './trail-check.ts';
import { type ChainHead, GENESIS_HASH } from './verify.ts';

/** Page size. At most two pages are in memory at once. */
const PAGE_SIZE = 2_000;
const CHECKPOINT_PAGE_SIZE = 500;

export type ChainReport = {
  ok: boolean;
  /** Number of valid events, from the first. */
  count: number;
  /** The last valid event. Sequence number 0 if there is none. */
  head: ChainHead;
  /** Number of valid checkpoints, from the first. */
  checkpoints: number;
  lastCheckpoint: Checkpoint | null;
  firstBreak: Break | null;
};

/**
 * Verifies the chain of the transaction's tenant from its first event, together with its checkpoints, and stops at
 * the first break. Use a read transaction, so that all pages are of one snapshot. If events at the end were deleted
 * and the head was changed to match, only a checkpoint that signed one of them reveals it.
 * @param trustedKeys ids of the keys that may have signed the newest checkpoint; empty accepts any key
 */
export async function verifyChain(
  tx: Tx,
  trustedKeys: ReadonlySet<string> = new Set(),
): Promise<ChainReport> {
  const check = new TrailCheck(tx.tenantId, { trustedKeys, pinned: [] });
  const firstBreak = await firstBreakOf(tx, check);
  const { chain, checkpoints, lastCheckpoint } = check;
  return { ok: firstBreak === null, ...chain, checkpoints, lastCheckpoint, firstBreak };
}

async function firstBreakOf(tx: Tx, check: TrailCheck): Promise<Break | null> {
  const recorded = (await recordedHead(tx)) ?? { seq: 0, hash: GENESIS_HASH };
  const trail = auditTrail({
    after: null,
    readPage: (afterSeq) => chainPage(tx, afterSeq, PAGE_SIZE),
    readCheckpoints: (afterNumber) => checkpointsAfter(tx, afterNumber, CHECKPOINT_PAGE_SIZE),
  });
  for await (const items of trail) {
    for (const item of items) {
      const found = isCheckpoint(item) ? check.checkpoint(item) : check.event(item);
      if (found !== null) return found;
    }
  }
  return check.endsAt(recorded) ?? check.end();
}
