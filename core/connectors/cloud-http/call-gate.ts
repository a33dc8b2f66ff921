/** `interactive`: a person waits for the answer. Such calls pass those of a scan. */
export type CallPriority = 'interactive' | 'background';

/** How a call ended. `retryAfterMs` is null where the source asked to wait and did not say how long. */
export type CallEnd = { kind: 'answered' } | { kind: 'throttled'; retryAfterMs: number | null };

/** The right to make one call. It is left exactly once. */
export type Permit = { leave(end: CallEnd): void };

/** Every call to one tenant of the source passes it. */
export type CallGate = {
  /**
   * Waits until a call may be made. Throws `ConnectorError`: `throttled` if the source has asked for a longer pause than
   * a call may wait for, `transient` if the signal fires.
   */
  enter(priority: CallPriority, signal: AbortSignal): Promise<Permit>;
};
