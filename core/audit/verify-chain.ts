import type { Tx } from '../db/tx.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointsAfter } from './checkpoints.sql.ts';
import { chainPage, recordedHead } from './read.sql.ts';
import { auditTrail, isCheckpoint } from './trail.ts';
import { type Break, TrailCheck } from './trail-check.ts';
import { type ChainHead, GENESIS_HASH } from './verify.ts';

/** Events held in memory at once are two pages of this many. */
const PAGE_SIZE = 2_000;
const CHECKPOINT_PAGE_SIZE = 500;

export type ChainReport = {
  ok: boolean;
  /** Events that hold, counted from the first. */
  count: number;
  /** The last of them; sequence number 0 when there is none. */
  head: ChainHead;
  /** Checkpoints that hold, counted from the first. */
  checkpoints: number;
  lastCheckpoint: Checkpoint | null;
  firstBreak: Break | null;
};

/**
 * Walks the chain of the transaction's tenant from its first event, beside its checkpoints, and stops where it breaks.
 * Meant for a read transaction, whose pages all see one moment. A tail that was cut together with the recorded head is
 * found where a checkpoint signs it; one that nothing signs leaves no trace.
 * @param trustedKeys ids of the keys that may have signed the newest checkpoint; none: any may
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
    readPage: (afterSeq) => chainPage(tx, afterSeq, PAGE_SIZE),
    readCheckpoints: (afterNumber) => checkpointsAfter(tx, afterNumber, CHECKPOINT_PAGE_SIZE),
  });
  for await (const items of trail) {
    for (const item of items) {
      const found = isCheckpoint(item) ? check.checkpoint(item) : check.event(item);
      if (found !== null) return found;
    }
  }
  return check.end(recorded);
}
