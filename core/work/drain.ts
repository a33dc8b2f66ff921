import { setTimeout as sleep } from 'node:timers/promises';
import { withEngineTx } from '../db/tx.ts';
import type { HeldLeases } from './held-leases.ts';
import { LEASE_MS, renewLeases } from './lease.sql.ts';
import { groupOf, type Handlers, MAX_GROUP, runUnits } from './run-unit.ts';
import { type Attempted, type SettleParts, settleAttempts, type Tally } from './settle-attempts.ts';
import type { Slots } from './slots.ts';
import type { WorkUnit } from './unit.ts';

/** Ended attempts wait this long, so that several are settled in one statement. */
const SETTLE_AFTER_MS = 250;
/** Delays before a drain that ends tries again to settle its attempts. After the last one, their leases expire. */
const SETTLE_AGAIN_AFTER_MS = [500, 2_000];
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
};

/** Leases and runs due units until none is left, and settles them in batches. Use it once. */
export class Drain {
  readonly #parts: DrainParts;
  readonly #signal: AbortSignal;
  /** When it stops leasing, in milliseconds. */
  readonly #until: number;
  /** Leased units that wait for a slot. */
  readonly #waiting: WorkUnit[] = [];
  readonly #active = new Map<WorkUnit, Promise<void>>();
  readonly #done: Attempted[] = [];
  #settling: Promise<unknown> = Promise.resolve();
  #settled = 0;
  #ended = 0;

  constructor(parts: DrainParts, budgetMs: number, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#until = parts.clock() + budgetMs;
  }

  /** Resolves with the number of settled units. Running units are always finished and settled. */
  async run(): Promise<number> {
    const { log } = this.#parts;
    // Timers renew leases and settle attempts, so that a slow unit delays neither.
    const timers = [
      setInterval(
        () => this.#flush().catch((error: unknown) => log.error('settle_failed', {}, error)),
        SETTLE_AFTER_MS,
      ),
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
      if (this.#done.length >= leaseBatch) await this.#flush();
    }
  }

  /** The units that run next in one slot. */
  async #next(): Promise<readonly WorkUnit[]> {
    const { clock, leases, handlers } = this.#parts;
    if (this.#waiting.length === 0 && !this.#signal.aborted && clock() < this.#until) {
      this.#waiting.push(...(await leases.lease()));
      const { length } = groupOf(handlers, this.#waiting);
      // Units that run in groups are quick, so a group is filled beyond the batch.
      if (length > 1 && length === this.#waiting.length && length < MAX_GROUP)
        this.#waiting.push(...(await leases.lease(MAX_GROUP - length)));
    }
    if (this.#signal.aborted) return [];
    const group = groupOf(handlers, this.#waiting);
    const rest = this.#waiting.filter((unit) => !group.includes(unit));
    this.#waiting.splice(0, this.#waiting.length, ...rest);
    return group;
  }

  #start(units: readonly WorkUnit[]): void {
    const { slots, leases, log } = this.#parts;
    const attempt = runUnits(this.#parts, units, this.#signal).then(async (ended) => {
      slots.release();
      this.#done.push(...ended);
      if (units.some(({ orphaned }) => orphaned)) {
        // Settles before it takes the next orphan. If that one kills the process, the earlier outcomes are not lost.
        await this.#flush().catch((error: unknown) => log.error('settle_failed', {}, error));
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

  #renew(): void {
    const { db, owner, clock, log } = this.#parts;
    const units = [...this.#active.keys(), ...this.#waiting, ...this.#done.map(({ unit }) => unit)];
    const unitIds = units.map(({ unitId }) => unitId);
    withEngineTx(db, (tx) => renewLeases(tx, owner, unitIds, clock())).catch((error: unknown) =>
      log.warn('lease_renewal_failed', {}, error),
    );
  }

  /** Waits for running units, hands back waiting ones, and settles all. */
  async #end(): Promise<void> {
    const { leases } = this.#parts;
    await Promise.all(this.#active.values());
    if (this.#waiting.some((unit) => unit.orphaned)) leases.letGoOfOrphan();
    const handedBack = this.#waiting.splice(0);
    this.#done.push(...handedBack.map((unit): Attempted => ({ unit, outcome: { kind: 'handed_back' } })));
    try {
      await this.#flushAtLast();
    } finally {
      leases.letGo(this.#done.map(({ unit }) => unit));
    }
  }

  async #flushAtLast(): Promise<void> {
    for (const wait of SETTLE_AGAIN_AFTER_MS) {
      try {
        return await this.#flush();
      } catch (error) {
        this.#parts.log.error('settle_failed', {}, error);
        await sleep(wait);
      }
    }
    return this.#flush();
  }
}
