/** What one process reports since its last report. */
export type BudgetReport = {
  process: string;
  /** Calls under way at once, as a mean. */
  used: number;
  /** Whether a call had to wait for a place. */
  wants: boolean;
  /** That the source asked to wait: the epoch of the newest such call, and the longest wait that it named. */
  refusal: { epoch: number; retryAfterMs: number | null } | null;
};

/** The budget of one tenant, which all processes share. Times are milliseconds of one clock. */
export type BudgetState = {
  /** Calls at once. May be a fraction: 0.5 is a call, then a rest of the same length. */
  limit: number;
  /** The limit at which the source last asked to wait; null before. */
  ceiling: number | null;
  /** The share of the ceiling at which the limit started again. */
  depth: number;
  /** How long the limit has grown since, without the times at which nobody wanted more. */
  grownMs: number;
  /** Raised when the limit shrinks. Calls of an earlier epoch do not shrink it again. */
  epoch: number;
  pausedUntil: number;
  pauseMs: number;
  at: number;
  members: Readonly<Record<string, { at: number; used: number; wants: boolean }>>;
};

/** Before a process has heard of the others, too. */
export const FIRST_LIMIT = 4;
const LEAST_LIMIT = 0.01;
const MOST_LIMIT = 64;
/** Before the source has ever asked to wait, the limit doubles in this time. */
const DOUBLED_IN_MS = 1_000;
/** A process that has not reported for so long makes no calls, or has died. */
const MEMBER_MS = 5_000;
/** A pause that the source did not name starts with this and doubles while it proves too short. */
const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 30_000;
/** Longer pauses than this are not believed: one answer must not stop the tenant for good. */
const MOST_NAMED_PAUSE_MS = 3_600_000;
/** After a shrink the limit is back at the ceiling after this, or after so many times the pause that a pause costs little. */
const BACK_AFTER_MS = 60_000;
const BACK_AFTER_PAUSES = 30;

export const firstBudget = (now: number): BudgetState => ({
  limit: FIRST_LIMIT,
  ceiling: null,
  depth: 1,
  grownMs: 0,
  epoch: 0,
  pausedUntil: 0,
  pauseMs: 0,
  at: now,
  members: {},
});

/** The state after a report. It grows while somebody wants more, and shrinks when the source asks to wait. */
export function nextBudget(state: BudgetState, report: BudgetReport, now: number): BudgetState {
  const { process, used, wants, refusal } = report;
  const members = Object.fromEntries(
    Object.entries(state.members).filter(([, { at }]) => now - at < MEMBER_MS),
  );
  const seen = { ...state, at: now, members: { ...members, [process]: { at: now, used, wants } } };
  if (refusal !== null) return shrunk(seen, refusal, now);
  const isWanted = Object.values(seen.members).some((member) => member.wants);
  const passed = Math.min(now - Math.max(state.at, state.pausedUntil), MEMBER_MS);
  return isWanted && passed > 0 ? grown(seen, passed) : seen;
}

function grown(state: BudgetState, passed: number): BudgetState {
  const grownMs = state.grownMs + passed;
  const { ceiling, depth, pauseMs } = state;
  if (ceiling === null)
    return { ...state, grownMs, limit: bounded(FIRST_LIMIT * 2 ** (grownMs / DOUBLED_IN_MS)) };
  // A cubic curve, as of TCP: quickly back to near the ceiling, long about there, then ever faster beyond it.
  const part = grownMs / Math.max(BACK_AFTER_MS, BACK_AFTER_PAUSES * pauseMs);
  return { ...state, grownMs, limit: bounded(ceiling * (1 - (1 - depth) * (1 - part) ** 3)) };
}

function shrunk(
  state: BudgetState,
  { epoch, retryAfterMs }: NonNullable<BudgetReport['refusal']>,
  now: number,
): BudgetState {
  const isNew = epoch === state.epoch && now >= state.pausedUntil;
  const wasShort = state.pauseMs > 0 && state.grownMs < 2_000;
  const ownPause = wasShort ? Math.min(MOST_PAUSE_MS, 2 * state.pauseMs) : LEAST_PAUSE_MS;
  const pauseMs = Math.min(retryAfterMs ?? (isNew ? ownPause : 0), MOST_NAMED_PAUSE_MS);
  const paused = {
    ...state,
    pausedUntil: Math.max(state.pausedUntil, now + pauseMs),
    pauseMs: isNew ? pauseMs : Math.max(state.pauseMs, pauseMs),
  };
  if (!isNew) return paused;
  // The sooner after the last pause, the farther off the limit was.
  const depth = 0.82 - 0.4 * Math.exp(-state.grownMs / 3_000);
  const ceiling = state.limit;
  return { ...paused, ceiling, depth, grownMs: 0, epoch: state.epoch + 1, limit: bounded(ceiling * depth) };
}

const bounded = (limit: number) => Math.min(MOST_LIMIT, Math.max(LEAST_LIMIT, limit));

/**
 * The calls at once of one process. Each has an equal part of the limit, and what some do not use is divided among
 * those that want more.
 */
export function shareOf({ limit, members }: BudgetState, process: string): number {
  const all = Object.values(members);
  const fair = limit / Math.max(1, all.length);
  const wanting = all.filter(({ wants }) => wants).length;
  if (members[process]?.wants !== true) return fair;
  const spare = all.reduce((sum, { wants, used }) => sum + (wants ? 0 : Math.max(0, fair - used)), 0);
  return fair + spare / wanting;
}
