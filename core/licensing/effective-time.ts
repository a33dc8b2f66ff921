import { z } from 'zod';

const HOUR_MS = 3_600_000;

/** The most that the mark moves on at once, beyond what the vendor signed. A service may be off for this long unnoticed. */
export const MAX_JUMP_MS = 72 * HOUR_MS;
/** A clock that ran ahead for this long is believed. */
export const CONFIRMED_AFTER_MS = 72 * HOUR_MS;
/** Between the clocks of two processes. */
export const TOLERANCE_MS = 5 * 60_000;

/** What is kept of time. All times are in milliseconds. */
export type KeptClock = {
  /** The effective time when it was last advanced. */
  mark: number;
  /** The system clock at that moment. */
  seen: number;
  /** The system clock when the evidence first was further ahead of the mark than is believed at once; else null. */
  aheadSince: number | null;
};

/** What says how late it is. Null if there is none. */
export type TimeEvidence = {
  system: number;
  lastAuditEvent: number | null;
  lastCheckpoint: number | null;
  /** Of the entitlement. The vendor signed it, so it is believed as it is. */
  issuedAt: number;
};

type ClockChange = 'set_back' | 'ahead' | 'ahead_believed' | 'caught_up';

export const ClockStateSchema = z.enum(['steady', 'behind', 'ahead']);

/** The new mark is the effective time. */
export type Observation = { clock: KeptClock; change: ClockChange | null };

/**
 * The effective time: the greatest of the system clock, the last audit event, the last checkpoint, the kept mark and
 * the issue time.
 *
 * The mark moves on with the system clock, even if that is behind, so that a clock that was set back stops nothing. At
 * once it moves on by at most `MAX_JUMP_MS`. Evidence that is further ahead is believed after the system clock ran for
 * `CONFIRMED_AFTER_MS` like that, and forgotten if the clock was put right before.
 */
export function observeClock(kept: KeptClock | null, evidence: TimeEvidence): Observation {
  const { system, issuedAt } = evidence;
  const lastAuditEvent = evidence.lastAuditEvent ?? Number.NEGATIVE_INFINITY;
  const greatest = Math.max(system, lastAuditEvent, evidence.lastCheckpoint ?? Number.NEGATIVE_INFINITY);
  if (kept === null) {
    return { clock: { mark: Math.max(greatest, issuedAt), seen: system, aheadSince: null }, change: null };
  }
  const isSetBack = system < kept.seen - TOLERANCE_MS;
  // A clock that ran and was set back between two looks was not seen later, but it may have dated audit events.
  const isFoundBack = isSetBack || system < lastAuditEvent - TOLERANCE_MS;
  const seen = isSetBack ? system : Math.max(system, kept.seen);
  // A clock that was behind and passes the mark was put right, or is that of another process. It is not added.
  const most = system < kept.mark ? MAX_JUMP_MS : Math.min(system - kept.mark, MAX_JUMP_MS);
  const elapsed = Math.min(Math.max(system - kept.seen, 0), most);
  const carried = Math.max(kept.mark + elapsed, issuedAt);
  const wasAhead = kept.aheadSince !== null;
  const limit = wasAhead ? carried : Math.max(carried, kept.mark + MAX_JUMP_MS);
  if (greatest <= limit) {
    const change = isFoundBack ? 'set_back' : wasAhead ? 'caught_up' : null;
    return { clock: { mark: Math.max(carried, greatest), seen, aheadSince: null }, change };
  }
  const aheadSince = kept.aheadSince === null || isSetBack ? system : kept.aheadSince;
  if (system - aheadSince >= CONFIRMED_AFTER_MS) {
    const mark = Math.max(carried, system);
    return { clock: { mark, seen, aheadSince: null }, change: 'ahead_believed' };
  }
  return {
    clock: { mark: limit, seen, aheadSince },
    change: isFoundBack ? 'set_back' : wasAhead ? null : 'ahead',
  };
}

/**
 * The clock after a token that repeats a fresh challenge: the vendor's time takes the place of the mark, even if that is
 * later. This is how a mark recovers that a wrong clock has moved too far.
 */
export const anchoredClock = (issuedAt: number, system: number): KeptClock => ({
  mark: issuedAt,
  seen: system,
  aheadSince: system - issuedAt > MAX_JUMP_MS ? system : null,
});

/** A clock of which nothing is kept is steady. */
export function clockState(kept: KeptClock | null): z.infer<typeof ClockStateSchema> {
  if (kept === null) return 'steady';
  if (kept.aheadSince !== null) return 'ahead';
  return kept.seen < kept.mark - TOLERANCE_MS ? 'behind' : 'steady';
}
