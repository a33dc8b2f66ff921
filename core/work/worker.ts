import { type Db, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { UnitKind } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { bellsFor, type Doorbell } from './doorbell.ts';
import { classifyFailure } from './failure.ts';
import { countDueUnits, LEASE_BATCH, LEASE_MS, leaseUnits, renewLeases } from './lease.sql.ts';
import { nextStep } from './retry-policy.ts';
import { type Settlement, settleUnits } from './settle.sql.ts';
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
  /** Rings for due units that no doorbell announces any more. Safe to run anywhere, at any time. */
  sweep(): Promise<void>;
};

export type WorkerParts = {
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  doorbell: Doorbell | null;
  handlers: Readonly<Partial<Record<UnitKind, UnitHandler>>>;
  /** Units run at once in this process, all drains together. */
  concurrency: number;
};

/** Settled attempts wait this long for others to share their statement. */
const SETTLE_AFTER_MS = 250;
const RENEW_EVERY_MS = LEASE_MS / 3;

type Attempted = { unit: WorkUnit; outcome: UnitOutcome };

export function createWorker(parts: WorkerParts): Worker {
  const { db, clock, log, metrics, doorbell, handlers, concurrency } = parts;
  const owner = newId('wrk', clock());
  const slots = new Slots(concurrency);

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
    if (batch.length === 0) return 0;
    const now = clock();
    const settlements = batch.map(({ unit, outcome }) => toSettlement(unit, outcome, now));
    const effective = await withEngineTx(db, (tx) => settleUnits(tx, owner, settlements, now));
    for (const { unit, outcome } of batch) {
      if (!effective.has(unit.unitId))
        log.warn('stale_settle_refused', { kind: unit.kind, unitId: unit.unitId });
      else if (outcome.kind === 'completed') metrics.count(`work_completed:${unit.kind}`);
      else if (outcome.kind === 'failed') metrics.count(`work_failed:${outcome.retryClass}`);
    }
    const delays = settlements.flatMap(({ runAfter }) => (runAfter === null ? [] : [runAfter - now]));
    if (delays.length > 0) await ring(1, Math.min(...delays));
    return effective.size;
  }

  /** A doorbell that cannot be rung is the sweep's to ring. */
  async function ring(count: number, delayMs: number): Promise<void> {
    await doorbell?.ring(count, delayMs).catch((error: unknown) => log.warn('doorbell_failed', {}, error));
  }

  const drains = new Set<Promise<number>>();

  const drain: Worker['drain'] = async (budgetMs, signal) => {
    const started = clock();
    const waiting: WorkUnit[] = [];
    const active = new Map<number, Promise<void>>();
    let done: Attempted[] = [];
    let settled = 0;
    let ended = 0;

    // One after the other, so that whoever waits for the last has waited for all.
    let settling: Promise<unknown> = Promise.resolve();
    const flush = (): Promise<void> => {
      const flushed = settling.then(async () => {
        const batch = done;
        done = [];
        settled += await settle(batch);
      });
      settling = flushed.catch(() => undefined);
      return flushed;
    };
    const start = (unit: WorkUnit) => {
      const attempt = runUnit(unit, signal).then((outcome) => {
        slots.release();
        active.delete(unit.unitId);
        ended++;
        done.push({ unit, outcome });
      });
      active.set(unit.unitId, attempt);
    };
    const next = async (): Promise<WorkUnit | undefined> => {
      if (waiting.length === 0 && !signal.aborted && clock() - started < budgetMs) {
        waiting.push(...(await withEngineTx(db, (tx) => leaseUnits(tx, owner, LEASE_BATCH, clock()))));
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
        const held = [...active.keys(), ...waiting.map((unit) => unit.unitId)];
        withEngineTx(db, (tx) => renewLeases(tx, owner, held, clock())).catch((error: unknown) =>
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
        else if (active.size > 0) await Promise.race(active.values());
        // A unit that ended since the look may have enqueued others.
        else if (ended === endedBefore || signal.aborted) break;
        if (done.length >= LEASE_BATCH) await flush();
      }
    } finally {
      await Promise.all(active.values());
      for (const timer of timers) clearInterval(timer);
      done.push(...waiting.map((unit): Attempted => ({ unit, outcome: { kind: 'handed_back' } })));
      await flush();
    }
    if ((await withEngineTx(db, (tx) => countDueUnits(tx, clock(), 1))) > 0) await ring(1, 0);
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
    sweep: async () => {
      const due = await withEngineTx(db, (tx) => countDueUnits(tx, clock(), 1_000));
      if (due === 0 || doorbell === null || (await doorbell.isRinging())) return;
      await doorbell.ring(bellsFor(due, LEASE_BATCH), 0);
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
