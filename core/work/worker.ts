import { withQueueTx } from '../db/tx.ts';
import { bellsFor, ringOrWarn } from './doorbell.ts';
import { Drain } from './drain.ts';
import { HeldLeases } from './held-leases.ts';
import { countDueUnits, LEASE_BATCH } from './lease.sql.ts';
import type { Handlers } from './run-unit.ts';
import type { SettleParts, Tally } from './settle-attempts.ts';
import { Slots } from './slots.ts';

export type Worker = {
  /**
   * Leases and runs due units until none is left, `budgetMs` is spent or `signal` aborts; units under way are
   * finished and settled in any case. Rings a doorbell for what remains. Returns how many units it settled.
   */
  drain(budgetMs: number, signal: AbortSignal): Promise<number>;
  /** Resolves when no drain is under way. */
  idle(): Promise<void>;
  /** Attempts that ended here since the process began. */
  tally(): Tally;
  /** Rings for due units that no doorbell announces any more. Safe to run anywhere, at any time. */
  sweep(): Promise<void>;
};

export type WorkerParts = SettleParts & {
  handlers: Handlers;
  /** Units run at once in this process, all drains together. */
  concurrency: number;
  /** Units leased at once, at most; default 20. */
  leaseBatch?: number;
};

/** A drain that may not take what is due, an orphan beside another or anything at all, leaves it for this long. */
const PASS_ON_AFTER_MS = 1_000;

export function createWorker({ concurrency, leaseBatch = LEASE_BATCH, ...parts }: WorkerParts): Worker {
  const { owner, db, clock, log, doorbell } = parts;
  const tally = { processed: 0, failed: 0 };
  const slots = new Slots(concurrency);
  const leases = new HeldLeases({ owner, db, clock, leaseBatch });
  const drains = new Set<Promise<number>>();
  const countDue = (most: number) =>
    withQueueTx(db, { lasting: false, planned: 'once' }, (tx) => countDueUnits(tx, clock(), most));

  const drain: Worker['drain'] = async (budgetMs, signal) => {
    const settled = await new Drain({ ...parts, leaseBatch, leases, slots, tally }, budgetMs, signal).run();
    if ((await countDue(1)) > 0) {
      // Whoever got nothing may not lease now, being drained for instance: it passes the bell on, at leisure.
      await ringOrWarn({ doorbell, log }, 1, leases.holdsOrphan || settled === 0 ? PASS_ON_AFTER_MS : 0);
    }
    return settled;
  };

  return {
    drain: (budgetMs, signal) => {
      const under = drain(budgetMs, signal);
      drains.add(under);
      return under.finally(() => drains.delete(under));
    },
    idle: async () => {
      await Promise.allSettled(drains);
    },
    tally: () => ({ ...tally }),
    sweep: async () => {
      const due = await countDue(1_000);
      if (due === 0 || doorbell === null || (await doorbell.isRinging())) return;
      await doorbell.ring(bellsFor(due, leaseBatch), 0);
    },
  };
}
