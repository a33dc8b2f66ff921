import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Tx } from '../db/tx.ts';
import { chainPage, recordedHead } from './read.sql.ts';
import { type BreakReason, type ChainHead, checkEvent, emptyChain, GENESIS_HASH } from './verify.ts';

/** Events held in memory at once are two pages of this many. */
const PAGE_SIZE = 2_000;

export type ChainReport = {
  ok: boolean;
  /** Events that hold, counted from the first. */
  count: number;
  /** The last of them; sequence number 0 when there is none. */
  head: ChainHead;
  firstBreak: { seq: number; reason: BreakReason } | null;
};

/**
 * Walks the chain of the transaction's tenant from its first event and stops where it breaks. Meant for a read
 * transaction, whose pages all see one moment. A tail that was cut together with the recorded head leaves no trace
 * in the chain.
 */
export async function verifyChain(tx: Tx): Promise<ChainReport> {
  const state = emptyChain();
  const broken = (seq: number, reason: BreakReason): ChainReport => ({
    ok: false,
    ...state,
    firstBreak: { seq, reason },
  });
  const recorded = (await recordedHead(tx)) ?? { seq: 0, hash: GENESIS_HASH };
  let page = await chainPage(tx, 0, PAGE_SIZE);
  while (page.length > 0) {
    const next = chainPage(tx, page.at(-1)?.seq ?? 0, PAGE_SIZE);
    // The statement leaves with the next turn; then the database reads on while this page is checked. A failure waits
    // for whoever awaits the page.
    next.catch(() => undefined);
    await eventLoopTurn();
    for (const event of page) {
      const reason = checkEvent(state, tx.tenantId, event);
      if (reason === null) continue;
      await next;
      return broken(state.head.seq + 1, reason);
    }
    page = await next;
  }
  if (recorded.seq !== state.head.seq || recorded.hash !== state.head.hash) {
    return broken(state.head.seq + 1, 'head_mismatch');
  }
  return { ok: true, ...state, firstBreak: null };
}
