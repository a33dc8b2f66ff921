import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, withEngineTx, withQueueTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { UnitKind } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { bellsFor, type Doorbell, ringOrWarn } from './doorbell.ts';
import { CampaignCancelled, classifyFailure } from './failure.ts';
import { countDueUnits, LEASE_BATCH, LEASE_MS, leaseUnits, renewLeases } from './lease.sql.ts';
import { nextStep } from './retry-policy.ts';
import { type CompletedCampaign, type Settlement, settleUnits } from './settle.sql.ts';
import { Slots } from './slots.ts';
import type { UnitHandler, UnitOutcome, WorkUnit } from './unit.ts';

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

/** `failed` counts attempts, of which some are tried again. */
export type Tally = { processed: number; failed: number };

export type WorkerParts = {
  /** Under which units are leased: this process, from this start on. */
  owner: string;
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  doorbell: Doorbell | null;
  handlers: Readonly<Partial<Record<UnitKind, UnitHandler>>>;
  /** Units run at once in this process, all drains together. */
  concurrency: number;
  /** Units leased at once, at most; default 20. */
  leaseBatch?: number;
  /** Told of campaigns that ended with what was settled here, after the commit; may be told twice or never. */
  onCampaignsCompleted?: (campaigns: readonly CompletedCampaign[]) => Promise<void>;
};

/** Settled attempts wait this long for others to share their statement. */
const SETTLE_AFTER_MS = 250;
/** Waits before a drain that ends tries once more to settle what it has; after the last one the leases run out. */
const SETTLE_AGAIN_AFTER_MS = [500, 2_000];
const RENEW_EVERY_MS = LEASE_MS / 3;
/** What comes in beside a slow unit waits no longer than this for the slots that it leaves free. */
const LOOK_AGAIN_AFTER_MS = 500;
/** A drain that may not take what is due, an orphan beside another or anything at all, leaves it for this long. */
const PASS_ON_AFTER_MS = 1_000;

type Attempted = { unit: WorkUnit; outcome: UnitOutcome };

