/** `interactive`: a person waits for the answer. Such calls pass those of a scan. */
export type CallPriority = 'interactive' | 'background';

/** How a call ended, for the budget. `retryAfterMs` is null where the source asked to wait and did not say how long. */
export type CallEnd = { kind: 'answered' } | { kind: 'throttled'; retryAfterMs: number | null };

/** A place for one call. It is left exactly once. */
export type Permit = { leave(end: CallEnd): void };

/** The calls that may run at once against one tenant of the source, over all processes of the deployment. */
export type CallBudget = {
  /**
   * Waits for a place. Throws `ConnectorError`: `throttled` if the source has asked for a longer pause than a call may
   * wait for, `transient` if the signal fires.
   */
  enter(priority: CallPriority, signal: AbortSignal): Promise<Permit>;
};
