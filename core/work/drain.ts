import { setTimeout as sleep } from 'node:timers/promises';
import { withEngineTx } from '../db/tx.ts';
import { type Clock, neverBack } from '../kernel/clock.ts';
import { ownProblem } from './failure.ts';
import type { HeldLeases } from './held-leases.ts';
import { LEASE_MS, renewLeases } from './lease.sql.ts';
import { momentOf } from './moment.sql.ts';
import { type OwnParts, PAUSE_MS } from './own-parts.ts';
import { groupOf, type Handlers, MAX_GROUP, runUnits } from './run-unit.ts';
import { type Attempted, type SettleParts, settleAttempts, type Tally } from './settle-attempts.ts';
import type { Slots } from './slots.ts';
import { unitFields, type WorkUnit } from './unit.ts';

/** Ended attempts wait this long, so that several are settled in one statement. */
const SETTLE_AFTER_MS = 250;
/** Delays before a drain that ends tries again to settle its attempts. After the last one, they are left to the worker. */
const SETTLE_AGAIN_AFTER_MS = [500, 2_000];
/** While a part of this process fails, attempts are settled less often. */
const SETTLE_FAILING_AFTER_MS = 1_000;
const RENEW_EVERY_MS = LEASE_MS / 3;
/** While a slow unit runs, free slots look for new work this often. */
const LOOK_AGAIN_AFTER_MS = 500;

export type DrainParts = SettleParts & {
  handlers: Handlers;
  /** Attempts are settled as soon as this many have ended. */
  leaseBatch: number;
  leases: HeldLeases;
  slots: Slots;
  tally: Tally;
  ownParts: OwnParts;
  /** Takes what the drain could not settle because a part of this process fails. */
  unsettled: Attempted[];
};

/** Leases and runs due units until none is left, and settles them in batches. Use it once. */
export class Drain {
  readonly #parts: DrainParts;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  /** When it stops leasing, in milliseconds. */
  readonly #until: number;
  /** Leased units that wait for a slot. */
  readonly #waiting: WorkUnit[] = [];
  readonly #active = new Map<WorkUnit, Promise<void>>();
  readonly #done: Attempted[] = [];
  /** The unit that shows whether the parts of this process work again. */
  #trial: WorkUnit | undefined;
  #settling: Promise<unknown> = Promise.resolve();
  #settled = 0;
  #ended = 0;

  constructor(parts: DrainParts, budgetMs: number, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#clock = neverBack(parts.clock);
    this.#until = this.#clock() + budgetMs;
  }