export function createWorker(parts: WorkerParts): Worker {
  const { owner, db, clock, log, metrics, doorbell, handlers, concurrency, leaseBatch = LEASE_BATCH } = parts;
  const tally = { processed: 0, failed: 0 };
  const slots = new Slots(concurrency);
  // One orphan at a time: if it kills this process too, none of its earlier neighbours pays for it again.
  let orphanHeld = false;
  // Attempts leased here and not settled yet. Where a crash of the server took a lease back, or a settlement that was
  // not heard of took effect, the same attempt is leased once more: what runs already goes on under the new lease.
  const held = new Map<number, number>();
  const letGo = (units: readonly WorkUnit[]) => {
    for (const { unitId, attempt } of units) if (held.get(unitId) === attempt) held.delete(unitId);
  };

  async function runUnit(unit: WorkUnit, signal: AbortSignal): Promise<UnitOutcome> {
    // Its earlier attempts never reported: they died with their worker, and so would this one.
    if (unit.attempt > unit.maxAttempts) {
      return {
        kind: 'failed',
        retryClass: 'corrupt',
        safeDiagnostic: 'attempts_spent_unreported',
        retryAfterMs: null,
      };
    }
    const handler = handlers[unit.kind];
    if (handler === undefined) {
      return { kind: 'failed', retryClass: 'unsupported', safeDiagnostic: 'no_handler', retryAfterMs: null };
    }
    try {
      return { kind: 'completed', stages: await handler(unit, signal) };
    } catch (thrown) {
      // The shutdown ended it, or would have, or its campaign is over: no reason to count it against the unit.
      if (signal.aborted || thrown instanceof CampaignCancelled) return { kind: 'handed_back' };
      const failed = classifyFailure(thrown);
      log.warn(
        'work_failed',
        {
          kind: unit.kind,
          unitId: unit.unitId,
          tenantId: unit.tenantId,
          campaignId: unit.campaignId,
          retryClass: failed.retryClass,
          attempt: unit.attempt,
        },
        thrown,
      );
      return failed;
    }
  }

  async function settle(batch: readonly Attempted[]): Promise<number> {
    const now = clock();
    const settlements = batch.map(({ unit, outcome }) => toSettlement(unit, outcome, now));
    const { units: effective, completed } = await withQueueTx(
      db,
      { lasting: true, planned: 'each time' },
      (tx) => settleUnits(tx, owner, settlements, now),
    );
    letGo(batch.map(({ unit }) => unit));
    for (const { unit, outcome } of batch) {
      if (!effective.has(unit.unitId))
        log.warn('stale_settle_refused', {
          kind: unit.kind,
          unitId: unit.unitId,
          tenantId: unit.tenantId,
          campaignId: unit.campaignId,
        });
      else if (outcome.kind === 'completed') {
        tally.processed++;
        metrics.count(`work_completed:${unit.kind}`);
      } else if (outcome.kind === 'failed') {
        tally.failed++;
        metrics.count(`work_failed:${outcome.retryClass}`);
      }
    }
    if (completed.length > 0) {
      await parts
        .onCampaignsCompleted?.(completed)
        .catch((error: unknown) => log.warn('after_campaign_failed', {}, error));
    }
    const delays = settlements.flatMap(({ runAfter }) => (runAfter === null ? [] : [runAfter - now]));
    if (delays.length > 0) await ringOrWarn({ doorbell, log }, 1, Math.min(...delays));
    return effective.size;
  }

  /** A batch of due units, an orphan first if there is one and this process has none. */
  async function lease(): Promise<WorkUnit[]> {
    const orphans = orphanHeld ? 0 : 1;
    if (orphans > 0) orphanHeld = true;
    let leased: WorkUnit[] = [];
    try {
      // Of a lease that a crash of the server takes back nothing lasting was made: its unit's writes wait for the disk,
      // and with them the lease before them.
      const units = await withQueueTx(db, { lasting: false, planned: 'once' }, (tx) =>
        leaseUnits(tx, owner, { units: leaseBatch, orphans }, clock()),
      );
      leased = units.filter(({ unitId, attempt }) => held.get(unitId) !== attempt);
      for (const { unitId, attempt } of leased) held.set(unitId, attempt);
      return leased;
    } finally {
      if (orphans > 0) orphanHeld = leased.some((unit) => unit.orphaned);
    }
  }

  const drains = new Set<Promise<number>>();

  const drain: Worker['drain'] = async (budgetMs, signal) => {
    const started = clock();
    const waiting: WorkUnit[] = [];
    const active = new Map<WorkUnit, Promise<void>>();
    const done: Attempted[] = [];
    let settled = 0;
    let ended = 0;

    // One after the other, so that whoever waits for the last has waited for all. Outcomes stay until they are
    // settled: what fails is tried again with the next batch, and keeps its leases meanwhile.
    let settling: Promise<unknown> = Promise.resolve();
    const flush = (): Promise<void> => {
      const flushed = settling.then(async () => {
        const batch = [...done];
        if (batch.length === 0) return;
        settled += await settle(batch);
        done.splice(0, batch.length);
      });
      settling = flushed.catch(() => undefined);
      return flushed;
    };
    const flushAtLast = async (): Promise<void> => {
      for (const wait of SETTLE_AGAIN_AFTER_MS) {
        try {
          return await flush();
        } catch (error) {
          log.error('settle_failed', {}, error);
          await sleep(wait);
        }
      }
      return flush();
    };
    const start = (unit: WorkUnit) => {
      const attempt = runUnit(unit, signal).then(async (outcome) => {
        slots.release();
        done.push({ unit, outcome });
        if (unit.orphaned) {
          // Settled before the next orphan is taken: one that kills this process must not undo what went before it.
          await flush().catch((error: unknown) => log.error('settle_failed', {}, error));
          orphanHeld = false;
        }
        active.delete(unit);
        ended++;
      });
      active.set(unit, attempt);
    };
    const next = async (): Promise<WorkUnit | undefined> => {
      if (waiting.length === 0 && !signal.aborted && clock() - started < budgetMs) {
        waiting.push(...(await lease()));
      }
      return signal.aborted ? undefined : waiting.shift();
    };
    // A slow unit keeps neither the leases of the others from being renewed nor their outcomes from being settled.
    const timers = [
      setInterval(
        () => flush().catch((error: unknown) => log.error('settle_failed', {}, error)),
        SETTLE_AFTER_MS,
      ),
      setInterval(() => {
        const unitIds = [...active.keys(), ...waiting, ...done.map(({ unit }) => unit)].map(
          ({ unitId }) => unitId,
        );
        withEngineTx(db, (tx) => renewLeases(tx, owner, unitIds, clock())).catch((error: unknown) =>
          log.warn('lease_renewal_failed', {}, error),
        );
      }, RENEW_EVERY_MS),
    ];

    try {
      while (true) {
        // A slot first: what cannot be run here and now is left for others to lease.
        await slots.acquire();
        let unit: WorkUnit | undefined;
        const endedBefore = ended;
        try {
          unit = await next();
        } finally {
          if (unit === undefined) slots.release();
        }
        if (unit !== undefined) start(unit);
        else if (active.size > 0) {
          const lookAgain = sleep(LOOK_AGAIN_AFTER_MS, undefined, { ref: false });
          await Promise.race([...active.values(), lookAgain]);
        }
        // A unit that ended since the look may have enqueued others.
        else if (ended === endedBefore || signal.aborted) break;
        if (done.length >= leaseBatch) await flush();
      }
    } finally {
      await Promise.all(active.values());
      if (waiting.some((unit) => unit.orphaned)) orphanHeld = false;
      done.push(...waiting.splice(0).map((unit): Attempted => ({ unit, outcome: { kind: 'handed_back' } })));
      try {
        await flushAtLast();
      } finally {
        letGo(done.map(({ unit }) => unit));
        for (const timer of timers) clearInterval(timer);
      }
    }
    if (
      (await withQueueTx(db, { lasting: false, planned: 'once' }, (tx) => countDueUnits(tx, clock(), 1))) > 0
    ) {
      // Whoever got nothing may not lease now, being drained for instance: it passes the bell on, at leisure.
      await ringOrWarn({ doorbell, log }, 1, orphanHeld || settled === 0 ? PASS_ON_AFTER_MS : 0);
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
      const due = await withQueueTx(db, { lasting: false, planned: 'once' }, (tx) =>
        countDueUnits(tx, clock(), 1_000),
      );
      if (due === 0 || doorbell === null || (await doorbell.isRinging())) return;
      await doorbell.ring(bellsFor(due, leaseBatch), 0);
    },
  };
}

function toSettlement(unit: WorkUnit, outcome: UnitOutcome, now: number): Settlement {
  const base = {
    unitId: unit.unitId,
    attempt: unit.attempt,
    runAfter: null,
    retryClass: null,
    safeDiagnostic: null,
    deadLetterId: null,
    stages: {},
  };
  if (outcome.kind === 'completed') return { ...base, result: 'completed', stages: outcome.stages };
  if (outcome.kind === 'handed_back') return { ...base, result: 'handed_back' };
  const next = nextStep(outcome.retryClass, unit.attempt, unit.maxAttempts, outcome.retryAfterMs);
  if (next.kind === 'retry') return { ...base, result: 'retry', runAfter: now + next.delayMs };
  return {
    ...base,
    result: 'dead',
    retryClass: outcome.retryClass,
    safeDiagnostic: outcome.safeDiagnostic,
    deadLetterId: newId('dlq', now),
  };
}
