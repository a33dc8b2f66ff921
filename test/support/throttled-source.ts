import { type BudgetReport, firstBudget, nextBudget, shareOf } from '../../core/integrations/budget-state.ts';
import { CallGate } from '../../core/integrations/call-gate.ts';

export type ThrottledSource = {
  /** Calls per second that it allows. */
  rate: number;
  /** Calls that it allows at once after a quiet time. */
  burst: number;
  latencyMs: number;
  /** What a refusal names, in milliseconds; null names nothing. */
  retryAfterMs: number | null;
};

/** Allows what a bucket holds that fills at the rate. After a refusal it refuses everything until the named time. */
export function throttledSource({ rate, burst, retryAfterMs }: ThrottledSource): (now: number) => boolean {
  let held = burst;
  let at = 0;
  let refusesUntil = 0;
  return (now) => {
    held = Math.min(burst, held + ((now - at) * rate) / 1_000);
    at = now;
    if (now < refusesUntil) return false;
    if (held >= 1) {
      held--;
      return true;
    }
    refusesUntil = now + (retryAfterMs ?? 0);
    return false;
  };
}

export type Tally = { accepted: number; refused: number };

const REPORT_EVERY_MS = 1_000;
/** A caller waits for so long where the source named nothing. */
const UNNAMED_WAIT_MS = 1_000;

/**
 * Processes that always want to call, by the controller alone, in virtual time. Every run of the same arguments is the
 * same. Returns what the source answered in each second.
 */
export function simulate(
  source: ThrottledSource,
  { processes, callers, seconds }: { processes: number; callers: number; seconds: number },
): Tally[] {
  const { at, run } = timeline();
  const allows = throttledSource(source);
  const tallies = Array.from({ length: seconds }, (): Tally => ({ accepted: 0, refused: 0 }));
  let state = firstBudget(0);

  const start = (process: string, offsetMs: number) => {
    const gate = new CallGate(1, 0);
    let waiting = callers;
    let wakeAt = Number.POSITIVE_INFINITY;

    const report = (now: number, refusal: BudgetReport['refusal']) => {
      const told = { process, used: gate.takeUsed(now), wants: waiting > 0, refusal };
      state = nextBudget(state, told, now);
      gate.set(shareOf(state, process), state.pausedUntil, now);
      serve(now);
    };
    const serve = (now: number) => {
      if (wakeAt <= now) wakeAt = Number.POSITIVE_INFINITY;
      for (; waiting > 0 && gate.waitMs(now) === 0; waiting--) call(now);
      const next = now + Math.max(1, gate.waitMs(now));
      if (waiting === 0 || next >= wakeAt) return;
      wakeAt = next;
      at(next, serve);
    };
    const call = (now: number) => {
      gate.enter(now);
      const { epoch } = state;
      at(now + source.latencyMs / 2, (arrived) => {
        const isAllowed = allows(arrived);
        const tally = tallies[Math.floor(arrived / 1_000)];
        if (tally !== undefined) tally[isAllowed ? 'accepted' : 'refused']++;
        at(arrived + source.latencyMs / 2, (left) => {
          gate.leave(left);
          if (isAllowed) waiting++;
          else refused(left, epoch);
          serve(left);
        });
      });
    };
    const refused = (now: number, epoch: number) => {
      at(now + (source.retryAfterMs ?? UNNAMED_WAIT_MS), (later) => {
        waiting++;
        serve(later);
      });
      report(now, { epoch, retryAfterMs: source.retryAfterMs });
    };
    const reportRegularly = (now: number) => {
      report(now, null);
      at(now + REPORT_EVERY_MS, reportRegularly);
    };
    at(offsetMs, reportRegularly);
  };

  for (let n = 0; n < processes; n++) start(`p${n}`, n * 137);
  run(seconds * 1_000);
  return tallies;
}

/** Events in the order of their times, and of their making where times are equal. */
function timeline() {
  const events: { time: number; act: (now: number) => void }[] = [];
  return {
    at: (time: number, act: (now: number) => void) => {
      let low = 0;
      for (let high = events.length; low < high; ) {
        const middle = (low + high) >> 1;
        // The earliest is the last, from where it is taken.
        if ((events[middle]?.time ?? 0) > time) low = middle + 1;
        else high = middle;
      }
      events.splice(low, 0, { time, act });
    },
    run: (until: number) => {
      for (let next = events.pop(); next !== undefined && next.time < until; next = events.pop())
        next.act(next.time);
    },
  };
}
