import { withQueueTx } from '../db/tx.ts';
import type { OwnProblem } from '../kernel/vocabulary.ts';
import { bellsFor, ringOrWarn } from './doorbell.ts';
import { Drain } from './drain.ts';
import { ownProblem } from './failure.ts';
import { HeldLeases } from './held-leases.ts';
import { countDueUnits, LEASE_BATCH } from './lease.sql.ts';
import { momentOf } from './moment.sql.ts';
import { OwnParts } from './own-parts.ts';
import type { Handlers } from './run-unit.ts';
import { type Attempted, type SettleParts, settleAttempts, type Tally } from './settle-attempts.ts';
import { Slots } from './slots.ts';

export type Worker = {
  /**
   * Leases and runs due units until none is left, `budgetMs` has passed or `signal` aborts. Running units are always
   * finished and settled. Rings a doorbell for what remains. Returns the number of settled units. Leases nothing while a
   * part of this process fails, and settles later what it could not settle.
   */
  drain(budgetMs: number, signal: AbortSignal): Promise<number>;
  /** Resolves when no drain is running. */
  idle(): Promise<void>;
  /** Attempts that have ended since the process started. */
  tally(): Tally;
  /** Why it leases nothing now, or null. */
  problem(): OwnProblem | null;
  /**
   * Settles what could not be settled, and rings for due units that no doorbell announces. Concurrent and repeated runs
   * are safe.
   */
  sweep(): Promise<void>;
};

export type WorkerParts = SettleParts & {
  handlers: Handlers;
  /** Units that run at once in this process, over all drains. */
  concurrency: number;
  /** Maximum number of units leased at once. Default 20. */
  leaseBatch?: number;
};

/**
 * Delay of the doorbell if this drain may not lease what is due: a second orphan, or anything while it is draining.
 */
const PASS_ON_AFTER_MS = 1_000;

export function createWorker({ concurrency, leaseBatch = LEASE_BATCH, ...parts }: WorkerParts): Worker {
  const { owner, db, clock, log, doorbell } = parts;
  const tally = { processed: 0, failed: 0 };
  const slots = new Slots(concurrency);
  const leases = new HeldLeases({ owner, db, clock, leaseBatch });
  const drains = new Set<Promise<number>>();
  const ownParts = new OwnParts(parts);
  const unsettled: Attempted[] = [];
  const countDue = (most: number) =>
    withQueueTx(db, { lasting: false, planned: 'once' }, (tx) => countDueUnits(tx, momentOf(clock), most));

  /** Throws what is no failure of this process. */
  const noteProblem = (error: unknown) => {
    const problem = ownProblem(error);
    if (problem === null) throw error;
    ownParts.failed(problem, error);
  };
  /** Settles what drains have left. Returns whether nothing is left. */
  const settleLeft = async (): Promise<boolean> => {
    const batch = unsettled.splice(0);
    if (batch.length === 0) return true;
    try {
      await settleAttempts(parts, { leases, tally }, batch);
      return true;
    } catch (error) {
      if (ownProblem(error) === null) leases.letGo(batch.map(({ unit }) => unit));
      else unsettled.push(...batch);
      noteProblem(error);
      return false;
    }
  };

  const drain: Worker['drain'] = async (budgetMs, signal) => {
    if (db.health.isClosed) return 0;
    const drainParts = { ...parts, leaseBatch, leases, slots, tally, ownParts, unsettled };
    const mayRun = (await settleLeft()) && ownParts.pausedMs === 0;
    const settled = mayRun ? await new Drain(drainParts, budgetMs, signal).run() : 0;
    try {
      if ((await countDue(1)) > 0) {
        // A drain that leased nothing may not be allowed to, for example because it is draining. It rings with a delay.
        const delayMs = leases.holdsOrphan || settled === 0 ? PASS_ON_AFTER_MS : 0;
        await ringOrWarn({ doorbell, log }, 1, Math.max(delayMs, ownParts.pausedMs));
      }
    } catch (error) {
      // The sweep rings when the database answers.
      noteProblem(error);
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
    problem: () => ownParts.problem,
    sweep: async () => {
      if (db.health.isClosed) return;
      const hasSettled = await settleLeft();
      const due = await countDue(1_000);
      // Nothing is left that could show it.
      if (due === 0 && hasSettled) ownParts.worked();
      if (due === 0 || doorbell === null || (await doorbell.isRinging())) return;
      await doorbell.ring(bellsFor(due, leaseBatch), 0);
    },
  };
}