  /** Resolves with the number of settled units. Running units are always finished and settled. */
  async run(): Promise<number> {
    const { ownParts } = this.#parts;
    // Timers renew leases and settle attempts, so that a slow unit delays neither.
    const timers = [
      setInterval(() => {
        if (ownParts.pausedMs > PAUSE_MS - SETTLE_FAILING_AFTER_MS) return;
        this.#flush().catch((error: unknown) => this.#settleFailed(error));
      }, SETTLE_AFTER_MS),
      setInterval(() => this.#renew(), RENEW_EVERY_MS),
    ];
    try {
      await this.#runUnits();
    } finally {
      await this.#end().finally(() => {
        for (const timer of timers) clearInterval(timer);
      });
    }
    return this.#settled;
  }

  async #runUnits(): Promise<void> {
    const { slots, leaseBatch } = this.#parts;
    while (true) {
      // Takes a slot before a unit, so that other processes can lease what this one cannot run yet.
      await slots.acquire();
      let units: readonly WorkUnit[] = [];
      const endedBefore = this.#ended;
      try {
        units = await this.#next();
      } finally {
        if (units.length === 0) slots.release();
      }
      if (units.length > 0) this.#start(units);
      else if (this.#active.size > 0) {
        const lookAgain = sleep(LOOK_AGAIN_AFTER_MS, undefined, { ref: false });
        await Promise.race([...this.#active.values(), lookAgain]);
      }
      // A unit that ended after the last look may have enqueued others.
      else if (this.#ended === endedBefore || this.#signal.aborted) return;
      if (this.#done.length >= leaseBatch) await this.#flushUnlessFailing();
    }
  }

  /** The units that run next in one slot. */
  async #next(): Promise<readonly WorkUnit[]> {
    const { handlers, ownParts } = this.#parts;
    if (this.#waiting.length === 0 && !this.#signal.aborted && this.#clock() < this.#until)
      await this.#lease();
    const isTrial = this.#trial !== undefined && this.#waiting.includes(this.#trial);
    if (this.#signal.aborted || (ownParts.pausedMs > 0 && !isTrial)) return [];
    const group = groupOf(handlers, this.#waiting);
    const rest = this.#waiting.filter((unit) => !group.includes(unit));
    this.#waiting.splice(0, this.#waiting.length, ...rest);
    return group;
  }

  async #take(most: number): Promise<void> {
    const { leases, log } = this.#parts;
    const leased = await leases.lease(most);
    for (const unit of leased) log.debug('unit_leased', unitFields(unit));
    this.#waiting.push(...leased);
  }

  /** Leases a batch, or one unit as a trial. A failure of this process means that there is none. */
  async #lease(): Promise<void> {
    const { leaseBatch, handlers, ownParts } = this.#parts;
    const most = ownParts.mayLease(leaseBatch);
    if (most === 0) return;
    const isTrial = ownParts.problem !== null;
    try {
      await this.#take(most);
      if (isTrial) {
        this.#trial = this.#waiting[0];
        if (this.#trial !== undefined) return;
        // The database works. Nothing is due, or the unit already runs here: its lease was lost with the server, and so
        // may be those of others.
        ownParts.worked();
        return await this.#lease();
      }
      const { length } = groupOf(handlers, this.#waiting);
      // Units that run in groups are quick, so a group is filled beyond the batch.
      if (length > 1 && length === this.#waiting.length && length < MAX_GROUP)
        await this.#take(MAX_GROUP - length);
    } catch (error) {
      const problem = ownProblem(error);
      if (problem === null) throw error;
      ownParts.failed(problem, error);
    }
  }

  #start(units: readonly WorkUnit[]): void {
    const { slots, leases, ownParts } = this.#parts;
    const { failures } = ownParts;
    const attempt = runUnits(this.#parts, units, this.#signal).then(async (ended) => {
      slots.release();
      for (const { outcome } of ended) {
        if (outcome.kind === 'completed') ownParts.worked(failures);
        if (outcome.kind === 'handed_back' && outcome.problem) ownParts.failed(outcome.problem);
      }
      this.#done.push(...ended);
      if (units.some(({ orphaned }) => orphaned)) {
        // Settles before it takes the next orphan. If that one kills the process, the earlier outcomes are not lost.
        await this.#flush().catch((error: unknown) => this.#settleFailed(error));
        leases.letGoOfOrphan();
      }
      for (const unit of units) this.#active.delete(unit);
      this.#ended++;
    });
    for (const unit of units) this.#active.set(unit, attempt);
  }

  /**
   * Settles ended attempts, one batch after the other, so that waiting for the last batch waits for all. Outcomes
   * that cannot be settled keep their leases and are tried again with the next batch.
   */
  #flush(): Promise<void> {
    const flushed = this.#settling.then(async () => {
      const batch = [...this.#done];
      if (batch.length === 0) return;
      this.#settled += await settleAttempts(this.#parts, this.#parts, batch);
      this.#done.splice(0, batch.length);
    });
    this.#settling = flushed.catch(() => undefined);
    return flushed;
  }

  /** Goes on if a part of this process fails: what has ended is settled later. */
  async #flushUnlessFailing(): Promise<void> {
    try {
      await this.#flush();
    } catch (error) {
      if (ownProblem(error) === null) throw error;
      this.#settleFailed(error);
    }
  }

  #settleFailed(error: unknown): void {
    const { log, ownParts } = this.#parts;
    const problem = ownProblem(error);
    if (problem === null) log.error('settle_failed', {}, error);
    else ownParts.failed(problem, error);
  }

  #renew(): void {
    const { db, owner, clock, log } = this.#parts;
    const units = [...this.#active.keys(), ...this.#waiting, ...this.#done.map(({ unit }) => unit)];
    const unitIds = units.map(({ unitId }) => unitId);
    withEngineTx(db, (tx) => renewLeases(tx, owner, unitIds, momentOf(clock))).catch((error: unknown) =>
      log.warn('lease_renewal_failed', {}, error),
    );
  }

  /** Waits for running units, hands back waiting ones, and settles all, or leaves that to the worker. */
  async #end(): Promise<void> {
    const { leases, unsettled } = this.#parts;
    await Promise.all(this.#active.values());
    if (this.#waiting.some((unit) => unit.orphaned)) leases.letGoOfOrphan();
    const handedBack = this.#waiting.splice(0);
    this.#done.push(...handedBack.map((unit): Attempted => ({ unit, outcome: { kind: 'handed_back' } })));
    try {
      await this.#flushAtLast();
    } catch (error) {
      if (ownProblem(error) === null) {
        leases.letGo(this.#done.map(({ unit }) => unit));
        throw error;
      }
      this.#settleFailed(error);
      unsettled.push(...this.#done.splice(0));
    }
  }

  async #flushAtLast(): Promise<void> {
    for (const wait of SETTLE_AGAIN_AFTER_MS) {
      try {
        return await this.#flush();
      } catch (error) {
        this.#settleFailed(error);
        await sleep(wait);
      }
    }
    return this.#flush();
  }
}
